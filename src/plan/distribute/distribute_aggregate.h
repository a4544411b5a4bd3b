/* distribute_aggregate.h - inside plan_distribute: what its files share, and aggregates. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_AGGREGATE_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_AGGREGATE_H

#include "plan/distribute/distribute_site.h"

/* The aggregate at the slot, whose child is at *io: adds what it needs, perhaps nodes above it. */
CHECKED status distribute_aggregate(distributor *d, plan_node **slot, site *io);

#endif
