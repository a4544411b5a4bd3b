/* distribution.h - the ranks on which a statement is to run. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTION_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTION_H

#include "plan/tree/plan.h"

typedef enum plan_distribute_mode {
    DISTRIBUTE_AUTO,   /* where there are enough rows */
    DISTRIBUTE_ALWAYS, /* whatever can be: for tests */
    DISTRIBUTE_NEVER
} plan_distribute_mode;

typedef struct plan_distribution {
    uint32_t ranks;
    plan_distribute_mode mode;
    uint64_t memory_bytes; /* of a rank: most of what it is sent a copy of; 0: any number */
    bool has_heavy_keys;   /* probe rows of keys that have many stay where they are */
    /* Sets the weights by which a scan's row groups are dealt out to ranks; NULL: not known. */
    void (*weigh)(const plan_statement *statement, const plan_node *scan, uint64_t *weights);
} plan_distribution;

#endif
