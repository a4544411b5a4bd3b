/* rewrite_dependent_value.h - subqueries and lateral joins as dependent plans. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_VALUE_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_VALUE_H

#include "plan/tree/plan.h"

/* The value of a subquery in an expression beside the rows of *node, which grows by a join. */
CHECKED status plan_dependent_value(plan_statement *s, plan_node **node, const expr *e, expr **out);
/* The join, whose right side reads columns of the left one. */
CHECKED status plan_lateral_join(plan_statement *s, plan_node *join, plan_node **out);

#endif
