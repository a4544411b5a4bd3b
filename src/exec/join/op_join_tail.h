/* op_join_tail.h - rows of a join that are made after all probing. */
#ifndef PISTACHIO_EXEC_JOIN_OP_JOIN_TAIL_H
#define PISTACHIO_EXEC_JOIN_OP_JOIN_TAIL_H

#include "exec/join/op_join.h"

/* After all probing, the build rows that RIGHT and FULL (without a match), SEMI
 * (with one) and ANTI (without) give. */
CHECKED status join_tail_new(op_join_build *join, exec_operator **out);
/* Gives those of the side's rows [first, first + count), first a multiple of 64, that the join's type gives now; *out
 * NULL: there are not any. */
CHECKED status join_tail_rows(const op_join_build *join, const join_side *side, exec_task *task,
                              uint64_t first, uint64_t count, chunk **out);

#endif
