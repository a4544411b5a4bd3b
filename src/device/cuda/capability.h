/* capability.h - a GPU's generation, which is known before it is opened. */
#ifndef PISTACHIO_DEVICE_CUDA_CAPABILITY_H
#define PISTACHIO_DEVICE_CUDA_CAPABILITY_H

#include "base/status.h"

/* Asks the driver for the compute capability of the device with this number. */
CHECKED status dev_cuda_capability(unsigned ordinal, int *out_major, int *out_minor);

#endif
