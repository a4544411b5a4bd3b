/* rewrite_columns.c - each node makes only the columns that something above reads; nodes that pass
 * rows through have their child's columns again, whatever the rewrites before did below them. */
#include "plan/rewrite.h"

static status prune(plan_statement *s, plan_node *node, const column_set *needed);

/* No column, or every one where none may be dropped. */
static status start_set(const plan_statement *s, column_set *out)
{
    TRY(column_set_new(s->memory, s->next_column_id, out));
    if (!plan_rule_is_on(s, RULE_unused_columns))
        memset(out->words, 0xff, (out->bit_count / 64 + 1) * sizeof *out->words);
    return STATUS_OK;
}

static status copy_set(plan_statement *s, const column_set *set, column_set *out)
{
    TRY(column_set_new(s->memory, set->bit_count, out));
    memcpy(out->words, set->words, (set->bit_count / 64 + 1) * sizeof *set->words);
    return STATUS_OK;
}

static void add_list(column_set *set, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_set_add_expr(set, list->items[i]);
}

static status prune_scan(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set filtered;
    TRY(column_set_new(s->memory, s->next_column_id, &filtered));
    add_list(&filtered, &node->scan.filters);
    for (size_t i = 0; i < node->scan.runtime_filters.count; i++)
        column_set_add(&filtered, node->scan.runtime_filters.items[i].column_id);
    size_t kept = 0;
    node->scan.filter_only.count = 0;
    for (size_t i = 0; i < node->columns.count; i++) {
        uint32_t id = node->columns.items[i].id;
        bool is_needed = column_set_has(needed, id);
        if (!is_needed && !column_set_has(&filtered, id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->scan.sources.items[kept] = node->scan.sources.items[i];
        TRY(array_push(s->memory, &node->scan.filter_only, !is_needed));
        kept++;
    }
    node->columns.count = node->scan.sources.count = kept;
    return STATUS_OK;
}

static status prune_project(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    size_t kept = 0;
    TRY(start_set(s, &below));
    for (size_t i = 0; i < node->columns.count; i++) {
        if (!column_set_has(needed, node->columns.items[i].id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->project.exprs.items[kept++] = node->project.exprs.items[i];
    }
    node->columns.count = node->project.exprs.count = kept;
    add_list(&below, &node->project.exprs);
    return prune(s, node->children[0], &below);
}

static status prune_aggregate(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    size_t groups = node->aggregate.groups.count, kept = 0;
    TRY(start_set(s, &below));
    add_list(&below, &node->aggregate.groups);
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        if (!column_set_has(needed, node->columns.items[groups + i].id))
            continue;
        if (aggregate->argument)
            column_set_add_expr(&below, aggregate->argument);
        if (aggregate->filter)
            column_set_add_expr(&below, aggregate->filter);
        node->columns.items[groups + kept] = node->columns.items[groups + i];
        node->aggregate.aggregates.items[kept++] = *aggregate;
    }
    node->aggregate.aggregates.count = kept;
    node->columns.count = groups + kept;
    return prune(s, node->children[0], &below);
}

static status prune_join(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    TRY(copy_set(s, needed, &below));
    add_list(&below, &node->join.left_keys);
    add_list(&below, &node->join.right_keys);
    if (node->join.residual)
        column_set_add_expr(&below, node->join.residual);
    TRY(prune(s, node->children[0], &below));
    TRY(prune(s, node->children[1], &below));
    plan_join_type type = node->join.type;
    plan_column mark =
        type == JOIN_MARK ? node->columns.items[node->columns.count - 1] : (plan_column){0};
    plan_column_list columns = {0}, all;
    if (type == JOIN_MARK) {
        all = node->children[0]->columns;
    } else {
        TRY(plan_join_columns(s->memory, node));
        all = node->columns;
    }
    for (size_t i = 0; i < all.count; i++)
        if (column_set_has(needed, all.items[i].id))
            TRY(array_push(s->memory, &columns, all.items[i]));
    if (type == JOIN_MARK)
        TRY(array_push(s->memory, &columns, mark));
    node->columns = columns;
    return STATUS_OK;
}

/* All columns of a child, in their order: a projection restores it where rewrites changed it. */
static status prune_in_order(plan_statement *s, plan_node **child)
{
    plan_column_list wanted = {0};
    column_set all;
    for (size_t i = 0; i < (*child)->columns.count; i++)
        TRY(array_push(s->memory, &wanted, (*child)->columns.items[i]));
    TRY(start_set(s, &all));
    column_set_add_node(&all, *child);
    TRY(prune(s, *child, &all));
    bool is_same = wanted.count == (*child)->columns.count;
    for (size_t i = 0; i < wanted.count && is_same; i++)
        is_same = wanted.items[i].id == (*child)->columns.items[i].id;
    if (is_same)
        return STATUS_OK;
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!project)
        return status_no_memory("plan", sizeof *project);
    project->children[0] = *child;
    project->columns = wanted;
    project->estimated_rows = (*child)->estimated_rows;
    for (size_t i = 0; i < wanted.count; i++) {
        const plan_column *column = &wanted.items[i];
        expr *e =
            expr_new_column(s->memory, column->id, column->type, column->is_nullable, column->name);
        if (!e)
            return status_no_memory("plan", sizeof *e);
        TRY(array_push(s->memory, &project->project.exprs, e));
    }
    *child = project;
    return STATUS_OK;
}

static status prune_through(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    TRY(copy_set(s, needed, &below));
    if (node->kind == PLAN_FILTER)
        add_list(&below, &node->filter.conditions);
    if (node->kind == PLAN_REPEAT)
        column_set_add_expr(&below, node->repeat.count);
    if (node->kind == PLAN_SORT)
        for (size_t i = 0; i < node->sort.keys.count; i++)
            column_set_add_expr(&below, node->sort.keys.items[i].key);
    TRY(prune(s, node->children[0], &below));
    node->columns = node->children[0]->columns;
    return STATUS_OK;
}

static status prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return prune_scan(s, node, needed);
    case PLAN_PROJECT:
        return prune_project(s, node, needed);
    case PLAN_AGGREGATE:
        return prune_aggregate(s, node, needed);
    case PLAN_JOIN:
        return prune_join(s, node, needed);
    case PLAN_UNION:
        for (uint32_t i = 0; i < node->child_count; i++)
            TRY(prune_in_order(s, &node->children[i]));
        return STATUS_OK;
    case PLAN_VALUES:
    case PLAN_SHARED:
        return STATUS_OK;
    default:
        return prune_through(s, node, needed);
    }
}

status rewrite_columns(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(prune_in_order(statement, &statement->shared.items[i]));
    return prune_in_order(statement, &statement->root);
}
