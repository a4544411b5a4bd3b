/* read_queue.h - reads that wait for a device, or for a reading thread, by who reads.
 *
 *     statement that has read 300 MB │▦▦▦▦▦▦▦▦▦▦▦   a part of 1 MB is 16 on,
 *     statement that has read   2 MB │▦▦            one of this is 1 on: whoever is least far is next
 *
 * Each who reads has a list, first come, first served, and a pass: the bytes that were taken of it, by how much its statement
 * has read so far. So what a short statement reads does not wait for all that a long one has asked for ahead. A list that
 * was empty begins at the pass of the one that was last served. All under the lock of the engine that has it. */
#ifndef PISTACHIO_STORAGE_READ_QUEUE_H
#define PISTACHIO_STORAGE_READ_QUEUE_H

#include <stdint.h>

/* A statement, or whoever else reads: devices are shared by these. Zeroed: it has read nothing. Stays until all
 * its reads are finished. */
typedef struct read_share {
    _Atomic uint64_t bytes; /* so far, counted as they go to the device; the engine's */
} read_share;

/* A read that waits, for a part of a request to hold. */
typedef struct read_item {
    read_share *share; /* whose read it is; NULL: nobody's in particular */
    uint64_t bytes;
    struct read_item *next; /* the queue's */
} read_item;

/* Lists at once: where more read, some have one together. */
#define READ_LISTS 16

typedef struct read_list {
    const read_share *share; /* of its first part, for comparison alone */
    uint64_t pass;
    read_item *first, **last; /* first NULL: it is nobody's */
} read_list;

/* Zeroed: empty. */
typedef struct read_queue {
    read_list lists[READ_LISTS];
    uint64_t pass;
} read_queue;

void read_queue_put(read_queue *queue, read_item *item);
/* Takes the next one out, or returns NULL. */
read_item *read_queue_take(read_queue *queue);

#endif
