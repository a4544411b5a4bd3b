/* node_aggregate.c - one row for each group of its child's rows: the group's values, then aggregates. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/nodes/prune.h"
#include "plan/tree/estimate.h"

static void aggregate_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->aggregate.groups, visit, context);
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        plan_visit_optional(&node->aggregate.aggregates.items[i].argument, visit, context);
        plan_visit_optional(&node->aggregate.aggregates.items[i].second, visit, context);
        plan_visit_optional(&node->aggregate.aggregates.items[i].filter, visit, context);
    }
}

static void aggregate_write(plan_writer *w, const plan_node *node)
{
    if (node->aggregate.groups.count) {
        plan_write_text(w, " groups ");
        plan_write_computed(w, &node->aggregate.groups, node);
    }
    if (node->aggregate.enough)
        plan_write_format(w, " any %llu", (unsigned long long)node->aggregate.enough);
    if (!node->aggregate.aggregates.count)
        return;
    plan_write_text(w, " aggregates [");
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        plan_write_format(w, "%s%s(%s", i ? ", " : "", plan_aggregate_name(aggregate->function),
                          aggregate->is_distinct ? "distinct " : "");
        if (aggregate->argument)
            plan_write_expr(w, aggregate->argument);
        else
            plan_write_text(w, "*");
        if (aggregate->second) {
            plan_write_text(w, ", ");
            plan_write_expr(w, aggregate->second);
        }
        plan_write_text(w, ")");
        if (aggregate->filter) {
            plan_write_text(w, " filter ");
            plan_write_expr(w, aggregate->filter);
        }
        const plan_column *column = &node->columns.items[node->aggregate.groups.count + i];
        plan_write_text(w, " as ");
        plan_write_column(w, column->id, column->name);
    }
    plan_write_text(w, "]");
}

static status verify_aggregate(plan_verifier *v, const plan_node *node, const plan_aggregate *a)
{
    if (!a->argument != (a->function == AGGREGATE_COUNT_STAR))
        return plan_verify_error(node, "aggregate without argument");
    if (a->argument)
        TRY(plan_verify_expr(v, a->argument));
    if (a->second)
        TRY(plan_verify_expr(v, a->second));
    return a->filter ? plan_verify_expr(v, a->filter) : STATUS_OK;
}

static status aggregate_verify(plan_verifier *v, const plan_node *node)
{
    size_t groups = node->aggregate.groups.count;
    if (groups + node->aggregate.aggregates.count != node->columns.count)
        return plan_verify_error(node, "numbers of columns and expressions differ");
    plan_verify_show_children(v, node, 1);
    TRY(plan_verify_list(v, &node->aggregate.groups));
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++)
        TRY(verify_aggregate(v, node, &node->aggregate.aggregates.items[i]));
    plan_verify_show_children(v, node, -1);
    TRY(plan_verify_computed(v, node, &node->aggregate.groups));
    return plan_verify_made(v, node, groups, node->columns.count);
}

static double aggregate_estimate(const plan_statement *s, const plan_node *node)
{
    const plan_node *input = node->children[0];
    double rows = 1, most = input->estimated_rows;
    (void)s;
    for (size_t i = 0; i < node->aggregate.groups.count; i++)
        rows *= plan_distinct(input, node->aggregate.groups.items[i], most);
    return rows > most && node->aggregate.groups.count ? most : rows;
}

static status aggregate_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    size_t groups = node->aggregate.groups.count, kept = 0;
    TRY(plan_prune_start(s, &below));
    column_set_add_list(&below, &node->aggregate.groups);
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        if (!column_set_has(needed, node->columns.items[groups + i].id))
            continue;
        if (aggregate->argument)
            column_set_add_expr(&below, aggregate->argument);
        if (aggregate->second)
            column_set_add_expr(&below, aggregate->second);
        if (aggregate->filter)
            column_set_add_expr(&below, aggregate->filter);
        node->columns.items[groups + kept] = node->columns.items[groups + i];
        node->aggregate.aggregates.items[kept++] = *aggregate;
    }
    node->aggregate.aggregates.count = kept;
    node->columns.count = groups + kept;
    return plan_prune(s, node->children[0], &below);
}

const plan_node_ops plan_node_aggregate = {.visit = aggregate_visit,
                                           .write = aggregate_write,
                                           .verify = aggregate_verify,
                                           .estimate = aggregate_estimate,
                                           .prune = aggregate_prune};
