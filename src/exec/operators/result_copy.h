/* result_copy.h - a batch's way from a lazy device into pinned memory. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_COPY_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_COPY_H

#include "exec/operators/op_result.h"

/* Zeroed: none. */
typedef struct result_copy {
    chunk *
        flat; /* what is copied: long strings in one heap for each column; NULL: it stays on the device */
    exec_batch *batch;
    dev_event *event;
    dev_moment since;
} result_copy;

/* Enqueues the copies of a chunk whose count is exact. Ends in result_copy_finish or
 * result_copy_close. */
CHECKED status result_copy_start(exec_task *task, chunk *c, result_copy *out);
/* The batch, awaited if it is not there, or what kernels reported before it; NULL if there was none. Closes the copy, also on failure.
 */
CHECKED status result_copy_finish(exec_task *task, result_copy *copy, exec_batch **out);
/* Forgets it. Takes a zeroed one. */
void result_copy_close(device *dev, result_copy *copy);

#endif
