/* distribute_filters.h - runtime filters of all ranks' build rows. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_FILTERS_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_FILTERS_H

#include "plan/distribute/distribute_site.h"

/* After all is placed: scans take the filters that are right for their rows. */
void distribute_filters(distributor *d);

#endif
