/* trace.h - what streams were told last. */
#ifndef PISTACHIO_DEVICE_CUDA_TRACE_H
#define PISTACHIO_DEVICE_CUDA_TRACE_H

#include "device/cuda/cuda.h"

/* Under the stream's lock: notes commands that the driver is about to be told, one launch if there are several; tells
 * them where they are traced. */
void cuda_trace_begin(cuda_stream *stream, cuda_command *const *commands, unsigned count);
/* Adds to a failure the launches that the stream, or another one, may still have to end. */
CHECKED status cuda_trace_name_launches(const cuda_stream *stream, status st);

#endif
