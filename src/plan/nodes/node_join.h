/* node_join.h - the columns of joins. */
#ifndef PISTACHIO_PLAN_NODES_NODE_JOIN_H
#define PISTACHIO_PLAN_NODES_NODE_JOIN_H

#include "plan/tree/plan.h"

/* The columns that a join of this type makes. */
CHECKED status plan_join_columns(arena *a, plan_node *join);

#endif
