/* transfer.h - bytes between host and device, through pinned memory. */
#ifndef PISTACHIO_DEVICE_TRANSFER_H
#define PISTACHIO_DEVICE_TRANSFER_H

#include "device/tensor.h"

/* Host memory that copies of the device may come from and go to (dev_ops.host_alloc); on host
 * devices any. Charged to the budget of dev_host_open. */
CHECKED status dev_host_alloc(device *dev, size_t bytes, const char *who, void **out);
void dev_host_free(device *dev, void *address, size_t bytes); /* takes NULL */
/* It leaves the budget (mem_budget_export); it goes by dev_host_free_exported then. */
void dev_host_export(device *dev, size_t bytes);
void dev_host_free_exported(device *dev, void *address, size_t bytes);
/* Enqueues a copy of the bytes, which may go at once. For little: it copies twice. */
CHECKED status dev_upload(dev_stream *stream, void *target, const void *source, size_t bytes,
                          const char *who);
/* Enqueues the copy of `count` words. What is asked for a chunk later, when it is there, costs
 * nobody anything. Ends in dev_fetch_finish or dev_fetch_close. */
CHECKED status dev_fetch_start(dev_stream *stream, const void *words, uint32_t count,
                               dev_fetch *out);
/* Copies the words to `target`, awaiting them if they are not there (dev_event_await), and closes
 * the fetch; also on failure. */
CHECKED status dev_fetch_finish(dev_stream *stream, dev_fetch *fetch, uint64_t *target);
/* Forgets it. Takes a zeroed one. */
void dev_fetch_close(device *dev, dev_fetch *fetch);
/* Starts and finishes a fetch at once: for what must be known before anything else can be enqueued. On a host device
 * it is a plain copy. */
CHECKED status dev_words_read(dev_stream *stream, const void *words, uint64_t *target,
                              uint32_t count);
/* Makes a count exact. */
CHECKED status dev_count_read(dev_stream *stream, dev_count *count);
/* Takes the chunk over, also on failure. Ends in late_chunk_finish or late_chunk_close. */
CHECKED status late_chunk_start(dev_stream *stream, chunk *c, late_chunk *out);
/* The chunk, with an exact count, awaiting it if it is not there; NULL if it has no rows, or there
 * was none. */
CHECKED status late_chunk_finish(dev_stream *stream, late_chunk *late, chunk **out);
/* Forgets it. Takes a zeroed one. */
void late_chunk_close(device *dev, late_chunk *late);

#endif
