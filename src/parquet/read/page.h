/* page.h - inside the reader: one page of a column chunk, decoded to a tensor (host devices). */
#ifndef PISTACHIO_PARQUET_READ_PAGE_H
#define PISTACHIO_PARQUET_READ_PAGE_H

#include "device/tensor.h"
#include "parquet/format/metadata.h"
#include "parquet/read/levels.h"

typedef struct pq_page_part pq_page_part; /* how far a page is decoded */

struct pq_stored_page;

typedef struct pq_page {
    pq_page_header header;
    uint64_t at;         /* where its bytes, behind the header, begin in the file */
    const uint8_t *host; /* the same in the host's memory */
    const void *block;   /* what stands for the block of memory that they are in */
    dev_buffer *owner;   /* of it, where the device is the host; borrowed */
    uint64_t first_row;  /* of the row group */
    tensor *values;      /* when decoded */
    pq_levels levels;    /* of a nested column's, likewise; its values have a row for each slot */
    pq_page_part *part;  /* NULL: all of them are */
    const struct pq_stored_page
        *stored; /* where its bytes stay (stored.h); NULL: they are at `host` */
} pq_page;

/* State that all pages of a column chunk share. */
typedef struct pq_page_context {
    dev_stream *stream;
    const pq_leaf *leaf;
    pq_codec codec;
    dev_error *error;
    uint32_t location;
    tensor *dictionary;
    uint64_t dictionary_rows;
    bool replaces_text; /* as in pq_column_use */
    /* If check_bounds: each value must be within them (kernels report DEV_ERROR_BOUNDS). The whole
     * dictionary may be. */
    bool check_bounds, is_dictionary_within;
    int64_t minimum, maximum;
} pq_page_context;

static inline bool pq_page_is_coded(const pq_page *page)
{
    return page->header.encoding == PQ_PLAIN_DICTIONARY ||
           page->header.encoding == PQ_RLE_DICTIONARY;
}

/* The stored bytes are the values in memory. */
bool pq_is_in_place(const pq_leaf *leaf);
/* Returns the width of a PLAIN value of fixed width. */
uint32_t pq_physical_width(const pq_leaf *leaf);
CHECKED status pq_page_check_sum(const device *dev, const pq_page *page);
/* An error if the dictionary's header cannot be right. */
CHECKED status pq_page_check_dictionary(const pq_page *page);
/* An error if values of the leaf cannot have the page's encoding, or it is not supported. */
CHECKED status pq_page_check_encoding(const pq_leaf *leaf, const pq_page_header *header);
/* A data page's rows: INDEXED over the dictionary, or FLAT. */
CHECKED status pq_page_decode(const pq_page_context *context, const pq_page *page, tensor **out);
/* Decodes a page of a nested column's leaf: page->levels, and page->values of their slots. slot_definition: as in
 * pq_node. */
CHECKED status pq_page_decode_nested(const pq_page_context *context, unsigned slot_definition,
                                     pq_page *page);
/* Begins to decode the page's first rows only, if that suits it: page->values and page->part are set then, and
 * the context and the page stay where they are as long as the part. */
CHECKED status pq_page_part_begin(const pq_page_context *context, pq_page *page);
/* The page's first rows, so many, have values. */
CHECKED status pq_page_part_reach(pq_page *page, uint64_t rows);
void pq_page_part_free(pq_page_part *part); /* takes NULL */
/* Sets context->dictionary. */
CHECKED status pq_page_decode_dictionary(pq_page_context *context, const pq_page *page);

#endif
