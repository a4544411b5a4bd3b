/* rewrite_dependent.h - plans that read columns of other rows, for each of these rows. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_H

#include "base/status.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"

/* The right side that a dependent join has become: rows for each distinct combination of the values that it reads of
 * the left side, which stand beside them. */
typedef struct plan_dependent {
    plan_node *plan;
    expr_list outer;  /* columns of the left side; none: it reads nothing of it */
    expr_list domain; /* the same columns of the plan */
    expr_list values; /* and what else is the same for all rows of a combination */
    bool null_equal;  /* of joins by outer = domain: NULL is a value */
} plan_dependent;

/* Makes such a plan of one that reads columns of *left, and of an expression that is to be computed
 * beside it (NULL: none), in which the columns are replaced. *left may become another plan with the
 * same columns. Subqueries in the plan are still to be rewritten. Fails as not supported where it
 * reads columns that *left does not have. */
CHECKED status plan_make_dependent(plan_statement *s, plan_node **left, plan_node *plan,
                                   int32_t position, expr **beside, plan_dependent *out);
/* A join of `left` with the plan by the columns that it reads of it, and what `condition` says. */
CHECKED status plan_join_dependent(plan_statement *s, plan_join_type type, plan_node *left,
                                   const plan_dependent *dependent, expr *condition,
                                   plan_node **out);

#endif
