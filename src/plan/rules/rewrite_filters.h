/* rewrite_filters.h - conditions moved down into a plan. */
#ifndef PISTACHIO_PLAN_RULES_REWRITE_FILTERS_H
#define PISTACHIO_PLAN_RULES_REWRITE_FILTERS_H

#include "plan/tree/plan.h"

/* Puts a plan that is the node under a filter of the conditions in its place, each condition as far
 * down as it can be. */
CHECKED status plan_push_conditions(plan_statement *statement, expr_list *conditions,
                                    plan_node **node);

#endif
