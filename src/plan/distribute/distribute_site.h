/* distribute_site.h - inside plan_distribute: where rows are, and what brings them elsewhere. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_SITE_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_SITE_H

#include "plan/distribute/distribution.h"

typedef struct distributor {
    plan_statement *statement;
    const plan_distribution *distribution;
    /* By id, the most rows that a shared plan can have. Set once the plan is placed, so that its uses look it up:
     * each would walk the plan again, and plans that share plans take time by two to their number. */
    double *most_shared_rows;
    bool is_in_shared; /* a shared plan is being placed: no other ones are made */
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
/* Notes that rows lie by these keys, too, if they are columns. */
void distribute_add_keys(site *s, const expr_list *keys);
/* Returns the place of a column in a list; -1: it is not there. */
int distribute_find_column(const expr_list *list, const expr *column);
/* Rows that agree in the groups are on one rank already, and it is relied on. */
bool distribute_has_together(const site *s, const expr_list *groups);
/* Makes a node that has a part of its rows on each rank; NULL without memory. */
plan_node *distribute_node(const distributor *d, plan_kind kind, uint32_t children,
                           int32_t position);
/* Puts an exchange above the node at the slot. keys: HASH's, else NULL. */
CHECKED status distribute_exchange(distributor *d, plan_node **slot, plan_exchange_kind kind,
                                   const expr_list *keys);
/* All rows of the node at the slot to rank 0, which may have them already. */
CHECKED status distribute_gather(distributor *d, plan_node **slot);
/* Partners of the join meet where equal keys are. */
bool distribute_may_repartition(const plan_node *join);

#endif
