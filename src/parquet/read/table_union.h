/* table_union.h - files that differ in their columns, as tables of those that do not: what union_by_name puts
 * together. */
#ifndef PISTACHIO_PARQUET_READ_TABLE_UNION_H
#define PISTACHIO_PARQUET_READ_TABLE_UNION_H

#include "parquet/read/table.h"

typedef struct pq_union {
    arena *memory;
    const char *text; /* what it was opened from; as a table's */
    pq_table_spec spec;
    ARRAY(pq_table *) tables;  /* each of files with the same columns, in their order; never none */
    ARRAY(const file *) files; /* of all of them, by their paths */
} pq_union;

/* As pq_table_open, but that schemas may differ. Folders' keys are those of all files together. */
CHECKED status pq_union_open(const char *text, bool use_cache, pq_union **out);
void pq_union_close(pq_union *all); /* takes NULL */
/* Does its path still mean the files that are open? */
bool pq_union_is_current(const pq_union *all);

#endif
