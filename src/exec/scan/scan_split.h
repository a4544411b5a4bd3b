/* scan_split.h - a row group in morsels: rows that one task works on, and whose pages are read
 * together.
 *
 * A row group of ordinary size is one morsel. A larger one, if its pages can be read singly, is cut
 * where pages of its widest column end: reading ahead is then bounded by bytes whatever a row group
 * has, and tasks share it out. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_SPLIT_H
#define PISTACHIO_EXEC_SCAN_SCAN_SPLIT_H

#include "parquet/read/span.h"

typedef struct scan_split {
    pq_row_list rows; /* to be given, from this range */
    size_t next_range;
    uint64_t next_row; /* and row on */
    uint64_t rows_left;
    uint64_t bytes_left;         /* compressed, about */
    uint64_t morsel_rows;        /* 0: all are one morsel */
    const pq_offset_index *cuts; /* where morsels end */
} scan_split;

/* Cuts `rows` of the row group, about `bytes` compressed bytes of these columns; the list becomes
 * the split's. */
void scan_split_start(scan_split *split, const pq_table *table, pq_row_group_ref group_ref,
                      const uint32_t *columns, uint32_t column_count, uint64_t bytes,
                      uint64_t morsel_bytes, pq_row_list *rows);
/* There are rows left. */
bool scan_split_has_more(const scan_split *split);
/* The next morsel's rows, appended to *out, and about how many compressed bytes they have. */
CHECKED status scan_split_next(scan_split *split, pq_row_list *out, uint64_t *out_bytes);
void scan_split_release(scan_split *split);

#endif
