/* cell.h - one value of a batch. */
#ifndef PISTACHIO_API_HANDLES_CELL_H
#define PISTACHIO_API_HANDLES_CELL_H

#include "exec/operators/op_result.h"

/* The value in memory as one on the host; not of texts and nested values. */
value api_value_at(const exec_batch_column *column, uint64_t row);

#endif
