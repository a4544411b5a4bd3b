/* batch.h - reads a column of several row groups, for lazy devices: their rows are one
 * behind the other, and all pages that a slice needs are decoded together.
 *
 *     row groups   [a a a|a a a] [b b|b b b]      the rows that are wanted of each
 *     the batch    0 ...................... n     the same, without gaps
 *
 * A slice is INDEXED over the dictionaries of all row groups, which lie one behind the other too,
 * or FLAT. More pages than a small slice needs are decoded at a time, and kept for the next ones. */
#ifndef PISTACHIO_PARQUET_READ_BATCH_H
#define PISTACHIO_PARQUET_READ_BATCH_H

#include "base/status.h"
#include "device/device.h"
#include "device/kernels/kernel_types.h"
#include "device/tensor.h"
#include "parquet/read/fetch.h"

typedef struct pq_batch pq_batch;

/* Pages of a column chunk that stay in memory (stored.h). */
typedef struct pq_stored_column pq_stored_column;
typedef struct pq_placed_window pq_placed_window;

/* Rows [first, end) of a part's row group, which are the values from `at` on. */
typedef struct pq_decoded_run {
    uint32_t part;
    uint64_t first, end, at;
} pq_decoded_run;

/* Values of all pages that a batch wants, decoded together. */
typedef struct pq_decoded {
    tensor *values; /* borrowed; immutable, as all tensors */
    uint64_t row_count;
    const pq_decoded_run *runs; /* in the order of the parts, and of their rows */
    size_t run_count;
    uint32_t part_count;
    bool is_whole;  /* they are all rows of the row groups */
    bool is_within; /* each is known to lie within these: */
    int64_t minimum, maximum;
} pq_decoded;

/* Is told of pages that were decoded and are not kept in the device's memory yet, by whoever decodes them. */
typedef struct pq_keeper {
    void (*keep)(void *argument, const pq_placed_window *window); /* NULL: nobody wants to know */
    /* Returns whether it keeps the values: then it is not told of the pages. NULL: nobody wants them. */
    bool (*keep_values)(void *argument, const pq_decoded *decoded);
    void *argument;
} pq_keeper;

/* Rows that were decoded for an earlier statement, in the place of a batch's parts. */
typedef struct pq_kept_rows {
    tensor *values; /* with a reference; NULL: there are none */
    uint64_t value_count, bytes;
    struct parquet_run
        *runs; /* rows of the values (`from`) that are the batch's from row `at` on */
    size_t run_count;
} pq_kept_rows;

typedef struct pq_batch_part {
    pq_row_group_ref group_ref;
    const pq_row_list *rows; /* those that are wanted; stays until the batch is closed */
    pq_fetch *fetch;         /* as in pq_column_use */
    uint32_t location;       /* what kernels leave in `error` with a damaged page */
    /* The pages that the rows need, if they are kept: then nothing is read. The batch takes it over when it is opened, or
     * fails to be. */
    pq_stored_column *stored;
} pq_batch_part;

typedef struct pq_batch_use {
    dev_error *error;
    bool check_bounds;                     /* as in pq_column_use */
    bool replaces_text, ignores_checksums; /* as in pq_column_use */
    const pq_batch_part *parts;
    uint32_t part_count; /* at least 1 */
    pq_keeper keeper;
} pq_batch_use;

/* Row groups of both files can be in one batch of the column: their values are stored alike. */
bool pq_batch_fits(const pq_table *table, uint32_t column, uint32_t file, uint32_t other);
/* Starts reading the bytes. */
CHECKED status pq_batch_open(dev_stream *stream, const pq_table *table, uint32_t column,
                             pq_batch_use use, pq_batch **out);
/* Opens a batch of rows that are decoded; takes them over, also on failure. */
CHECKED status pq_batch_open_kept(dev_stream *stream, pq_kept_rows *kept, pq_batch **out);
void pq_kept_rows_release(pq_kept_rows *kept);
/* As pq_column_wait. */
bool pq_batch_wait(pq_batch *b, void (*wake)(void *argument), void *argument);
/* Rows [first, first + count) of the batch, count > 0; a slice begins where the last one did, or
 * later. A limit's failure leaves the batch as it was, less what was decoded: a smaller slice may be
 * asked for. */
CHECKED status pq_batch_slice(pq_batch *b, uint64_t first, uint64_t count, tensor **out);
/* For measurements, in the place of slices: all of its pages in the device's memory (batch_decode.h). They stay when
 * the batch is closed, as long as its table and its stream do. */
struct pq_placed_pages;
CHECKED status pq_batch_place(pq_batch *b, struct pq_placed_pages **out);
/* Lets go of what is decoded and not in use. */
void pq_batch_drop(pq_batch *b);
/* As those of column.h, of all parts. */
uint64_t pq_batch_bytes(const pq_batch *b);
uint64_t pq_batch_stored_bytes(const pq_batch *b, uint32_t part);
uint64_t pq_batch_cached_bytes(const pq_batch *b, uint32_t part);
void pq_batch_close(pq_batch *b); /* takes NULL */

#endif
