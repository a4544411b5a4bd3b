/* shared.h - plans that several nodes read: made, referred to, walked. */
#ifndef PISTACHIO_PLAN_EDIT_SHARED_H
#define PISTACHIO_PLAN_EDIT_SHARED_H

#include "plan/tree/plan.h"

/* Calls rewrite for the tree of each shared plan, in order, then for the root's. */
CHECKED status plan_each_tree(plan_statement *statement,
                              status (*rewrite)(plan_statement *statement, plan_node *node,
                                                plan_node **out));
/* Makes a plan a shared one, and a reference to one, whose columns are its own. Rules that share
 * plans put them in order afterwards: an earlier one never refers to a later one. */
CHECKED status plan_make_shared(plan_statement *s, plan_node *plan, uint32_t *out_id);
CHECKED status plan_shared_reference(plan_statement *s, uint32_t id, plan_node **out);
CHECKED status plan_order_shared(plan_statement *s);

#endif
