/* read.h - reads that do not block: bytes that are in the page cache are there at once, others come
 * from storage by io_uring or by threads, and whoever waits for them is woken.
 *
 *     submit ── in the page cache ──────────────> done
 *        └──── parts ── io_uring | threads ── last part done ─> wake
 *
 * Direct reads go from the device to the target, past the page cache: that costs the processor next
 * to nothing, and leaves what is cached as it is. */
#ifndef PISTACHIO_STORAGE_READ_H
#define PISTACHIO_STORAGE_READ_H

#include "storage/file.h"
#include "storage/read_queue.h"

typedef struct read_request read_request;

/* The calling thread reads for `share` from now on; NULL: for nobody in particular. Returns the one before. */
read_share *storage_share_use(read_share *share);

/* Starts reading `bytes` bytes at `offset` into `target`, which must stay until
 * storage_read_finish. */
CHECKED status storage_read_submit(const file *f, uint64_t offset, void *target, size_t bytes,
                                   read_request **out);
/* Reads bytes that the page cache has, of which there are many: threads copy them while the caller goes on. What it has not after all is read
 * as by storage_read_submit. */
CHECKED status storage_read_submit_cached(const file *f, uint64_t offset, void *target,
                                          size_t bytes, read_request **out);
/* Reads bytes that are not in the page cache. offset, target and bytes are multiples of STORAGE_BLOCK; the end may
 * lie after the file's, then what is there is not defined. Where the file system has no direct reads, it is
 * storage_read_submit. */
#define STORAGE_BLOCK ((uint64_t)4096)
CHECKED status storage_read_submit_direct(const file *f, uint64_t offset, void *target,
                                          size_t bytes, read_request **out);
/* The page cache has all of the range, or so much of it that reading it again would not pay; also
 * where the system does not tell. */
bool storage_is_cached(const file *f, uint64_t offset, uint64_t bytes);

/* Reads that start from now on run by threads even where io_uring could be used. */
void storage_use_threads(bool threads);

/* False: the read is done. True: wake(argument) will be called once, from any thread, perhaps
 * before this returns, and before storage_read_finish does. */
bool storage_read_wait(read_request *r, void (*wake)(void *argument), void *argument);
/* Never waits. */
bool storage_read_is_done(read_request *r);
/* How many of the bytes had, or have, to come from storage. */
uint64_t storage_read_stored_bytes(const read_request *r);
/* Blocks until the read is done; whatever its outcome, storage_read_finish tells. */
void storage_read_block(read_request *r);
/* Makes another request of the same read, for one more who waits for its bytes; each is finished by itself, from any thread. The target stays until
 * all are. */
CHECKED status storage_read_share(read_request *r, read_request **out);
/* The outcome; frees the request. Blocks while the read is under way: so wait for it first, unless
 * the query is over; the read goes on, and nothing blocks, if others share it. Takes NULL. */
CHECKED status storage_read_finish(read_request *r);

#endif
