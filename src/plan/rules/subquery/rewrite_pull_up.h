/* rewrite_pull_up.h - conditions taken out of a subquery that becomes a side of a join. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_PULL_UP_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_PULL_UP_H

#include "plan/tree/column_set.h"

/* Parts that are taken out of a subquery that becomes a side of a join. */
typedef struct plan_unnesting {
    plan_statement *statement;
    column_set inner;     /* all columns made inside the subquery */
    expr_list conditions; /* what was taken out */
    const plan_node *top; /* an aggregate without groups that may get some: no row of it and a row
                              of NULLs are the same above; or NULL */
    int32_t position;
} plan_unnesting;

/* Takes the conditions that read outer columns out of the plan, whose rows they are to be checked
 * with; fails as not supported where that is not all that reads them. */
CHECKED status plan_pull_up(plan_unnesting *u, plan_node *node, plan_node **out);
status plan_unnesting_unsupported(const plan_unnesting *u, const char *what);

#endif
