/* place.h - on which of two devices each stage of a plan is predicted to be worth running.
 *
 *     sort                 CPU: a few rows           what a node takes on either, and what its rows take from the one to the
 *       aggregate          GPU                       other, are added up from the scans to the root: for each node the least
 *         join             GPU                       of its subtree if it runs here, and if it runs there
 *           scan           GPU
 *           scan           CPU: 25 rows */
#ifndef PISTACHIO_API_CHOICE_PLACE_H
#define PISTACHIO_API_CHOICE_PLACE_H

#include "api/choice/cost.h"
#include "plan/tree/plan.h"

typedef struct placement {
    double cpu, device,
        both; /* seconds: of all on the one, all on the other, and stages as placed; `both` is infinite where
                                 stages cannot run on two, or no placing takes less */
    bool root_on_cpu; /* of `both` */
    const bool
        *moves; /* of `both`, by node (mix_node_count): whether its rows go to the other device */
} placement;

/* Predicts how long a plan takes after plan_optimize. Memory: the plan's. */
CHECKED status place_by_cost(const plan_statement *plan, const cost_devices *devices,
                             placement *out);

#endif
