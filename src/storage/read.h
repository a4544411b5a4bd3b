/* read.h - reads that do not block: bytes that are in the page cache are there at once, others are
 * fetched by threads of the storage layer, and whoever waits for them is woken.
 *
 *     submit ── in the page cache ──────────────> done
 *        └──── queue ── a reading thread ── done ─> wake
 *
 * The queue is one for the process, first come, first served. */
#ifndef PISTACHIO_STORAGE_READ_H
#define PISTACHIO_STORAGE_READ_H

#include "storage/file.h"

typedef struct read_request read_request;

/* Starts reading `bytes` bytes at `offset` into `target`, which must stay until
 * storage_read_finish. */
CHECKED status storage_read_submit(const file *f, uint64_t offset, void *target, size_t bytes,
                                   read_request **out);
/* False: the read is done. True: wake(argument) will be called once, from any thread, perhaps
 * before this returns, and before storage_read_finish does. */
bool storage_read_wait(read_request *r, void (*wake)(void *argument), void *argument);
/* True if the bytes had to come from storage. */
bool storage_read_was_cold(const read_request *r);
/* The outcome; frees the request. Blocks while the read is under way: so wait for it first, unless
 * the query is over. Takes NULL. */
CHECKED status storage_read_finish(read_request *r);
/* Tells the system that the range will be read soon. Never fails. */
void storage_read_announce(const file *f, uint64_t offset, uint64_t bytes);

#endif
