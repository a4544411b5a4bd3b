/* device.h - storage devices that files are on: how large requests to each should be, and how many
 * of them under way at once.
 *
 * By calibration (calibrate.h), where the device was measured: the least memory under way that gave
 * 95 % of the best bandwidth, but a few MiB. Else what most disks read well with. */
#ifndef PISTACHIO_STORAGE_DEVICE_H
#define PISTACHIO_STORAGE_DEVICE_H

#include "storage/calibrate.h"
#include "storage/read_queue.h"

typedef struct storage_device {
    uint64_t number; /* as in file_version */
    size_t request_bytes;
    unsigned depth;
    /* Ranges with at most gap_bytes between them are one read, unless they would be more than range_bytes. */
    uint64_t gap_bytes, range_bytes;
    /* For read_ring.c, under its lock. */
    unsigned under_way;
    read_queue queue;
    /* Parts that wait because enough are under way: more would not be read any sooner. */
    _Atomic unsigned waiting;
} storage_device;

/* The device, the same for all callers, for as long as the process lives; what is kept of its
 * calibration is looked up once. Any thread. */
storage_device *storage_device_find(uint64_t number);
/* The one after `before`, or the first, or NULL. */
storage_device *storage_device_each(storage_device *before);
/* How a device with that calibration is best read. */
void storage_device_choose(const calibration *c, size_t *out_request_bytes, unsigned *out_depth);

#endif
