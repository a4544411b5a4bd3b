/* node_single_row.c - its child's one row; an error if there are more, NULLs if there is none. */
#include "plan/nodes/node.h"

static double single_row_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    (void)node;
    return 1;
}

const plan_node_ops plan_node_single_row = {.estimate = single_row_estimate};
