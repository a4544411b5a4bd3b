/* read_engine.h - inside the storage layer: what executes reads, and what they report to.
 *
 *     read.c ── parts ──> read_ring.c (io_uring), or, where that is not allowed,
 *                         read_threads.c (threads that call pread) ── read_part_done ─> read.c
 *     read.c ── parts that the page cache has ─> copiers.c */
#ifndef PISTACHIO_STORAGE_READ_ENGINE_H
#define PISTACHIO_STORAGE_READ_ENGINE_H

#include "storage/copiers.h"
#include "storage/device.h"
#include "storage/read_queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A piece of a request that is one read of the system. The engine's while it is under way. */
typedef struct read_part {
    read_item item; /* its place in an engine's queue; first, as that gives it back */
    struct read_request *request;
    storage_device *device; /* whose queue it goes to */
    int descriptor;
    uint64_t offset;
    char *target;
    int slot; /* of the target's memory (registered.h); -1: none */
    size_t bytes;
    copier_item copy;
} read_part;

/* Each takes a part, whose outcome goes to read_part_done, from a thread of the engine's. */

/* False: this process may not use io_uring; the part was not taken. */
bool read_ring_submit(read_part *part);
/* A failure: no thread could be started; the part was not taken. */
CHECKED status read_threads_submit(read_part *part);

/* The ring gets to know memory by a number below READ_RING_SLOTS. False: it may not. No read into
 * it is under way when it is forgotten. */
#define READ_RING_SLOTS 128
bool read_ring_register(unsigned slot, void *address, size_t bytes);
void read_ring_forget(unsigned slot);

/* result: as pread's, with -errno for an error. */
void read_part_done(read_part *part, ssize_t result);

#endif
