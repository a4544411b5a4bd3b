/* rewrite_outer_joins.h - outer joins that conditions make narrower. */
#ifndef PISTACHIO_PLAN_RULES_REWRITE_OUTER_JOINS_H
#define PISTACHIO_PLAN_RULES_REWRITE_OUTER_JOINS_H

#include "plan/tree/column_set.h"

/* The columns of its sides. */
CHECKED status plan_join_sides(plan_statement *s, const plan_node *join, column_set *left,
                               column_set *right);
/* A condition above the join that no row with NULLs for one side passes makes that side's rows required: an outer
 * join becomes a narrower one. */
CHECKED status plan_narrow_outer_join(plan_statement *s, plan_node *join,
                                      const expr_list *conditions);
/* An outer join of which a condition keeps only rows without a partner, as an anti join under a projection that has
 * the other side's columns as NULLs; another node is given as it is. */
CHECKED status plan_anti_of_outer_join(plan_statement *s, plan_node *join,
                                       const expr_list *conditions, plan_node **out);
/* Makes an outer join's columns if its rows are those of `kept` alone, a side or what has become of it: the other
 * columns are NULL. */
CHECKED status plan_pad_columns(plan_statement *s, const plan_node *join, plan_node *kept,
                                plan_node **out);

#endif
