/* batch_decode.h - inside the reader: many pages of a column by one launch for each step. For lazy devices. */
#ifndef PISTACHIO_PARQUET_READ_BATCH_DECODE_H
#define PISTACHIO_PARQUET_READ_BATCH_DECODE_H

#include "parquet/read/batch.h"
#include "parquet/read/page.h"

typedef struct pq_batch_page {
    const pq_page *page; /* parsed, its bytes in pinned host memory, or kept (stored.h) */
    pq_codec codec;
    uint32_t part;     /* the row group that it is of */
    uint32_t location; /* in a kernel's error */
    bool is_dictionary;
    bool has_no_nulls;                          /* by the footer */
    uint64_t dictionary_first, dictionary_rows; /* the entries that it has, or that it names */
} pq_batch_page;
typedef ARRAY(pq_batch_page) pq_batch_page_list;

/* State that all pages share. */
typedef struct pq_batch_context {
    dev_stream *stream;
    const pq_leaf *leaf;
    dev_error *error;
    bool replaces_text; /* as in pq_column_use */
    bool check_bounds;  /* each value must be within them */
    int64_t minimum, maximum;
    tensor *dictionary; /* of all row groups, one behind the other; made with the first pages */
    uint64_t dictionary_rows;
    pq_keeper keeper;
    pq_decoded *
        whole; /* the pages to be decoded next are all that the batch wants; without values. Or NULL */
} pq_batch_context;

/* The rows of the data pages, in their order: INDEXED over the dictionary if all are coded, else
 * FLAT. Dictionary pages, each before the pages that name its entries, become
 * context->dictionary. Waits at most once, for texts of DELTA_BYTE_ARRAY pages. */
CHECKED status pq_batch_decode(pq_batch_context *context, const pq_batch_page_list *pages,
                               tensor **out);

/* For measurements: pages whose bytes lie in the device's memory, to be decoded any number of times. */
typedef struct pq_placed_pages pq_placed_pages;
/* The pages need not stay, nor need their bytes; leaf, error and stream do. The dictionary is made anew with each
 * decoding. */
CHECKED status pq_placed_pages_new(const pq_batch_context *context, const pq_batch_page_list *pages,
                                   pq_placed_pages **out);
CHECKED status pq_placed_pages_decode(const pq_placed_pages *placed, tensor **out);
/* As the files have them; those that the host had to decompress (host_pages of dev_work) as they are then. */
uint64_t pq_placed_pages_bytes(const pq_placed_pages *placed);
void pq_placed_pages_free(pq_placed_pages *placed); /* takes NULL */

#endif
