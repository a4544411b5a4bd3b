/* distribute_heavy.h - joins that keep probe rows of heavy keys where they are. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_HEAVY_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_HEAVY_H

#include "plan/distribute/distribute_site.h"

/* Rows are where the site's keys say: no join below keeps heavy keys' elsewhere, or moves rows. */
void distribute_rely(const site *s);
/* Whether the join, both of whose sides are repartitioned, may keep probe rows of
 * heavy keys where they are. */
bool distribute_may_keep(const distributor *d, const plan_node *join);
/* After all is placed: gives joins that do so their numbers. */
void distribute_number_heavy(const distributor *d);

#endif
