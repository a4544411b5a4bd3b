/* optimize.h - the rules that rewrite a plan, between the binder and the executor. */
#ifndef PISTACHIO_PLAN_RULES_OPTIMIZE_H
#define PISTACHIO_PLAN_RULES_OPTIMIZE_H

#include "plan/tree/plan.h"

/* Rewrites the statement in place by every rule (optimizer_rules.def) that is not in
 * statement->rules_off: the plan is equivalent, free of EXPR_SUBQUERY, and carries the decisions
 * that the executor follows. Sets rule_nanoseconds. A plan that is not valid then, in debug builds
 * after any rule, is an internal error that names the rule. */
CHECKED status plan_optimize(plan_statement *statement);

#endif
