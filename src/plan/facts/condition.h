/* condition.h - what conditions say: their parts, and which rows of NULLs they let pass. */
#ifndef PISTACHIO_PLAN_FACTS_CONDITION_H
#define PISTACHIO_PLAN_FACTS_CONDITION_H

#include "plan/tree/column_set.h"

/* The conjuncts of a condition, appended, as far as they can be true: what all arms of an OR have in common stands alone,
 * IS NOT DISTINCT FROM a constant is = or IS NULL. */
CHECKED status plan_split_condition(arena *a, expr *e, expr_list *conditions);
/* Gives what an OR says of one relation alone: each arm's conjuncts over it (p.a = 1 and q.b = 2 or p.a =
 * 3 and q.b = 4 implies p.a = 1 or p.a = 3). NULL: nothing. */
CHECKED status plan_implied_condition(arena *a, const expr *e, const column_set *relation,
                                      expr **out);
/* e is NULL wherever the columns of the set are. */
bool plan_is_null_with(const expr *e, const column_set *set);
/* No row in which all columns of the set are NULL can pass the condition. */
bool plan_rejects_nulls(const expr *e, const column_set *set);
/* Makes keys of what is compared by IS NOT DISTINCT FROM between the sides of a join that is neither an anti join
 * that heeds NULLs nor a mark join. Beside keys of `=` they are such in which NULL is
 * told apart, else NULL equals NULL among all of them. */
CHECKED status plan_take_null_keys(arena *a, plan_node *join, const column_set *left,
                                   const column_set *right);

#endif
