/* copy.h - deep copies of plans. */
#ifndef PISTACHIO_PLAN_EDIT_COPY_H
#define PISTACHIO_PLAN_EDIT_COPY_H

#include "plan/tree/plan.h"

/* A deep copy of a plan with subqueries in it, which rewrites may change; with other ids for all
 * columns that are made in it. */
CHECKED status plan_copy(plan_statement *s, const plan_node *node, plan_node **out);
CHECKED status plan_copy_renamed(plan_statement *s, const plan_node *node, plan_node **out);

#endif
