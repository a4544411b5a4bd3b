/* rewrite_dependent_order.h - inside dependent joins: the order in which a window's rows come. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_ORDER_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_DEPENDENT_ORDER_H

#include "plan/tree/plan.h"

/* Adds the keys by which the rows of `below` are sorted, which a window's own keys may leave open: row_number() OVER () counts in
 * that order, and dependent joins drop the sort. `below` gives the keys out from now on. Nothing is added where the keys
 * are not columns. */
CHECKED status dependent_given_order(arena *a, plan_node *below, plan_sort_key_list *out);

#endif
