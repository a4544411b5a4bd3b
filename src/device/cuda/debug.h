/* debug.h - names of what the CUDA device was told to do, and what it does only where an environment variable asks for it.
 *
 *   PISTACHIO_CUDA_TRACE=1         each launch and each copy is told on standard error, with its arguments, and awaited
 *                                  before the next one: the last line names the one that failed
 *   PISTACHIO_CUDA_TIMEOUT=SECONDS a stream that does nothing for so long, while a thread waits for it, loses the device;
 *                                  the error names its launches
 *   PISTACHIO_CUDA_POOL=off        each buffer has a mapping of its own that ends where the buffer does, with a gap
 *                                  behind it, and goes when the buffer is released: compute-sanitizer sees an overrun */
#ifndef PISTACHIO_DEVICE_CUDA_DEBUG_H
#define PISTACHIO_DEVICE_CUDA_DEBUG_H

#include "base/status.h"
#include "device/cuda/extra.h"

#include <stdatomic.h>

typedef struct cuda_debug {
    bool is_traced, has_no_pool;
    uint64_t timeout; /* nanoseconds; 0: none */
} cuda_debug;

/* Reads the variables. */
CHECKED status cuda_debug_read(cuda_debug *out);

#define CUDA_LAST_LAUNCHES 16

/* Launches that a stream was told last. Written under the stream's lock, read without it. */
typedef struct cuda_last_launches {
    _Atomic uint64_t count;
    struct {
        _Atomic uint64_t clock;   /* the device's, when it was enqueued */
        _Atomic cuda_entry entry; /* CUDA_ENTRIES: nvCOMP */
    } of[CUDA_LAST_LAUNCHES];
} cuda_last_launches;

/* How long a thread has waited for a stream that stands still. Zero at first. */
typedef struct cuda_patience {
    const void *stream;
    uint64_t progress, since;
} cuda_patience;

const char *cuda_debug_kernel_name(dev_kernel_id kernel);
/* The function's in the file of kernels. */
const char *cuda_debug_entry_name(cuda_entry entry);
/* Writes a launch's arguments by name: addresses, counts, and the bytes of values. */
void cuda_debug_arguments(dev_kernel_id kernel, const void *arguments, char *text, size_t bytes);

#endif
