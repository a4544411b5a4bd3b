/* distribute_ranges.h - inside plan_distribute: rows that go to ranks by ranges of a column.
 *
 * Where a table's row groups have a column in ascending order, each rank reads a range of it. Rows that must
 * meet by this column then need not go by its hash: by these ranges almost all of them stay where they are. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_RANGES_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_RANGES_H

#include "plan/distribute/distribute_site.h"

/* The ranges of a scan's column that ranks read: rank r from splits[r - 1] on, up to splits[r]. */
typedef struct column_ranges {
    uint32_t column_id;
    data_type type;
    bool is_narrowed; /* conditions leave out some of the row groups */
    const value *splits;
} column_ranges;

/* The first of the scan's columns that its row groups have in order; *out: NULL where there is none. */
CHECKED status distribute_find_ranges(distributor *d, const plan_node *scan,
                                      const column_ranges **out);
/* The place in a list of keys of the column by whose ranges rows lie; -1: it is not there. */
int distribute_ranges_key(const column_ranges *ranges, const expr_list *keys);
/* Puts an exchange above the node at the slot that sends rows by these ranges of a key. */
CHECKED status distribute_exchange_ranges(distributor *d, plan_node **slot, expr *key,
                                          const column_ranges *ranges);
/* Has rows with equal keys meet: by ranges where they lie by ranges of one of the keys, else by the hash. *out
 * says where they are then. */
CHECKED status distribute_meet(distributor *d, plan_node **slot, const site *from,
                               const expr_list *keys, site *out);

#endif
