/* fetch.h - column chunks of a row group that are read ahead of need, past the page cache.
 *
 * Chunks that lie next to each other in the file are one read into one buffer, which lives until
 * the fetch and all columns that were opened from it are closed. Only for host devices. */
#ifndef PISTACHIO_PARQUET_FETCH_H
#define PISTACHIO_PARQUET_FETCH_H

#include "device/tensor.h"
#include "parquet/table.h"

typedef struct pq_fetch pq_fetch;

typedef enum pq_fetch_policy {
    PQ_FETCH_UNCACHED, /* what is not in the page cache */
    PQ_FETCH_ALL,
    PQ_FETCH_NONE
} pq_fetch_policy;

/* Starts reading those columns of the row group that the policy says; none: *out is NULL. `columns`
 * are the table's numbers. */
CHECKED status pq_fetch_start(device *dev, const pq_table *table, pq_morsel morsel,
                              const uint32_t *columns, uint32_t count, pq_fetch_policy policy,
                              pq_fetch **out);
/* Blocks until all of its reads are done. Takes NULL. */
void pq_fetch_block(const pq_fetch *fetch);
/* The memory that it holds. */
uint64_t pq_fetch_bytes(const pq_fetch *fetch);
/* What it reads from storage: whole blocks, and what lies between chunks that are one read. */
uint64_t pq_fetch_stored_bytes(const pq_fetch *fetch);
/* Waits for what is under way. Takes NULL. */
void pq_fetch_close(pq_fetch *fetch);

/* A range of the file that is being read, or has been. For column.c: one thread at a time. */
typedef struct pq_fetched_range pq_fetched_range;
/* The range with the bytes [offset, offset + bytes) of the file, with a reference for the caller;
 * NULL: the fetch has none (or there is no fetch). */
pq_fetched_range *pq_fetch_find(pq_fetch *fetch, uint64_t offset, uint64_t bytes);
dev_buffer *pq_fetched_buffer(const pq_fetched_range *range);            /* borrowed */
uint8_t *pq_fetched_address(const pq_fetched_range *range, uint64_t at); /* of the file's byte */
/* As storage_read_wait and storage_read_finish; may be called again. */
bool pq_fetched_wait(pq_fetched_range *range, void (*wake)(void *argument), void *argument);
CHECKED status pq_fetched_finish(pq_fetched_range *range);
void pq_fetched_unref(pq_fetched_range *range); /* takes NULL */

#endif
