/* op_window.h - what the making of pipelines asks of windows. */
#ifndef PISTACHIO_EXEC_WINDOW_OP_WINDOW_H
#define PISTACHIO_EXEC_WINDOW_OP_WINDOW_H

#include "exec/sched/operator.h"

/* Whether a partition of the node may be cut between peers, so that several tasks evaluate it. */
bool op_window_may_divide(const plan_node *plan);

#endif
