/* distribute_cost.h - inside plan_distribute: bytes that ranks are sent, as a guess. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_COST_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_COST_H

#include "plan/distribute/distribute_site.h"

/* Returns the bytes of a node's rows, of the columns that travel. */
double distribute_bytes(const plan_node *node);
/* Returns the bytes of a join's side that its ranks send, runtime filters of the other side taken into account. */
double distribute_side_bytes(const plan_node *join, unsigned side);

/* Bytes that ranks receive, all together: of copies of a side on each rank, */
double distribute_copy_cost(const distributor *d, const plan_node *join, const site *sites,
                            unsigned side);
/* of a share of each side by its keys (none: the side stays), */
double distribute_repartition_cost(const distributor *d, const plan_node *join,
                                   const expr_list *keys, const double *shares);
/* and of both sides on rank 0, which then joins alone. */
double distribute_gather_cost(const distributor *d, const plan_node *join, const site *sites);

#endif
