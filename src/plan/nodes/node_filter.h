/* node_filter.h - filters made by rules. */
#ifndef PISTACHIO_PLAN_NODES_NODE_FILTER_H
#define PISTACHIO_PLAN_NODES_NODE_FILTER_H

#include "plan/tree/plan.h"

/* A filter above the node, or the node itself where there are no conditions. */
CHECKED status plan_filter_over(arena *a, plan_node *node, const expr_list *conditions,
                                plan_node **out);

#endif
