/* device.c - the process's list of storage devices: few, and never forgotten. */
#include "storage/device.h"

#include "base/system/mutex.h"
#include "storage/read.h"

#include <pthread.h>
#include <stdatomic.h>

#define REQUEST_BYTES ((size_t)1 << 20)
#define DEPTH 32
/* Reading a gap takes less time than one read more; the first column need not wait for the last. */
#define GAP_BYTES ((uint64_t)64 << 10)
#define RANGE_BYTES ((uint64_t)4 << 20)
/* An object store answers after some 20 ms, and gives some 50 to 100 MB/s in one answer. */
#define STORE_REQUEST_BYTES ((size_t)8 << 20)
#define STORE_GAP_BYTES ((uint64_t)1 << 20)
#define STORE_RANGE_BYTES ((uint64_t)16 << 20)
/* Bytes of a request that a file of calibrations may ask for. */
#define REQUEST_BYTES_MIN ((uint64_t)64 << 10)
#define REQUEST_BYTES_MAX ((uint64_t)16 << 20)
#define DEPTH_MAX 256
/* Under way at least: whoever takes what is done, and submits the next, may have to wait for a
 * core, which the thread that calibrates does not. No more than that without need: some devices
 * are slower when reads end in more memory than processors cache. */
#define UNDER_WAY_BYTES ((uint64_t)4 << 20)
#define DEVICE_COUNT 64 /* the last one stands for all beyond */

static storage_device devices[DEVICE_COUNT];
static _Atomic unsigned device_count; /* those before it are made, and stay */
static pthread_mutex_t lock = MUTEX_INITIALIZER;

static bool is_sensible(const calibration_trial *t)
{
    return t->request_bytes >= REQUEST_BYTES_MIN && t->request_bytes <= REQUEST_BYTES_MAX &&
           t->request_bytes % STORAGE_BLOCK == 0 && t->depth >= 1 && t->depth <= DEPTH_MAX;
}

void storage_device_choose(const calibration *c, size_t *out_request_bytes, unsigned *out_depth)
{
    uint64_t enough = calibration_best(c)->bytes_per_second / 20 * 19, least = UINT64_MAX;
    *out_request_bytes = REQUEST_BYTES;
    *out_depth = DEPTH;
    for (unsigned i = 0; i < c->trial_count; i++) {
        const calibration_trial *t = &c->trials[i];
        if (!is_sensible(t) || t->bytes_per_second < enough || t->request_bytes * t->depth >= least)
            continue;
        least = t->request_bytes * t->depth;
        *out_request_bytes = t->request_bytes;
        *out_depth = (unsigned)t->depth;
    }
    uint64_t least_depth = UNDER_WAY_BYTES / *out_request_bytes;
    if (*out_depth < least_depth)
        *out_depth = least_depth < DEPTH_MAX ? (unsigned)least_depth : DEPTH_MAX;
}

static storage_device *find(uint64_t number)
{
    unsigned count = atomic_load(&device_count);
    for (unsigned i = 0; i < count; i++)
        if (devices[i].number == number)
            return &devices[i];
    return NULL;
}

/* Under the lock. */
static storage_device *add(uint64_t number)
{
    unsigned count = atomic_load(&device_count);
    storage_device *device = find(number);
    calibration c = {0};
    if (device || count == DEVICE_COUNT)
        return device ? device : &devices[count - 1];
    device = &devices[count];
    *device = (storage_device){.number = number,
                               .request_bytes = REQUEST_BYTES,
                               .depth = DEPTH,
                               .gap_bytes = GAP_BYTES,
                               .range_bytes = RANGE_BYTES};
    if (number & FILE_DEVICE_IS_STORE) {
        device->request_bytes = STORE_REQUEST_BYTES;
        device->gap_bytes = STORE_GAP_BYTES;
        device->range_bytes = STORE_RANGE_BYTES;
    }
    if (calibration_find(number, &c))
        storage_device_choose(&c, &device->request_bytes, &device->depth);
    atomic_store(&device_count, count + 1);
    return device;
}

storage_device *storage_device_find(uint64_t number)
{
    storage_device *device = find(number);
    if (device)
        return device;
    mutex_lock(&lock);
    device = add(number);
    mutex_unlock(&lock);
    return device;
}

storage_device *storage_device_each(storage_device *before)
{
    unsigned next = before ? (unsigned)(before - devices) + 1 : 0;
    return next < atomic_load(&device_count) ? &devices[next] : NULL;
}
