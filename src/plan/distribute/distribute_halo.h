/* distribute_halo.h - inside plan_distribute: windows over a few rows before and behind each one.
 *
 * Each rank has a range of the windows' order. Of the ranks before it, it needs the last rows, of those behind it the
 * first ones: their halo. Rows know their number among those of all ranks, which puts them in one order everywhere,
 * however many have the same keys. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_HALO_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_HALO_H

#include "plan/distribute/distribute_site.h"

/* Rows of a halo, at most: each rank gives so many to all others. */
#define DISTRIBUTE_HALO_ROWS_MOST 10000

/* A call, and the column of its values. */
typedef struct distribute_halo_call {
    plan_window_call call;
    plan_column column;
} distribute_halo_call;

/* Zeroed: no calls. */
typedef struct distribute_halo {
    uint64_t before, behind; /* rows that a call sees at most */
    ARRAY(distribute_halo_call) calls;
} distribute_halo;

/* Returns whether the call sees but a few rows, by their place alone. */
bool distribute_halo_can(const plan_window_call *call);
CHECKED status distribute_halo_add(arena *a, distribute_halo *halo, const plan_window_call *call,
                                   const plan_column *column);
/* Puts the calls over the node at the slot, whose rows lie by ranges of the windows' order and have their numbers
 * among those of all ranks in a column. The node at the slot has the given columns then, in parts. */
CHECKED status distribute_halo_over(distributor *d, plan_node **slot, const distribute_halo *halo,
                                    uint32_t number_id, const plan_column_list *columns);

#endif
