/* distribute_aggregate.h - inside plan_distribute: what its files share, and aggregates. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_AGGREGATE_H
#define PISTACHIO_PLAN_DISTRIBUTE_AGGREGATE_H

#include "plan/distribute.h"

typedef struct distributor {
    plan_statement *statement;
    const plan_distribution *distribution;
    /* By id, the most rows that a shared plan can have. Set once the plan is placed, so that its uses look it up:
     * each would walk the plan again, and plans that share plans take time by two to their number. */
    double *most_shared_rows;
} distributor;

#define SITE_KEY_LISTS 2
/* Of a rank's memory: what a broadcast may fill of it. */
#define DISTRIBUTE_BROADCAST_SHARE 4.0

/* Where rows are, and by what: rows that agree in a list of columns are on one rank, the one that
 * the hash of these columns says, in their order; or, of a table that is divided by them, that has
 * the part. */
typedef struct site {
    plan_placement placement;
    bool can_copy; /* parts, but each rank can make all rows by itself */
    uint32_t key_lists;
    const expr_list *keys[SITE_KEY_LISTS];          /* columns */
    const struct pq_table *divided[SITE_KEY_LISTS]; /* by whose parts; NULL: by the hash */
    plan_node *heavy; /* a join that keeps rows of heavy keys elsewhere, or NULL: who relies on the
                         keys calls distribute_rely */
    plan_node *overflow; /* likewise joins whose rows move when a broadcast overflows */
} site;

/* keys may be NULL, or no columns. */
site distribute_site(plan_placement placement, const expr_list *keys);
/* Rows are where the site's keys say: no join below keeps heavy keys' elsewhere, or moves rows. */
void distribute_rely(const site *s);
/* Rows that agree in the groups are on one rank already, and it is relied on. */
bool distribute_has_together(const site *s, const expr_list *groups);
/* The bytes of a node's rows, as a guess. */
double distribute_bytes(const plan_node *node);
/* Puts an exchange above the node at the slot. keys: HASH's, else NULL. */
CHECKED status distribute_exchange(distributor *d, plan_node **slot, plan_exchange_kind kind,
                                   const expr_list *keys);
/* All rows of the node at the slot to rank 0, which may have them already. */
CHECKED status distribute_gather(distributor *d, plan_node **slot);
/* distribute_heavy.c: whether the join, both of whose sides are repartitioned, may keep probe rows of
 * heavy keys where they are. */
bool distribute_may_keep(const distributor *d, const plan_node *join);
/* After all is placed: gives joins that do so their numbers. */
void distribute_number_heavy(const distributor *d);
/* distribute.c: partners of the join meet where equal keys are. */
bool distribute_may_repartition(const plan_node *join);
/* distribute_overflow.c: the join's side, which is broadcast, may overflow, if it could be so large; io is the
 * join's site. */
CHECKED status distribute_may_overflow(distributor *d, plan_node *join, unsigned side, site *io);
/* No join of the site moves rows. */
void distribute_hold(const site *s);
/* Makes room for most_shared_rows; sets that of a shared plan, which is placed. */
CHECKED status distribute_most_new(distributor *d);
void distribute_note_most(distributor *d, uint32_t id);
/* After all is placed: gives joins that may overflow their numbers. */
void distribute_number_overflows(const distributor *d);
/* After all is placed: scans take the filters that are right for their rows (distribute_filters.c). */
void distribute_filters(distributor *d);
/* The aggregate at the slot, whose child is at *io: adds what it needs, perhaps nodes above it. */
CHECKED status distribute_aggregate(distributor *d, plan_node **slot, site *io);

#endif
