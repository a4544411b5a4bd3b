/* node_series.h - series without values. */
#ifndef PISTACHIO_PLAN_NODES_NODE_SERIES_H
#define PISTACHIO_PLAN_NODES_NODE_SERIES_H

#include "plan/tree/plan.h"

/* Constants that it counts between say that it has no values. */
bool plan_series_is_empty(const plan_node *node);

#endif
