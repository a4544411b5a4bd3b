/* reuse.h - memory that a stream takes again at once. */
#ifndef PISTACHIO_DEVICE_CUDA_REUSE_H
#define PISTACHIO_DEVICE_CUDA_REUSE_H

#include "device/cuda/cuda.h"

uint64_t cuda_stream_new_id(void);
/* The stream is told to use blocks. Under no lock. */
CHECKED status cuda_reuse_note(cuda_stream *stream, const window_use *uses, unsigned count);
/* Under the device's lock: whether a released buffer is kept for the stream that alone uses it. */
bool cuda_reuse_keep(cuda_device *dev, cuda_buffer *buffer);
/* Under the device's lock: what was kept is anybody's once streams have passed. */
void cuda_reuse_end(cuda_stream *stream);
void cuda_reuse_end_all(cuda_device *dev);
/* One that the calling task's stream has released, of the class, still charged; or NULL. */
cuda_buffer *cuda_reuse_take(cuda_device *dev, unsigned class, size_t bytes);

#endif
