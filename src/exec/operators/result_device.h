/* result_device.h - a batch that stays in the memory of a lazy device. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_DEVICE_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_DEVICE_H

#include "exec/operators/result_copy.h"

/* As result_copy_start, and ends as that: but columns are laid out on the device, in memory that is the batch's alone, and
 * only what kernels reported and how many NULLs there are is copied. Columns of the chunk become FLAT. */
CHECKED status result_device_start(exec_task *task, chunk *c, exec_device_layout layout,
                                   result_copy *out);
/* For a batch that result_copy_finish gave: NULLs are counted. */
void result_device_settle(exec_batch *batch);

#endif
