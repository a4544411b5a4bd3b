/* wake.h - the thread that wakes waiting tasks. */
#ifndef PISTACHIO_DEVICE_CUDA_WAKE_H
#define PISTACHIO_DEVICE_CUDA_WAKE_H

#include "device/cuda/cuda.h"

void cuda_waker_init(cuda_waker *waker);
CHECKED status cuda_waker_add(cuda_device *dev, dev_event *event);
void cuda_waker_release(cuda_waker *waker);

#endif
