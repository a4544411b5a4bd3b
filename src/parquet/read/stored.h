/* stored.h - pages that stay in a lazy device's memory as the file has them, so that later statements decode them without
 * reading the file.
 *
 *     a batch's pages   [dictionary|page|page][dictionary|page]     decoded together (batch_decode.c)
 *     a piece           the same bytes in one buffer                of the device, or pinned memory of the host's
 *     a stored column   pages of one column chunk, of any pieces    from which a batch is opened
 *
 * What the host has seen in a page's bytes stays with it. Pieces and pages never change. */
#ifndef PISTACHIO_PARQUET_READ_STORED_H
#define PISTACHIO_PARQUET_READ_STORED_H

#include "device/kernels/parquet_page.h"
#include "parquet/read/batch.h"
#include "parquet/read/page.h"

typedef struct pq_stored_piece {
    _Atomic uint32_t references;
    dev_buffer *buffer; /* of the device; or NULL, and in its place: */
    device *dev;
    void *pinned; /* of its host_alloc */
    size_t bytes;
} pq_stored_piece;

typedef struct pq_stored_page {
    pq_page page;           /* its header and its rows; without bytes */
    parquet_page described; /* places, rows and locations are of another batch */
    uint64_t at;            /* where it begins in the piece */
    bool is_dictionary;
    pq_stored_piece *piece;
} pq_stored_page;

/* Takes over a buffer's reference; the piece has one reference, the caller's. */
CHECKED status pq_stored_piece_new(dev_buffer *buffer, size_t bytes, pq_stored_piece **out);
/* Makes a piece of pinned memory. */
CHECKED status pq_stored_piece_new_pinned(device *dev, size_t bytes, pq_stored_piece **out);
void pq_stored_piece_unref(pq_stored_piece *piece); /* takes NULL; any thread */

/* The pages of a column chunk that a batch wants, in the order of their rows, with references to their pieces. */
struct pq_stored_column {
    size_t count;
    pq_page *pages;         /* each with its stored page: */
    pq_stored_page *stored; /* the dictionary is the last one, if there is one */
    const pq_page *dictionary;
    uint64_t bytes;
};

/* Makes one of copies of the pages; `dictionary` may be NULL. */
CHECKED status pq_stored_column_new(const pq_stored_page *const *pages, size_t count,
                                    const pq_stored_page *dictionary, pq_stored_column **out);
void pq_stored_column_free(pq_stored_column *column); /* takes NULL */

/* A page that was decoded and may be kept. */
typedef struct pq_placed_page {
    uint32_t part;         /* of the batch */
    const uint8_t *host;   /* its bytes; NULL: they are in the device's memory alone */
    pq_stored_page stored; /* without a piece; `at`: in the window's buffer */
} pq_placed_page;

/* Pages that were decoded together. */
struct pq_placed_window {
    dev_buffer *stored; /* in which their bytes are; borrowed */
    size_t bytes;
    const pq_placed_page *pages;
    size_t count;
};

#endif
