/* node_grouping_sets.c - its child's rows grouped by each of several sets. */
#include "plan/nodes/node.h"

static void grouping_sets_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->grouping_sets.groups, visit, context);
    for (size_t i = 0; i < node->grouping_sets.aggregates.count; i++) {
        plan_visit_optional(&node->grouping_sets.aggregates.items[i].argument, visit, context);
        plan_visit_optional(&node->grouping_sets.aggregates.items[i].second, visit, context);
        plan_visit_optional(&node->grouping_sets.aggregates.items[i].filter, visit, context);
    }
}

static status verify_set(const plan_node *node, const plan_grouping_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] >= node->grouping_sets.groups.count)
            return plan_verify_error(node, "no such group");
    return STATUS_OK;
}

static status grouping_sets_verify(plan_verifier *v, const plan_node *node)
{
    size_t count = node->grouping_sets.groups.count + node->grouping_sets.aggregates.count +
                   node->grouping_sets.calls.count;
    if (count != node->columns.count)
        return plan_verify_error(node, "numbers of columns and expressions differ");
    for (size_t i = 0; i < node->grouping_sets.sets.count; i++)
        TRY(verify_set(node, &node->grouping_sets.sets.items[i]));
    for (size_t i = 0; i < node->grouping_sets.calls.count; i++)
        TRY(verify_set(node, &node->grouping_sets.calls.items[i]));
    plan_verify_show_children(v, node, 1);
    TRY(plan_verify_list(v, &node->grouping_sets.groups));
    for (size_t i = 0; i < node->grouping_sets.aggregates.count; i++) {
        const plan_aggregate *a = &node->grouping_sets.aggregates.items[i];
        if (a->argument)
            TRY(plan_verify_expr(v, a->argument));
        if (a->second)
            TRY(plan_verify_expr(v, a->second));
        if (a->filter)
            TRY(plan_verify_expr(v, a->filter));
    }
    plan_verify_show_children(v, node, -1);
    return plan_verify_made(v, node, 0, count);
}

const plan_node_ops plan_node_grouping_sets = {.visit = grouping_sets_visit,
                                               .verify = grouping_sets_verify};
