/* bind_composite_plan.h - the plans of aggregates that are made of others. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_COMPOSITE_PLAN_H
#define PISTACHIO_SQL_EXPRESSION_BIND_COMPOSITE_PLAN_H

#include "sql/types/binder.h"

/* Adds columns to *node's rows and aggregates to the scope, of which the scope's composites are made:
 * *results, over the groups, parallel to them. */
CHECKED status bind_composites(binder *b, bind_scope *scope, const expr_list *groups, bool has_sets,
                               plan_node **node, expr_list *results);
/* A projection over the groups that makes their columns. */
CHECKED status bind_composite_results(binder *b, const bind_scope *scope, const expr_list *results,
                                      plan_node **node);

#endif
