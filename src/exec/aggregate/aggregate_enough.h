/* aggregate_enough.h - DISTINCT and GROUP BY without aggregates under a LIMIT without an order: when
 * a task has found as many groups as are asked for, nobody needs more rows. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_ENOUGH_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_ENOUGH_H

#include "exec/aggregate/aggregate_local.h"

/* Shared by tasks. */
typedef struct aggregate_enough {
    uint64_t groups; /* that are asked for; 0: all */
    _Atomic bool is_reached;
} aggregate_enough;

/* Whether they are there; looks at the tables of a task, after its push number `pushes`. */
CHECKED status aggregate_enough_look(aggregate_enough *enough, aggregate_local *local,
                                     exec_task *task, uint64_t pushes, bool *out);

#endif
