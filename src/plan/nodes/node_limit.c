/* node_limit.c - the first rows of its child, after an offset. */
#include "plan/nodes/node.h"

static void limit_write(plan_writer *w, const plan_node *node)
{
    if (node->limit.has_limit)
        plan_write_format(w, " %llu", (unsigned long long)node->limit.limit);
    if (node->limit.offset)
        plan_write_format(w, " offset %llu", (unsigned long long)node->limit.offset);
}

static double limit_estimate(const plan_statement *s, const plan_node *node)
{
    double rows = node->children[0]->estimated_rows, limit = (double)node->limit.limit;
    (void)s;
    return node->limit.has_limit && limit < rows ? limit : rows;
}

const plan_node_ops plan_node_limit = {.write = limit_write, .estimate = limit_estimate};
