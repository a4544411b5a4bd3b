/* page.h - inside the reader: one page of a column chunk, decoded to a tensor. */
#ifndef PISTACHIO_PARQUET_READ_PAGE_H
#define PISTACHIO_PARQUET_READ_PAGE_H

#include "device/tensor.h"
#include "parquet/format/metadata.h"

typedef struct pq_page {
    pq_page_header header;
    uint64_t at;         /* where its bytes, behind the header, begin in the file */
    const uint8_t *host; /* the same in the host's memory, */
    uint8_t *bytes;      /* and in the device's */
    dev_buffer *owner;   /* of `bytes`; borrowed */
    uint64_t first_row;  /* of the row group */
    tensor *values;      /* when decoded */
} pq_page;

/* What all pages of a column chunk share. */
typedef struct pq_page_context {
    dev_stream *stream;
    const pq_leaf *leaf;
    pq_codec codec;
    dev_error *error;
    uint32_t location;
    tensor *dictionary;
    uint64_t dictionary_rows;
    /* If check_bounds: each value must be within them (kernels report DEV_ERROR_BOUNDS). A host
     * device knows whether the whole dictionary is. */
    bool check_bounds, is_dictionary_within;
    int64_t minimum, maximum;
} pq_page_context;

static inline bool pq_page_is_coded(const pq_page *page)
{
    return page->header.encoding == PQ_PLAIN_DICTIONARY ||
           page->header.encoding == PQ_RLE_DICTIONARY;
}

/* An error if values of the leaf cannot have the page's encoding, or it is not supported. */
CHECKED status pq_page_check_encoding(const pq_leaf *leaf, const pq_page_header *header);
/* A data page's rows: INDEXED over the dictionary, or FLAT. */
CHECKED status pq_page_decode(const pq_page_context *context, const pq_page *page, tensor **out);
/* Sets context->dictionary. */
CHECKED status pq_page_decode_dictionary(pq_page_context *context, const pq_page *page);

#endif
