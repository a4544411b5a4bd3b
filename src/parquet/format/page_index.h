/* page_index.h - a column chunk's page index: where its pages are, and the bounds of each.
 *
 * Specification: PageIndex.md of github.com/apache/parquet-format. The bytes are those of
 * pq_column_chunk's ranges; everything lives in the arena that is given. */
#ifndef PISTACHIO_PARQUET_FORMAT_PAGE_INDEX_H
#define PISTACHIO_PARQUET_FORMAT_PAGE_INDEX_H

#include "parquet/format/metadata.h"
#include "storage/file.h"

typedef struct pq_page_location {
    uint64_t offset; /* of the header, in the file */
    uint32_t bytes;  /* header included */
    uint64_t first_row;
} pq_page_location;

/* The data pages, in the order of their rows; the dictionary's page is not among them. */
typedef struct pq_offset_index {
    uint32_t page_count;
    pq_page_location *pages;
} pq_offset_index;

typedef enum pq_page_order { PQ_UNORDERED, PQ_ASCENDING, PQ_DESCENDING } pq_page_order;

typedef struct pq_column_index {
    uint32_t page_count;
    pq_page_order order;  /* of the bounds, from page to page */
    bool *is_null;        /* nothing but NULLs: no bounds */
    pq_statistics *pages; /* bounds may be cut, none counts as exact */
} pq_column_index;

/* Pages lie inside the chunk and begin at rising rows below row_count, the first at 0. */
CHECKED status pq_offset_index_parse(arena *a, const pq_column_chunk *chunk, uint64_t row_count,
                                     const void *bytes, size_t length, pq_offset_index *out);
CHECKED status pq_column_index_parse(arena *a, const pq_leaf *leaf, const void *bytes,
                                     size_t length, pq_column_index *out);

/* False: what they and the chunk's statistics in the footer say contradicts itself, or each other: number
 * and rows of the pages, NULLs, bounds, their order. Nothing that the index says may be relied on then. */
bool pq_indexes_agree(const pq_leaf *leaf, const pq_statistics *chunk, uint64_t row_count,
                      const pq_offset_index *places, const pq_column_index *bounds);

/* Reads the index from the file. An index is only a help: without one, or with one that cannot be read, there are no
 * pages in it. */
void pq_offset_index_read(arena *a, const file *f, const pq_column_chunk *chunk, uint64_t row_count,
                          pq_offset_index *out);
void pq_column_index_read(arena *a, const file *f, const pq_leaf *leaf,
                          const pq_column_chunk *chunk, pq_column_index *out);

#endif
