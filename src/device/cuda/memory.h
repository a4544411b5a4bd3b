/* memory.h - memory of the CUDA device, and pinned memory of the host. */
#ifndef PISTACHIO_DEVICE_CUDA_MEMORY_H
#define PISTACHIO_DEVICE_CUDA_MEMORY_H

#include "device/cuda/cuda.h"

CHECKED status cuda_memory_open(cuda_device *dev);
void cuda_memory_close(cuda_device *dev);
CHECKED status cuda_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out);
/* Pinned memory, or pageable where copies are to go through that. Not charged to the budget. */
CHECKED status cuda_host_alloc(device *dev, size_t bytes, const char *who, void **out);
/* Pinned in any case: what the device writes by itself. Goes by cuda_host_free. */
CHECKED status cuda_pinned_alloc(cuda_device *dev, size_t bytes, const char *who, void **out);
void cuda_host_free(device *dev, void *address, size_t bytes);
void cuda_host_piece(device *dev, const void *address, void **out_start, size_t *out_bytes);
/* The address is in memory that was taken for copies. */
bool cuda_is_host(const cuda_device *dev, const void *address, bool *out_is_pinned);
void cuda_release(dev_buffer *buffer);
void cuda_export(dev_buffer *buffer);
size_t cuda_lend(dev_buffer *buffer);
CHECKED status cuda_memory_notify(dev_stream *stream, void (*wake)(void *), void *argument,
                                  bool *out_will);
bool cuda_memory_wait(device *dev);

#endif
