/* distribute_apart.h - inside plan_distribute: aggregates without groups that cannot be made together. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_APART_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_APART_H

#include "plan/distribute/distribute_site.h"

/* Divides an aggregate without groups, whose child is at *io, if its aggregates are quantiles, or of distinct values of
 * several expressions: each kind is made by itself. make: makes one of other aggregates, or of distinct values of one
 * expression. *out_is_done: false, if nothing was done. */
CHECKED status distribute_apart(distributor *d, plan_node **slot, site *io,
                                status (*make)(distributor *d, plan_node **slot, site *io),
                                bool *out_is_done);

#endif
