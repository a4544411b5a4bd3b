/* fetch.h - parts of a row group that are read ahead of need, past the page cache.
 *
 * Column chunks, or pages of them, that lie next to each other in the file are one read into one
 * block of memory, which lives until the fetch and all columns that were opened from it are closed.
 * On a lazy device it is pinned memory of the host's. */
#ifndef PISTACHIO_PARQUET_READ_FETCH_H
#define PISTACHIO_PARQUET_READ_FETCH_H

#include "device/device.h"
#include "parquet/read/span.h"

typedef struct pq_fetch pq_fetch;

typedef enum pq_fetch_policy {
    PQ_FETCH_UNCACHED, /* what is not in the page cache */
    PQ_FETCH_ALL,
    PQ_FETCH_NONE
} pq_fetch_policy;

/* Memory that reads end in. */
typedef struct pq_memory {
    _Atomic uint32_t references;
    dev_buffer *buffer; /* of a host device, or: */
    device *dev;        /* whose pinned memory it is */
    void *pinned;
    size_t bytes;
} pq_memory;
pq_memory *pq_memory_ref(pq_memory *memory);
void pq_memory_unref(pq_memory *memory); /* takes NULL */

/* Bytes [start, end) of a file that are in memory, or on their way there, read past the page cache. */
typedef struct pq_shared_range {
    uint64_t start, end;
    uint8_t *address; /* of byte `start` */
    pq_memory *memory;
    struct read_request *reading; /* its own (storage_read_share); NULL: they have come */
} pq_shared_range;
typedef ARRAY(pq_shared_range) pq_shared_list;
/* Its references as well. */
void pq_shared_list_release(pq_shared_list *list);

/* The parts of a row group that are to be read. */
typedef struct pq_fetch_want {
    const pq_table *table;
    pq_row_group_ref group_ref;
    const pq_row_list *rows; /* NULL: all */
    const uint32_t *columns; /* the table's numbers */
    uint32_t column_count;
    pq_fetch_policy policy;
    bool is_merged;     /* neighbours are one read */
    bool is_registered; /* reads end in registered memory (storage/registered.h) where it is had */
    const pq_shared_list *kept; /* what is not to be read, but taken from there; NULL: nothing */
} pq_fetch_want;

/* Starts reading what the policy says of it; nothing: *out is NULL. */
CHECKED status pq_fetch_start(device *dev, const pq_fetch_want *want, pq_fetch **out);
/* Blocks until all of its reads are done. Takes NULL. */
void pq_fetch_block(const pq_fetch *fetch);
/* All of its reads are done. Takes NULL. */
bool pq_fetch_is_done(const pq_fetch *fetch);
/* The memory that it holds; without what was kept. */
uint64_t pq_fetch_bytes(const pq_fetch *fetch);
/* Returns the bytes that it reads from storage: whole blocks, and what lies between chunks that are one read. */
uint64_t pq_fetch_stored_bytes(const pq_fetch *fetch);
/* Returns the bytes that were kept and are used again. */
uint64_t pq_fetch_shared_bytes(const pq_fetch *fetch);
/* The next range, from number *at (at first 0) on, that was read and whose bytes have come;
 * borrowed. False: there is none. Takes NULL. Not while columns are opened from the fetch. */
bool pq_fetch_next_range(pq_fetch *fetch, size_t *at, pq_shared_range *out);
/* Finds the next range that is being read, as pq_fetch_next_range one that has been; `reading` is borrowed, too. Before columns are opened from the fetch. */
bool pq_fetch_next_reading(pq_fetch *fetch, size_t *at, pq_shared_range *out);
/* Makes a copy of the range with references of its own. */
CHECKED status pq_shared_range_ref(const pq_shared_range *range, pq_shared_range *out);
/* Waits for what is under way. Takes NULL. */
void pq_fetch_close(pq_fetch *fetch);

/* A range of the file that is being read, or has been. For column.c: one thread at a time. */
typedef struct pq_fetched_range pq_fetched_range;
/* The range that has the span, with a reference for the caller; NULL: the fetch has none (or there
 * is no fetch). */
pq_fetched_range *pq_fetch_find(pq_fetch *fetch, pq_span span);
bool pq_fetch_has(pq_fetch *fetch, pq_span span);
/* A range of its own, which is being read through the page cache. */
CHECKED status pq_fetched_read(device *dev, const file *f, pq_span span, pq_fetched_range **out);
/* Returns whether it is read for the column that needs it, not ahead. */
bool pq_fetched_is_own(const pq_fetched_range *range);
/* Returns what stands for the block of memory that it is in: ranges may share one. */
const void *pq_fetched_block(const pq_fetched_range *range);
/* Returns the bytes of it that had, or have, to come from storage. */
uint64_t pq_fetched_stored_bytes(const pq_fetched_range *range);
dev_buffer *pq_fetched_buffer(const pq_fetched_range *range); /* borrowed; host devices */
uint8_t *pq_fetched_address(const pq_fetched_range *range, uint64_t at); /* of the file's byte */
/* As storage_read_wait and storage_read_finish; may be called again. */
bool pq_fetched_wait(pq_fetched_range *range, void (*wake)(void *argument), void *argument);
CHECKED status pq_fetched_finish(pq_fetched_range *range);
void pq_fetched_unref(pq_fetched_range *range); /* takes NULL */

#endif
