/* distribute.h - a plan for several ranks: where each node's rows are made, and exchanges in between.
 *
 * Every rank has the same plan and runs the same stages of it, on its own row groups. Whatever needs
 * rows together that lie on different ranks (a join's partners, a group, an order) gets an exchange
 * below it. What is placed on rank 0 runs there alone; the others only send to it.
 *
 *     sort                          one     rank 0
 *       gather                      one     <── all ranks
 *         aggregate                 parts
 *           repartition by o_key    parts   all ranks <──> all ranks
 *             inner join            parts
 *               scan lineitem       parts   each rank its row groups
 *               broadcast           copies  all ranks <── all ranks
 *                 scan orders       parts
 */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_H

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

/* After plan_optimize: places the nodes and adds exchanges; sets exchange_count, which is 0 where the
 * statement is to run on one rank. The result is a function of the plan and the distribution. */
CHECKED status plan_distribute(plan_statement *statement, const plan_distribution *distribution);
/* A number that differs where plans do. */
CHECKED status plan_hash(const plan_statement *statement, uint64_t *out);
/* A number that differs where a table's files do, as far as lengths and row groups say, whatever they
 * are called. */
uint64_t plan_files_hash(const struct pq_table *table);

/* ---- for the files of this folder ---- */

typedef struct distributor {
    plan_statement *statement;
    const plan_distribution *distribution;
    /* By id, the most rows that a shared plan can have. Set once the plan is placed, so that its uses look it up:
     * each would walk the plan again, and plans that share plans take time by two to their number. */
    double *most_shared_rows;
} distributor;

#define SITE_KEY_LISTS 2
/* A broadcast may fill one part in this many of a rank's memory. */
#define DISTRIBUTE_BROADCAST_SHARE 4.0

/* The site of rows, and by what: rows that agree in a list of columns are on one rank, the one that the hash of these
 * columns says, in their order; or, of a table that is divided by them, that has the part. */
typedef struct site {
    plan_placement placement;
    bool can_copy; /* parts, but each rank can make all rows by itself */
    uint32_t key_lists;
    const expr_list *keys[SITE_KEY_LISTS];              /* columns */
    const struct pq_table *divided[SITE_KEY_LISTS];     /* by whose parts; NULL: by the hash, */
    const struct column_ranges *ranges[SITE_KEY_LISTS]; /* unless it is by these ranges */
    /* The ranges by which most rows lie, though equal values need not be together; or NULL. */
    const struct column_ranges *lies_by;
    plan_node *heavy; /* a join that keeps rows of heavy keys elsewhere, or NULL: who relies on the
                         keys calls distribute_rely */
    plan_node *overflow; /* likewise joins whose rows move when a broadcast overflows */
} site;

/* keys may be NULL, or no columns. */
site distribute_site(plan_placement placement, const expr_list *keys);
/* Rows that agree in the groups are on one rank already, and it is relied on. */
bool distribute_has_together(const site *s, const expr_list *groups);
/* Puts an exchange above the node at the slot. keys: HASH's, else NULL. */
CHECKED status distribute_exchange(distributor *d, plan_node **slot, plan_exchange_kind kind,
                                   const expr_list *keys);
/* All rows of the node at the slot to rank 0, which may have them already. */
CHECKED status distribute_gather(distributor *d, plan_node **slot);
/* Partners of the join meet where equal keys are. */
bool distribute_may_repartition(const plan_node *join);

#endif
