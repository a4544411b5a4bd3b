/* rewrite_columns.c - each node makes only the columns that something above reads; nodes that pass
 * rows through have their child's columns again, whatever the rewrites before did below them. */
#include "plan/node.h"

#include "base/guard.h"

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
        expr *e =
            expr_new_column(s->memory, column->id, column->type, column->is_nullable, column->name);
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

static void add_visited(expr **slot, void *context)
{
    column_set_add_expr(context, *slot);
}

/* A node that passes its child's columns on. */
static status prune_through(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    TRY(column_set_copy(s->memory, needed, &below));
    plan_visit_exprs(node, add_visited, &below);
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

/* ---- common subplans ---- */

/* Calls visit for each place where a common subplan is used below the node. */
static status each_use(plan_node *node, uint32_t id, status (*visit)(plan_node *, void *),
                       void *context)
{
    TRY(guard_check());
    if (node->kind == PLAN_SHARED && node->shared.id == id)
        return visit(node, context);
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(each_use(node->children[i], id, visit, context));
    return STATUS_OK;
}

static status each_use_of(plan_statement *s, uint32_t id, status (*visit)(plan_node *, void *),
                          void *context)
{
    TRY(each_use(s->root, id, visit, context));
    for (size_t later = id + 1; later < s->shared.count; later++)
        TRY(each_use(s->shared.items[later], id, visit, context));
    return STATUS_OK;
}

static status note_sources(plan_node *use, void *context)
{
    bool *is_used = context;
    for (size_t i = 0; i < use->shared.sources.count; i++)
        is_used[use->shared.sources.items[i]] = true;
    return STATUS_OK;
}

static status move_sources(plan_node *use, void *context)
{
    const uint32_t *places = context;
    for (size_t i = 0; i < use->shared.sources.count; i++)
        use->shared.sources.items[i] = places[use->shared.sources.items[i]];
    return STATUS_OK;
}

/* A common subplan makes the columns that some use reads; one at least. The uses have theirs. */
static status prune_shared(plan_statement *s, uint32_t id)
{
    plan_node **plan = &s->shared.items[id];
    size_t count = (*plan)->columns.count;
    plan_column_list wanted = {0};
    bool *is_used = arena_alloc_array(s->memory, count + 1, sizeof *is_used);
    uint32_t *places = arena_alloc_array(s->memory, count + 1, sizeof *places);
    if (!is_used || !places)
        return status_no_memory("plan", count * sizeof *places);
    TRY(each_use_of(s, id, note_sources, is_used));
    for (size_t i = 0; i < count; i++) {
        bool is_last_chance = i + 1 == count && !wanted.count;
        places[i] = (uint32_t)wanted.count;
        if (is_used[i] || is_last_chance)
            TRY(array_push(s->memory, &wanted, (*plan)->columns.items[i]));
    }
    TRY(each_use_of(s, id, move_sources, places));
    return plan_prune_to(s, plan, &wanted);
}

status rewrite_columns(plan_statement *statement)
{
    TRY(plan_prune_in_order(statement, &statement->root));
    for (size_t id = statement->shared.count; id-- > 0;)
        TRY(prune_shared(statement, (uint32_t)id));
    return STATUS_OK;
}
