/* kept.h - the context and the module, which the process has once. */
#ifndef PISTACHIO_DEVICE_CUDA_KEPT_H
#define PISTACHIO_DEVICE_CUDA_KEPT_H

#include "device/cuda/cuda.h"

/* The device's context: the process's, which is retained once. */
CHECKED status cuda_kept_context(cuda_device *dev);
/* False: the file of kernels is not loaded yet. */
bool cuda_kept_module(cuda_device *dev, const char *path);
void cuda_kept_add_module(const cuda_device *dev, const char *path);
/* The context is of no use any more, to any device of the process. */
void cuda_kept_lose(cuda_device *dev);

#endif
