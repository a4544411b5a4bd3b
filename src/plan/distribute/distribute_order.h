/* distribute_order.h - inside plan_distribute: rows in an order, a range of it on each rank. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_ORDER_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_ORDER_H

#include "plan/distribute/distribute_site.h"

/* Puts an exchange above the node at the slot that sends rows by ranges of an order, whose keys are columns.
 * keeps_equals: rows with equal keys meet. */
CHECKED status distribute_exchange_order(distributor *d, plan_node **slot,
                                         const plan_sort_key_list *order, bool keeps_equals);
/* Returns whether ranks are best to sort a range each, of rows of which each rank has a part. */
bool distribute_may_order(const distributor *d, const plan_node *sort);
/* Returns whether the sort's keys are columns of its child. */
bool distribute_keys_are_columns(const plan_node *sort);
/* Does so with the sort at the slot. Rank 0 gets the ranges one after the other, or they stay where they are because the
 * statement keeps parts. */
CHECKED status distribute_order(distributor *d, plan_node **slot, site *out);

#endif
