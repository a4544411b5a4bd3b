/* batch_decode.h - inside the reader: many pages of a column by one launch for each step. For
 * devices that are no host. */
#ifndef PISTACHIO_PARQUET_READ_BATCH_DECODE_H
#define PISTACHIO_PARQUET_READ_BATCH_DECODE_H

#include "parquet/read/page.h"

typedef struct pq_batch_page {
    const pq_page *page; /* parsed, its bytes in pinned host memory */
    pq_codec codec;
    uint32_t part;     /* the row group that it is of */
    uint32_t location; /* in a kernel's error */
    bool is_dictionary;
    bool has_no_nulls;                          /* by the footer */
    uint64_t dictionary_first, dictionary_rows; /* the entries that it has, or that it names */
} pq_batch_page;
typedef ARRAY(pq_batch_page) pq_batch_page_list;

/* What all of them share. */
typedef struct pq_batch_context {
    dev_stream *stream;
    const pq_leaf *leaf;
    dev_error *error;
    bool check_bounds; /* each value must be within them */
    int64_t minimum, maximum;
    tensor *dictionary; /* of all row groups, one behind the other; made with the first pages */
    uint64_t dictionary_rows;
} pq_batch_context;

/* The rows of the data pages, in their order: INDEXED over the dictionary if all are coded, else
 * FLAT. Dictionary pages, each before the pages that name its entries, become
 * context->dictionary. Waits at most once, for texts of DELTA_BYTE_ARRAY pages. */
CHECKED status pq_batch_decode(pq_batch_context *context, const pq_batch_page_list *pages,
                               tensor **out);

#endif
