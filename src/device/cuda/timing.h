/* timing.h - how long kernels take. */
#ifndef PISTACHIO_DEVICE_CUDA_TIMING_H
#define PISTACHIO_DEVICE_CUDA_TIMING_H

#include "device/cuda/cuda.h"

/* Under the stream's lock, but for cuda_timing_free. */
struct timed_launch;
/* Comes before the launch; NULL: it is not timed. */
struct timed_launch *cuda_timing_begin(cuda_stream *stream, dev_work *work);
void cuda_timing_end(cuda_stream *stream, struct timed_launch *launch); /* takes NULL */
/* Counts launches that have ended. */
void cuda_timing_count(cuda_stream *stream);
void cuda_timing_free(cuda_stream *stream);

#endif
