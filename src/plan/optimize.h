/* optimize.h - every rewrite of a plan, in order, between the binder and the executor. */
#ifndef PISTACHIO_PLAN_OPTIMIZE_H
#define PISTACHIO_PLAN_OPTIMIZE_H

#include "plan/plan.h"

/* Rewrites the statement in place: the plan is equivalent, free of EXPR_SUBQUERY, and carries the
 * decisions that the executor follows. */
CHECKED status plan_optimize(plan_statement *statement);

#endif
