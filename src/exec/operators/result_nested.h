/* result_nested.h - lists, structs and maps of a batch: a column's children are columns of a batch of their own. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_NESTED_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_NESTED_H

#include "exec/operators/op_result.h"

/* The rows of a nested tensor, on a host device, as a column of a batch: its children are in order and FLAT, whatever they
 * were. `owner`: the device of the batch, which its children's batches hold, too. */
CHECKED status exec_batch_put_nested(device *owner, dev_stream *stream, tensor *t, uint64_t rows,
                                     exec_batch_column *column);
/* Makes values of the type of a column that a lazy device had as bytes, in memory of dev_host. */
CHECKED status exec_batch_unpack_nested(exec_batch *batch, uint32_t index, data_type type);

/* Nested columns of a batch become blobs of their rows' bytes (device/nested_pack.h). Of a batch without such columns
 * nothing is done. */
CHECKED status exec_batch_pack_nested(exec_batch *batch);

#endif
