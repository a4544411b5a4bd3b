/* prune.c - each node makes only the columns that something above reads; nodes that pass rows
 * through have their child's columns again, whatever the rewrites before did below them. */
#include "plan/nodes/prune.h"

#include "base/system/guard.h"
#include "plan/nodes/node.h"
#include "plan/tree/rule.h"

status plan_prune_start(const plan_statement *s, column_set *out)
{
    TRY(column_set_new(s->memory, s->next_column_id, out));
    if (!plan_rule_is_on(s, RULE_unused_columns))
        memset(out->words, 0xff, (out->bit_count / 64 + 1) * sizeof *out->words);
    return STATUS_OK;
}

status plan_prune_to(plan_statement *s, plan_node **child, const plan_column_list *wanted)
{
    column_set needed;
    TRY(plan_prune_start(s, &needed));
    for (size_t i = 0; i < wanted->count; i++)
        column_set_add(&needed, wanted->items[i].id);
    TRY(plan_prune(s, *child, &needed));
    bool is_same = wanted->count == (*child)->columns.count;
    for (size_t i = 0; i < wanted->count && is_same; i++)
        is_same = wanted->items[i].id == (*child)->columns.items[i].id;
    if (is_same)
        return STATUS_OK;
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!project)
        return status_no_memory("plan", sizeof *project);
    project->children[0] = *child;
    project->columns = *wanted;
    project->estimated_rows = (*child)->estimated_rows;
    for (size_t i = 0; i < wanted->count; i++) {
        const plan_column *column = &wanted->items[i];
        expr *e = plan_column_expr(s->memory, column);
        if (!e)
            return status_no_memory("plan", sizeof *e);
        TRY(array_push(s->memory, &project->project.exprs, e));
    }
    *child = project;
    return STATUS_OK;
}

status plan_prune_in_order(plan_statement *s, plan_node **child)
{
    plan_column_list wanted = {0};
    for (size_t i = 0; i < (*child)->columns.count; i++)
        TRY(array_push(s->memory, &wanted, (*child)->columns.items[i]));
    return plan_prune_to(s, child, &wanted);
}

static void prune_add_visited(expr **slot, void *context)
{
    column_set_add_expr(context, *slot);
}

/* A node that passes its child's columns on. */
static status prune_through(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    TRY(column_set_copy(s->memory, needed, &below));
    plan_visit_exprs(node, prune_add_visited, &below);
    TRY(plan_prune(s, node->children[0], &below));
    node->columns = node->children[0]->columns;
    return STATUS_OK;
}

status plan_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    TRY(guard_check());
    const plan_node_ops *ops = plan_node_ops_of(node);
    if (ops->prune)
        return ops->prune(s, node, needed);
    return node->child_count ? prune_through(s, node, needed) : STATUS_OK;
}
