/* op_limit.h - what the two ways of LIMIT share: any rows (op_limit.c), the first ones (op_reorder.c). */
#ifndef PISTACHIO_EXEC_OPERATORS_OP_LIMIT_H
#define PISTACHIO_EXEC_OPERATORS_OP_LIMIT_H

#include "exec/sched/operator.h"

/* The number of the first row behind those that a LIMIT node passes; UINT64_MAX: there is none. */
uint64_t limit_end(const plan_node *limit);

/* Says, of a chunk whose first row is row number `first`, how many rows to leave out in front, and after which one to
 * stop: nothing is passed if *out_skip is not below *out_stop. */
void limit_range(const plan_node *limit, uint64_t first, uint64_t rows, uint64_t *out_skip,
                 uint64_t *out_stop);

/* Cuts the chunk, whose count is exact, to its rows [skip, stop). */
CHECKED status limit_cut(exec_task *task, chunk *c, uint64_t skip, uint64_t stop);

#endif
