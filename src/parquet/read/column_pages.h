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
/* A leaf of a nested column: its pages are found as for a column of as many rows as it has values, and their first_row is
 * the number of a value. Opened by the leaf's number, of the whole column chunk. */
CHECKED status pq_leaf_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                            uint32_t leaf, pq_column_use use, pq_column **out);
/* Its pages, once the bytes have come. */
CHECKED status pq_leaf_pages(pq_column *c, pq_page **out, size_t *out_count);
/* The page has levels and values from now on. */
CHECKED status pq_leaf_decode(pq_column *c, unsigned slot_definition, pq_page *page);
void pq_leaf_forget(pq_page *page);
/* Puts the place of the column in front of a failure. */
CHECKED status pq_column_fail(const pq_column *c, status st);

/* Rows [first, first + count) of a tensor. */
typedef struct pq_part {
    tensor *values;
    uint64_t first, count;
} pq_part;
typedef ARRAY(pq_part) pq_part_list;
/* Parts of a column's pages as one tensor of `count` rows. */
CHECKED status pq_parts_join(pq_column *c, const pq_part_list *parts, uint64_t count, tensor **out);
/* As a tensor that shares the memory; with a reference for the caller. */
CHECKED status pq_part_view(dev_stream *stream, const pq_part *part, tensor **out);

#endif
