/* prune.h - the columns that nodes make, cut down to those that are read. */
#ifndef PISTACHIO_PLAN_NODES_PRUNE_H
#define PISTACHIO_PLAN_NODES_PRUNE_H

#include "plan/tree/column_set.h"

/* The node makes only the columns in `needed`, as far as it can. */
CHECKED status plan_prune(plan_statement *statement, plan_node *node, const column_set *needed);
/* A child whose columns are read by their number: it keeps them all, in their order. */
CHECKED status plan_prune_in_order(plan_statement *statement, plan_node **child);
/* A child of whose columns only the wanted ones are read by their number: it has these, in their order. */
CHECKED status plan_prune_to(plan_statement *statement, plan_node **child,
                             const plan_column_list *wanted);
/* Begins with the columns that are needed: nothing, or everything where no column may be dropped. */
CHECKED status plan_prune_start(const plan_statement *statement, column_set *out);

#endif
