/* kept_column.h - what is kept, decoded, of a file's column. */
#ifndef PISTACHIO_PARQUET_TABLE_KEPT_COLUMN_H
#define PISTACHIO_PARQUET_TABLE_KEPT_COLUMN_H

#include "base/mem.h"

typedef struct pq_kept_column {
    const char *path, *column;
    const char *form; /* numbers, codes, plain */
    uint32_t width;   /* bytes of a number or code, the most of any row group; 0: it has none */
    uint64_t rows, bytes;
    uint64_t uses; /* statements that found it there, the most of any row group */
} pq_kept_column;

/* Lists what is kept, by path and column, in memory of the arena. */
typedef status pq_list_kept(arena *memory, pq_kept_column **out, size_t *out_count);

/* Orders the entries by path, column and form, and makes one of those that are alike in all three. Returns how many are left. */
size_t pq_kept_merge(pq_kept_column *entries, size_t count);

#endif
