/* rewrite_runtime_filters.h - the scans that take a runtime filter of a join. */
#ifndef PISTACHIO_PLAN_RULES_SCAN_REWRITE_RUNTIME_FILTERS_H
#define PISTACHIO_PLAN_RULES_SCAN_REWRITE_RUNTIME_FILTERS_H

#include "plan/tree/plan.h"

/* The scans below a join's probe side drop rows without its keys, where its type lets them: runtime
 * filters that the build side gives. */
CHECKED status rewrite_offer_keys(plan_statement *statement, plan_node *join);
/* The scans below a node that give the column do so by the keys of one pair of the join; is_beside: the node is not
 * its probe side. For pairs of which there is a filter. */
CHECKED status plan_offer_key(plan_statement *s, plan_node *join, size_t key, plan_node *below,
                              uint32_t id, bool is_beside);
bool plan_can_offer_key(const plan_node *join, size_t key);
/* The column that has the same values, and that filters take for the expression: it, or the one that it makes an
 * integer of another width of. NULL: none. */
const expr *plan_filter_column(const expr *e);
/* Probe rows without a match on the build side come to nothing. */
bool plan_drops_probe_rows(const plan_node *node);
/* Returns the side that a join is built on. */
plan_node *plan_build_side(const plan_node *join);

#endif
