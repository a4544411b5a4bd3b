/* table.h - a table: Parquet files of one schema, and what their footers say. */
#ifndef PISTACHIO_PARQUET_READ_TABLE_H
#define PISTACHIO_PARQUET_READ_TABLE_H

#include "parquet/read/footer.h"

typedef struct pq_table_file {
    file *file;
    pq_footer *footer;
    const pq_metadata *metadata; /* the footer's */
} pq_table_file;

/* A row group of the table: what tasks take. */
typedef struct pq_row_group_ref {
    uint32_t file, row_group;
} pq_row_group_ref;

/* Rows [first, end) of a row group. */
typedef struct pq_row_range {
    uint64_t first, end;
} pq_row_range;
typedef ARRAY(pq_row_range) pq_row_list; /* in their order, gaps between them */

typedef struct pq_table_column {
    const char *name;
    data_type type;
    bool is_nullable;
    uint32_t leaf; /* the same in each file */
    /* From the statistics of all row groups; has_range: integers, decimals, dates, timestamps. */
    bool has_range;
    int128 min, max;    /* unscaled */
    int64_t null_count; /* -1: not known */
    /* Of the row group with the most; -1: some do not say. An estimate for the whole. */
    int64_t distinct_count;
} pq_table_column;

typedef struct pq_table {
    arena *memory;
    const char *name; /* the path or pattern it was made from */
    uint64_t row_count;
    ARRAY(pq_table_file) files;
    ARRAY(pq_row_group_ref) row_groups;
    ARRAY(pq_table_column)
    columns; /* nested ones and those of unknown type are there too: a scan
                refuses them by name */
} pq_table;

/* Opens what file_expand finds for `path`; of many files several at a time. use_cache: as
 * pq_footer_open. The first bad file in order is the error; files whose schema differs from the
 * first one's are bad, and the error names the column. */
CHECKED status pq_table_open(const char *path, bool use_cache, pq_table **out);
void pq_table_close(pq_table *table); /* takes NULL */
/* An error that names the column, if a scan cannot read it. */
CHECKED status pq_table_check_column(const pq_table *table, uint32_t column);

#endif
