/* table_given_nested.h - inside src/parquet/table: nested columns of tables that were told, whose parts each file may store under other
 * names, in narrower types, or not at all.
 *
 * Each file gets a node of its own, with the file's levels and the table's types, whose leaves stand where the table has
 * them. A leaf that the file lacks is constant: nobody reads it, and its values are NULL. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_GIVEN_NESTED_H
#define PISTACHIO_PARQUET_TABLE_TABLE_GIVEN_NESTED_H

#include "parquet/table/table_given.h"

/* A file whose metadata are made. */
typedef struct pq_given_mapping {
    arena *memory;
    const pq_given *given;
    const pq_given_file *told;
    const pq_metadata *stored;
    const file *file;
    pq_metadata *made;
    const value **constants;
    bool by_id;
} pq_given_mapping;

/* Sets the leaves of a nested column in the table's schema. */
CHECKED status pq_given_nested_schema(arena *a, const pq_given_column *column, pq_leaf *leaves);
/* Sets leaves and chunks of a nested column in the file's metadata. */
CHECKED status pq_given_nested_map(pq_given_mapping *m, const pq_given_column *column);

/* ---- table_given.c ---- */

/* Says that the file's type is not converted to the table's. */
CHECKED status pq_given_refuse(const pq_given_mapping *m, const char *name, data_type wanted,
                               const pq_leaf *leaf);

#endif
