/* distribute_shared.h - inside plan_distribute: rows that a statement reads several times. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_SHARED_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_SHARED_H

#include "plan/distribute/distribute_site.h"

/* Makes the placed node at the slot a shared plan, under other ids; a reference with the ids that it had takes its place.
 * Not while a shared plan is being placed. */
CHECKED status distribute_share(distributor *d, plan_node **slot, uint32_t *out_id);

#endif
