/* span.h - which bytes of a column chunk hold given rows. */
#ifndef PISTACHIO_PARQUET_READ_SPAN_H
#define PISTACHIO_PARQUET_READ_SPAN_H

#include "parquet/table/table.h"

/* Bytes [start, end) of a file. */
typedef struct pq_span {
    uint64_t start, end;
} pq_span;
typedef ARRAY(pq_span) pq_span_list;

/* The bytes of a column chunk. */
pq_span pq_chunk_span(const pq_column_chunk *chunk);
/* Returns where pages of the column begin and end, if rows can be read page by page: there are several pages and the
 * file says where they are. Else NULL. */
const pq_offset_index *pq_column_pages(const pq_table *table, pq_row_group_ref group_ref,
                                       uint32_t column);
/* The pages that hold the rows, neighbours together, and what is in front of the first data page:
 * the dictionary. The whole chunk where `rows` is NULL or all, or where pages are not known.
 * Appended to *out, in the order of the file. */
CHECKED status pq_column_spans(const pq_table *table, pq_row_group_ref group_ref, uint32_t column,
                               const pq_row_list *rows, pq_span_list *out);

/* The rows that are in both lists, appended to *out. */
CHECKED status pq_rows_intersect(const pq_row_list *a, const pq_row_list *b, pq_row_list *out);

#endif
