/* distribute_steal.h - scans whose row groups ranks take from each other while they run. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_STEAL_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_STEAL_H

#include "plan/tree/plan.h"

/* Numbers them, and their exchanges, which follow all others. Before this all nodes are placed. */
void distribute_number_steals(plan_statement *statement);

#endif
