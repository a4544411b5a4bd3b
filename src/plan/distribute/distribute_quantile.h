/* distribute_quantile.h - inside plan_distribute: medians and quantiles without groups. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_QUANTILE_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_QUANTILE_H

#include "plan/distribute/distribute_site.h"

/* Returns whether ranges of the aggregate's values can give it. */
bool distribute_is_quantile(const plan_aggregate *aggregate);
/* Makes the aggregate at the slot, whose aggregates are quantiles of one argument under one filter, over ranges of its values;
 * its row is rank 0's. *out_is_done: false where it pays more that rank 0 gets all rows, and nothing was done. */
CHECKED status distribute_quantiles(distributor *d, plan_node **slot, bool *out_is_done);

#endif
