/* bind_group.c - from rows to groups.
 *
 * The select list, HAVING and ORDER BY are bound over rows first, their aggregate calls being
 * columns already. Here each part that equals a GROUP BY expression becomes that group's column;
 * what then still refers to a row's column is an error. */
#include "sql/binder.h"

typedef struct grouping {
    binder *b;
    const bind_scope *scope;
    const plan_node *node; /* the aggregate */
    size_t group_count;
    status st;
} grouping;

static const bind_entry *entry_of(const bind_scope *scope, uint32_t id)
{
    for (size_t i = 0; i < scope->entries.count; i++)
        if (scope->entries.items[i].id == id)
            return &scope->entries.items[i];
    return NULL;
}

static status ungrouped(const grouping *g, const bind_entry *entry, const expr *e)
{
    return bind_error(g->b, STATUS_KIND_INVALID, e->position,
                      "column \"%s%s%s\" must appear in the GROUP BY clause or be used in an "
                      "aggregate function",
                      entry->relation ? entry->relation : "", entry->relation ? "." : "",
                      entry->name);
}

static void regroup(expr **slot, void *context);

static void regroup_plan(plan_node *node, grouping *g)
{
    plan_visit_exprs(node, regroup, g);
    for (uint32_t i = 0; i < node->child_count; i++)
        regroup_plan(node->children[i], g);
}

static void regroup(expr **slot, void *context)
{
    grouping *g = context;
    expr *e = *slot;
    if (g->st)
        return;
    for (size_t i = 0; i < g->group_count; i++)
        if (expr_equal(e, g->node->aggregate.groups.items[i])) {
            *slot = bind_column_expr(g->b, &g->node->columns.items[i]);
            if (!*slot)
                g->st = bind_no_memory();
            else
                (*slot)->position = e->position;
            return;
        }
    if (e->kind == EXPR_COLUMN) {
        const bind_entry *entry = entry_of(g->scope, e->column_id);
        if (entry)
            g->st = ungrouped(g, entry, e);
        return;
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        regroup(&e->args[i], g);
    if (e->kind == EXPR_SUBQUERY)
        regroup_plan(e->subquery, g);
}

static status add_group(binder *b, plan_node *node, expr *group)
{
    plan_column column = {.type = group->type, .is_nullable = group->is_nullable};
    for (size_t i = 0; i < node->aggregate.groups.count; i++)
        if (expr_equal(group, node->aggregate.groups.items[i]))
            return STATUS_OK;
    bool passes =
        group->kind == EXPR_COLUMN && plan_column_index(node->children[0], group->column_id) >= 0;
    column.id = passes ? group->column_id : bind_new_id(b);
    column.name = group->kind == EXPR_COLUMN ? group->name : "group";
    TRY(array_push(b->memory, &node->columns, column));
    return array_push(b->memory, &node->aggregate.groups, group);
}

status bind_aggregation(binder *b, const bind_scope *scope, const expr_list *groups,
                        expr **const *slots, size_t slot_count, plan_node **node)
{
    plan_node *aggregate = plan_node_new(b->memory, PLAN_AGGREGATE, 1);
    if (!aggregate)
        return bind_no_memory();
    aggregate->children[0] = *node;
    for (size_t i = 0; i < groups->count; i++)
        TRY(add_group(b, aggregate, groups->items[i]));
    grouping g = {.b = b,
                  .scope = scope,
                  .node = aggregate,
                  .group_count = aggregate->aggregate.groups.count};
    for (size_t i = 0; i < scope->aggregates.count; i++) {
        TRY(array_push(b->memory, &aggregate->columns, scope->aggregates.items[i].column));
        TRY(array_push(b->memory, &aggregate->aggregate.aggregates,
                       scope->aggregates.items[i].call));
    }
    for (size_t i = 0; i < slot_count; i++) {
        regroup(slots[i], &g);
        TRY(g.st);
    }
    *node = aggregate;
    return STATUS_OK;
}
