/* distribute_distinct.h - inside plan_distribute: aggregates of distinct values. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_DISTINCT_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_DISTINCT_H

#include "plan/distribute/distribute_site.h"

/* Returns the one expression whose distinct values the node's aggregates are of; NULL: there is none, there
 * are several, or it is one of the groups. */
expr *distribute_distinct_argument(const plan_node *node);
/* Puts an aggregate below the node that leaves each value once for each group on each rank, where that makes rows
 * fewer. *io_argument becomes what stands for the argument then. */
CHECKED status distribute_distinct_early(distributor *d, plan_node *node, expr **io_argument);
/* Whether rows are best sent by the argument: the groups are so few that some ranks would have none. */
bool distribute_distinct_goes_first(const distributor *d, const plan_node *node);

#endif
