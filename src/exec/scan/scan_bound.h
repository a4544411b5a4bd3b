/* scan_bound.h - a scan under a sort with a limit: its rows against what the sort has seen. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_BOUND_H
#define PISTACHIO_EXEC_SCAN_SCAN_BOUND_H

#include "exec/expression/bound_filter.h"
#include "parquet/table/table.h"

/* The keys of a bound that the scan takes, in the arena. */
CHECKED status scan_bound_keys(arena *a, const plan_node *plan, const plan_taken_bound *taken,
                               bound_key **out);
/* Makes what the program of each of the plan's bounds is compiled for, in the query's memory. For open. */
CHECKED status scan_bound_uses(exec_query *query, const plan_node *plan, bound_use **out);

/* The bounds of this moment as conditions over the scan's columns. */
typedef struct scan_bounds {
    arena *memory;
    expr_list conditions;
    ARRAY(bound_values *) held; /* to which they refer */
} scan_bounds;

/* Without memory there are none: they only save work. */
void scan_bounds_open(exec_query *query, const plan_node *plan, scan_bounds *out);
void scan_bounds_close(scan_bounds *bounds);

/* The order in which row groups are best read, as numbers in table->row_groups: those first that by
 * their statistics may have the best rows. *out is in the query's memory; NULL: as they lie. */
CHECKED status scan_bound_order(exec_query *query, const plan_node *plan, const pq_table *table,
                                uint32_t **out);

#endif
