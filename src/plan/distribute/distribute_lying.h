/* distribute_lying.h - rows that a sort takes in the order in which they lie in their table: rank 0 reads all of them. */
#ifndef PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_LYING_H
#define PISTACHIO_PLAN_DISTRIBUTE_DISTRIBUTE_LYING_H

#include "plan/distribute/distribute_site.h"

/* Places the nodes below the sort on rank 0 and returns true if the sort keeps an order that they have. */
bool distribute_keep_lying(const plan_statement *statement, const plan_node *sort);
/* Places the shared plans on rank 0 whose order such a sort keeps. Before any node is placed. */
CHECKED status distribute_keep_lying_shared(plan_statement *statement);
/* Returns whether rank 0 cannot read all rows of the node by itself. */
bool distribute_is_apart(const plan_node *node);

#endif
