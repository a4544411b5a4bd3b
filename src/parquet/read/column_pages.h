/* column_pages.h - inside the reader: a column chunk's pages as they are found in its bytes, and parts
 * of tensors. */
#ifndef PISTACHIO_PARQUET_READ_COLUMN_PAGES_H
#define PISTACHIO_PARQUET_READ_COLUMN_PAGES_H

#include "parquet/read/column.h"
#include "parquet/read/page.h"

/* The data pages that were wanted, in the order of their rows, with gaps where some were not. */
typedef struct pq_parsed_column {
    const pq_leaf *leaf;
    const pq_column_chunk *chunk;
    const pq_page *items; /* the column's, like the rest */
    size_t count;
    const pq_page *dictionary; /* NULL: there is none */
} pq_parsed_column;

/* Finds them once the bytes have come (pq_column_wait). */
CHECKED status pq_column_parse(pq_column *c, pq_parsed_column *out);
/* Puts the place of the column in front of a failure. */
CHECKED status pq_column_fail(const pq_column *c, status st);

/* Rows [first, first + count) of a tensor. */
typedef struct pq_part {
    tensor *values;
    uint64_t first, count;
} pq_part;
/* As a tensor that shares the memory; with a reference for the caller. */
CHECKED status pq_part_view(dev_stream *stream, const pq_part *part, tensor **out);

#endif
