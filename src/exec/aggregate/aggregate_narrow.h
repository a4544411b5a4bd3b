/* aggregate_narrow.h - sums of NARROW columns: aggregates without groups take what the column cache has as it is. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_NARROW_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_NARROW_H

#include "exec/aggregate/op_aggregate.h"

/* Finds the expressions that may come NARROW: columns of the input that are arguments of sums, means and counts alone.
 * The program is compiled from `exprs`. */
CHECKED status aggregate_narrow_find(op_aggregate *op, const expr_list *exprs,
                                     uint32_t column_count);

/* Returns the expression's values if its column came NARROW, borrowed from the input; NULL: it is to be evaluated. */
static inline tensor *aggregate_narrow_values(const op_aggregate *op, uint32_t number,
                                              const chunk *input)
{
    tensor *t = op->narrow[number] < 0 ? NULL : input->columns[op->narrow[number]];
    return t && t->form == TENSOR_NARROW && !t->base ? t : NULL;
}

#endif
