/* repeatable.h - plans whose expressions give the same for equal rows. */
#ifndef PISTACHIO_PLAN_EDIT_REPEATABLE_H
#define PISTACHIO_PLAN_EDIT_REPEATABLE_H

#include "plan/tree/plan.h"

/* Its expressions give the same for equal rows whenever they are computed. What does not is computed once for each row
 * where it is written: nothing is moved through it, and it is not copied. */
bool plan_is_repeatable(const plan_node *node);
/* Neither the node nor what is below it, subqueries too, has a volatile function. Shared plans are not looked into: each
 * is evaluated once. */
bool plan_tree_is_repeatable(const plan_node *node);

#endif
