/* distribute_overflow.h - joins whose broadcast may overflow. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_OVERFLOW_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_OVERFLOW_H

#include "plan/distribute/distribute_site.h"

/* The join's side, which is broadcast, may overflow, if it could be so large; io is the
 * join's site. */
CHECKED status distribute_may_overflow(distributor *d, plan_node *join, unsigned side, site *io);
/* No join of the site moves rows. */
void distribute_hold(const site *s);
/* Makes room for most_shared_rows; sets that of a shared plan, which is placed. */
CHECKED status distribute_most_new(distributor *d);
void distribute_note_most(distributor *d, uint32_t id);
/* After all is placed: gives joins that may overflow their numbers. */
void distribute_number_overflows(const distributor *d);

#endif
