/* simulated.h - inside the simulated device: its memory, and translation of addresses. */
#ifndef PISTACHIO_DEVICE_SIMULATED_H
#define PISTACHIO_DEVICE_SIMULATED_H

#include "device/device.h"
#include "device/simulated/stream.h"

#define BLOCK_OF_ANY UINT32_MAX
/* The streams that have been told to use a block of memory. Under the device's lock. */
typedef struct block_use {
    uint32_t stream;     /* the only one, by its id; 0: none; BLOCK_OF_ANY */
    uint32_t renewed_by; /* the stream for which the memory was used again at once; */
    uint64_t renewed;    /* what it was told before this number may still use the old bytes; or 0 */
} block_use;

/* Runs a kernel on arguments that hold device addresses; changes the arguments. */
void simulated_run(dev_kernel_id kernel, void *arguments);

/* Queues what the window has. */
void simulated_flush(simulated_stream *stream);
void simulated_flush_all(simulated_device *dev);
/* Queues a command before what the window has. */
void simulated_enqueue(simulated_stream *stream, command *c, uint64_t number);
/* Has the stream wait until another one has done all that it was told. Fails for want of memory. */
CHECKED status simulated_wait_for_stream(simulated_stream *stream, simulated_stream *other);

#endif
