/* node_sort.c - its child's rows in an order, or the first of them. */
#include "plan/nodes/node.h"

static void sort_visit(plan_node *node, plan_visitor *visit, void *context)
{
    for (size_t i = 0; i < node->sort.keys.count; i++)
        visit(&node->sort.keys.items[i].key, context);
}

static void sort_write(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->sort.keys.count; i++) {
        const plan_sort_key *key = &node->sort.keys.items[i];
        if (i)
            plan_write_text(w, ", ");
        plan_write_expr(w, key->key);
        plan_write_format(w, "%s nulls %s", key->is_descending ? " desc" : "",
                          key->nulls_first ? "first" : "last");
    }
    plan_write_text(w, "]");
    if (node->sort.has_limit)
        plan_write_format(w, " limit %llu", (unsigned long long)node->sort.limit);
    if (node->sort.bound)
        plan_write_format(w, " gives bound %u", node->sort.bound);
}

static double sort_estimate(const plan_statement *s, const plan_node *node)
{
    double rows = node->children[0]->estimated_rows, limit = (double)node->sort.limit;
    (void)s;
    return node->sort.has_limit && limit < rows ? limit : rows;
}

const plan_node_ops plan_node_sort = {
    .visit = sort_visit, .write = sort_write, .estimate = sort_estimate};
