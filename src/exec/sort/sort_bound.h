/* sort_bound.h - top-k. */
#ifndef PISTACHIO_EXEC_SORT_SORT_BOUND_H
#define PISTACHIO_EXEC_SORT_SORT_BOUND_H

#include "exec/sort/sort.h"

/* For open, when the keys are known: whether rows can be held against what all tasks and scans share
 * (runtime_bound.h). The others are dropped by sort_bound_apply. */
CHECKED status sort_bound_share(op_sort *op, exec_layout input);
/* The rows are a task's best, in order and on the host: what comes after the last of them, if they
 * are as many as the limit, is not asked for. */
CHECKED status sort_bound_publish(const op_sort *op, const chunk *best);
/* The tasks' best rows are known together, by their keys: each row that a task keeps is offered. */
bool sort_bound_is_offered(const op_sort *op);
/* Offers rows [first, end) of a chunk on the host. */
CHECKED status sort_bound_offer(op_sort *op, const chunk *rows, uint64_t first, uint64_t end);
/* Offers those of the rows that sort_list gave that were not among the first `offered` before. */
CHECKED status sort_bound_offer_rest(op_sort *op, const chunk *best, uint64_t offered);
/* Drops the chunk's rows that the shared bound excludes. */
exec_result sort_bound_select(const op_sort *op, exec_task *task, bound_filter *filter, chunk *c);
/* Makes the bound of a task that has as many rows as the limit, in order: what comes after the last of them is not
 * asked for. *out is NULL if there are fewer, or the key is text. */
CHECKED status sort_bound_new(const op_sort *op, exec_task *task, const chunk *best,
                              dev_buffer **out);
/* Drops the chunk's rows that come after the bound. */
CHECKED status sort_bound_apply(const op_sort *op, exec_task *task, const dev_buffer *bound,
                                chunk *c);

#endif
