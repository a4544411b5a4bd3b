/* window.h - commands put together before they are begun. */
#ifndef PISTACHIO_DEVICE_CUDA_WINDOW_H
#define PISTACHIO_DEVICE_CUDA_WINDOW_H

#include "device/cuda/cuda.h"

/* Adds a command, behind those that use what it uses; an event comes behind all of them. Takes the
 * stream's lock. */
CHECKED status cuda_window_add(cuda_stream *stream, const cuda_command *command,
                               const kernel_use *uses, unsigned use_count);
/* Under the stream's lock: has the driver do what the window has. A call that fails loses the device. */
void cuda_window_flush(cuda_stream *stream);
void cuda_stream_flush(dev_stream *stream);

#endif
