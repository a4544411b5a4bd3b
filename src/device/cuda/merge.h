/* merge.h - small kept buffers that become a large one. */
#ifndef PISTACHIO_DEVICE_CUDA_MERGE_H
#define PISTACHIO_DEVICE_CUDA_MERGE_H

#include "device/cuda/cuda.h"

/* Returns the buffer of a block of memory that is in use. */
cuda_buffer *cuda_block_owner(const cuda_device *dev, uint32_t block);
/* Under the device's lock: one of at least so many bytes, of kept ones; or NULL. */
cuda_buffer *cuda_merge_kept(cuda_device *dev, size_t room);
/* Splits a kept block of the class or of a larger one that was merged into what it was before. */
bool cuda_split_kept(cuda_device *dev, unsigned class);
/* With those that were merged into it. */
void cuda_buffer_free(cuda_buffer *buffer);

#endif
