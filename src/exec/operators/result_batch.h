/* result_batch.h - batches of a result. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_BATCH_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_BATCH_H

#include "exec/operators/op_result.h"

/* A batch of the device's memory, without any yet. */
CHECKED status exec_batch_new(device *dev, uint32_t column_count, uint64_t row_count,
                              exec_batch **out);
void exec_batch_free(exec_batch *batch); /* takes NULL; any thread */
/* The values have been copied elsewhere: keeps only what strings among them point into. */
void exec_batch_keep_heaps(exec_batch *batch);
/* Returns the bytes of memory that texts of its columns lie in, which other batches may share. */
uint64_t exec_batch_text_bytes(const exec_batch *batch);
/* The batch goes to somebody who keeps it as long as he likes: its memory leaves the budget and is
 * counted as exported. Again: nothing. */
void exec_batch_export(exec_batch *batch);
/* Before that: a text column, but a shaped one, that uses less than half of the buffers behind it gets one of its
 * own, and values of any type that are few get memory of their own, so that little does not hold large pages. Addresses
 * of values and texts change. */
CHECKED status exec_batch_compact(exec_batch *batch, uint32_t column);
/* Room for them: in the place of the column's where these are as wide and nobody else sees them,
 * else new memory. */
CHECKED status exec_batch_make_values(exec_batch *batch, uint32_t column, data_type type,
                                      exec_batch_values *out);
/* The column has these from now on, and is shaped; NULLs and long texts remain. */
void exec_batch_put_values(exec_batch *batch, uint32_t column, exec_batch_values *values);
void exec_batch_drop_values(exec_batch_values *values);
/* Memory for what the batch is to hold: of the budget, unless it is leaving. It has a device. */
CHECKED status exec_batch_new_buffer(const exec_batch *batch, uint64_t bytes, dev_buffer **out);
/* How many parts a column's texts lie in, and each of them. */
uint32_t exec_batch_heap_count(const exec_batch_column *column);
exec_heap_part exec_batch_heap(const exec_batch_column *column, uint32_t index);

#endif
