/* pool.h - buffers that are kept, by size. */
#ifndef PISTACHIO_DEVICE_CUDA_POOL_H
#define PISTACHIO_DEVICE_CUDA_POOL_H

#include "device/cuda/cuda.h"

/* The class for so many bytes, and how many it has. */
unsigned cuda_class_of(size_t bytes, size_t *out_room);
/* The largest class that has no more bytes. */
unsigned cuda_class_within(size_t bytes);
/* Under the device's lock: has its pool keep a buffer; takes one of a class from `class` to below `end`, or NULL. */
void cuda_pool_keep(cuda_buffer *buffer);
cuda_buffer *cuda_pool_take(cuda_pool *pool, unsigned class, unsigned end);

#endif
