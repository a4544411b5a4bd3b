/* result_entries.h - a column of few entries, as of a short dictionary. */
#ifndef PISTACHIO_EXEC_OPERATORS_RESULT_ENTRIES_H
#define PISTACHIO_EXEC_OPERATORS_RESULT_ENTRIES_H

#include "exec/operators/op_result.h"

/* True: the column of so many rows is better shaped by its entries, which are few, and texts of them little. */
bool exec_batch_has_entries(const tensor *t, uint64_t rows);
/* Makes such a one the batch's column, on a host device: shaped, unless the limit of memory forbade that. */
CHECKED status exec_batch_put_entries(exec_batch *batch, uint32_t index, dev_stream *stream,
                                      tensor *t, const exec_batch_shape *shape);

#endif
