/* op_park.h - lists, structs and maps wait in a place of their own while a sort orders the rows that they are of.
 *
 *     rows ── park ──> sort, windows ──> unpark ── rows
 *               │  values that say which row       ^
 *               └───────────── kept ───────────────┘
 *
 * What orders rows moves eight bytes for each, and knows nothing of what these mean. */
#ifndef PISTACHIO_EXEC_OPERATORS_OP_PARK_H
#define PISTACHIO_EXEC_OPERATORS_OP_PARK_H

#include "exec/sched/operator.h"

/* Whether rows of the node have such columns. */
bool exec_has_nested(const plan_node *node);
/* `from`: the node whose rows are parked; `to`: the node whose rows get their values back, when the last row was parked. */
CHECKED status op_park_open(exec_query *query, const plan_node *from, exec_operator **out);
CHECKED status op_unpark_open(exec_query *query, exec_operator *park, const plan_node *to,
                              exec_operator **out);

#endif
