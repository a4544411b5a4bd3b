/* node_window_limit.c - those of its child's rows that may be among the first of their partition: what comes
 * behind as many others is dropped when that is seen, so that a sort and a window above have less to do. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/tree/estimate.h"

static void window_limit_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->window_limit.partition, visit, context);
    for (size_t i = 0; i < node->window_limit.order.count; i++)
        visit(&node->window_limit.order.items[i].key, context);
}

static void window_limit_write(plan_writer *w, const plan_node *node)
{
    const plan_sort_key_list *order = &node->window_limit.order;
    plan_write_text(w, " partition [");
    plan_write_exprs(w, &node->window_limit.partition, ", ");
    plan_write_text(w, "] order [");
    for (size_t i = 0; i < order->count; i++) {
        plan_write_text(w, i ? ", " : "");
        plan_write_expr(w, order->items[i].key);
        plan_write_text(w, order->items[i].is_descending ? " desc" : "");
    }
    plan_write_format(w, "] first %llu%s", (unsigned long long)node->window_limit.limit,
                      node->window_limit.drops_ties ? "" : " and their peers");
}

static double window_limit_estimate(const plan_statement *s, const plan_node *node)
{
    const plan_node *input = node->children[0];
    double rows = (double)node->window_limit.limit, most = input->estimated_rows;
    (void)s;
    for (size_t i = 0; i < node->window_limit.partition.count; i++)
        rows *= plan_distinct(input, node->window_limit.partition.items[i], most);
    return rows > most ? most : rows;
}

const plan_node_ops plan_node_window_limit = {
    .visit = window_limit_visit, .write = window_limit_write, .estimate = window_limit_estimate};
