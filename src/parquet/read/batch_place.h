/* batch_place.h - inside the reader: the pages of a batch, described and in the device's memory, before they are decoded. */
#ifndef PISTACHIO_PARQUET_READ_BATCH_PLACE_H
#define PISTACHIO_PARQUET_READ_BATCH_PLACE_H

#include "codec/codec.h"
#include "parquet/read/batch_decode.h"

/* Pages of a codec that a library of the device's decompresses. */
typedef struct library_pages {
    uint32_t count, largest; /* of those that have bytes behind their levels; and of their bytes */
    uint64_t total;
} library_pages;

typedef struct batch {
    pq_batch_context *context;
    const pq_batch_page_list *pages; /* until they are placed */
    size_t page_count;
    device *dev;
    parquet_page *described; /* by page, the host's */
    uint8_t **by_host;       /* by page: pinned, what the host has decompressed, or NULL */
    uint32_t kinds;          /* of data pages, a mask */
    uint64_t row_count;
    uint64_t stored_bytes, unpacked_bytes;
    uint32_t codecs;         /* of the compressed pages that kernels decompress, a mask */
    uint32_t library_codecs; /* of those that a library does */
    library_pages library[CODEC_COUNT];
    uint32_t slices; /* of pages whose checksum the device computes */
    uint32_t parts;  /* of pages that kernels decompress */
    uint32_t tiles;  /* of that page of these with several parts which has most */
    bool has_levels; /* that a launch must look at */
    bool has_nulls;  /* or may have */
    dev_buffer *stored, *unpacked, *pages_owner, *validity;
    ARRAY(dev_buffer *) heaps; /* what texts point into, beside stored and unpacked */
} batch;

/* Describes the pages and brings their bytes to the device. Both may be used again and again. */
CHECKED status pq_batch_place_pages(batch *b);
/* Tells the context's keeper of them, if some were not kept before. The pages have been decoded. */
void pq_batch_keep_pages(const batch *b);

#endif
