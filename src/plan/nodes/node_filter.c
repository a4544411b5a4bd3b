/* node_filter.c - the rows of its child that meet all of some conditions. */
#include "plan/nodes/node_filter.h"

#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/tree/estimate.h"

static void filter_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->filter.conditions, visit, context);
}

static void filter_write(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " ");
    plan_write_exprs(w, &node->filter.conditions, " and ");
}

static status filter_verify(plan_verifier *v, const plan_node *node)
{
    plan_verify_show_children(v, node, 1);
    TRY(plan_verify_conditions(v, &node->filter.conditions));
    plan_verify_show_children(v, node, -1);
    return plan_verify_passed(v, node, 0, node->columns.count);
}

static double filter_estimate(const plan_statement *s, const plan_node *node)
{
    const plan_node *child = node->children[0];
    (void)s;
    return child->estimated_rows * plan_share_of_list(child, &node->filter.conditions);
}

const plan_node_ops plan_node_filter = {.visit = filter_visit,
                                        .write = filter_write,
                                        .verify = filter_verify,
                                        .estimate = filter_estimate};

status plan_filter_over(arena *a, plan_node *node, const expr_list *conditions, plan_node **out)
{
    *out = node;
    if (!conditions->count)
        return STATUS_OK;
    plan_node *filter = plan_node_new(a, PLAN_FILTER, 1);
    if (!filter)
        return status_no_memory("plan", sizeof *filter);
    filter->children[0] = node;
    filter->columns = node->columns;
    filter->filter.conditions = *conditions;
    *out = filter;
    return STATUS_OK;
}
