/* distribute_window.h - inside plan_distribute: windows over all rows. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_WINDOW_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_WINDOW_H

#include "plan/distribute/distribute_site.h"

/* Returns whether ranks can evaluate windows without partitions over ranges of their order: those from `top` down to a
 * sort. Its child's rows lie in parts. */
bool distribute_may_order_windows(const distributor *d, const plan_node *top);
/* Has them do so: the windows at the slot give the values of all rows then, in parts. */
CHECKED status distribute_order_windows(distributor *d, plan_node **slot);

#endif
