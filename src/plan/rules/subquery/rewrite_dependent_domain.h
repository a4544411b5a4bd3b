/* rewrite_dependent_domain.h - the combinations of values for which a dependent plan is computed. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_DOMAIN_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_DOMAIN_H

#include "plan/tree/plan.h"

typedef enum plan_domain_kind {
    DOMAIN_VALUES,
    DOMAIN_NUMBERED_VALUES, /* NULL is among them: their number is the last column */
    DOMAIN_ROWS /* of each row of the left side, whose number is its and the domain's last column */
} plan_domain_kind;

/* A plan of the columns `outer` of *left, for which a dependent plan is computed. *left may become another plan with the
 * same columns; of DOMAIN_ROWS with one more. */
CHECKED status plan_make_domain(plan_statement *s, plan_node **left, const plan_column_list *outer,
                                plan_domain_kind kind, plan_node **out);

#endif
