/* writer_leaves.h - the columns of a file that a nested column is written as, one for each of its leaves.
 *
 *     l bigint[]              optional group l (LIST) { repeated group list { optional int64 element } }
 *     s struct(a, b)          optional group s { optional a; optional b }
 *     m map(varchar, double)  optional group m (MAP) { repeated group key_value { required key; optional value } } */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_LEAVES_H
#define PISTACHIO_PARQUET_WRITE_WRITER_LEAVES_H

#include "base/type/type.h"
#include "parquet/format/thrift_write.h"

/* A leaf of a column; of a flat one it is the column itself. */
typedef struct pq_leaf_place {
    data_type top, type; /* of the column; of the leaf */
    char *path;          /* names from the schema's top to it, each with its NUL */
    uint32_t path_count;
    uint16_t *fields; /* which child of each list, struct and map on the way */
    uint8_t max_definition, max_repetition;
} pq_leaf_place;

/* How many leaves a type has; 0: one of its structs has no fields. */
size_t pq_leaf_count(data_type type);
/* Makes the leaf with this number, which holds the column's type. */
CHECKED status pq_leaf_make(const char *name, data_type type, size_t number, pq_leaf_place *out);
void pq_leaf_release(pq_leaf_place *leaf); /* takes a zeroed one */
/* Elements of the schema that the type takes, its own among them. */
size_t pq_schema_elements(data_type type);
/* Writes them; of the leaves, in their order, what `put` writes. */
typedef void pq_put_leaf(thrift_writer *w, const char *name, bool is_nullable, void *context);
void pq_schema_put(thrift_writer *w, const char *name, data_type type, pq_put_leaf *put,
                   void *context);

#endif
