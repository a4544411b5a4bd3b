/* copy.h - copies by the CUDA device. */
#ifndef PISTACHIO_DEVICE_CUDA_COPY_H
#define PISTACHIO_DEVICE_CUDA_COPY_H

#include "device/cuda/cuda.h"

CHECKED status cuda_copy_in(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_copy(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_zero(dev_stream *stream, void *target, size_t bytes);
CHECKED status cuda_copy_from(dev_stream *stream, void *target, device *from, const void *source,
                              size_t bytes);

#endif
