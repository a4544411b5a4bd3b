/* bind_group.c - from rows to groups.
 *
 * The select list, HAVING and ORDER BY are bound over rows first, their aggregate calls being
 * columns already. Here each part that equals a GROUP BY expression becomes that group's column;
 * what then still refers to a row's column is an error. */
#include "plan/nodes/visit.h"
#include "sql/expression/bind_composite_plan.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/query_parts.h"
#include "sql/types/binder.h"

typedef struct grouping {
    binder *b;
    const bind_scope *scope;
    const plan_node *node; /* its first columns are the groups */
    const expr_list *groups;
    expr_index numbers;           /* of the groups */
    ARRAY(uint32_t) conjunctions; /* groups that are an AND or OR */
    status st;
} grouping;

static const bind_entry *entry_of(const bind_scope *scope, uint32_t id)
{
    for (size_t i = 0; (i = bind_scope_with_id(scope, id, i)) < scope->entries.count; i++)
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

static void group_set_group(grouping *g, size_t group, expr **slot)
{
    int32_t position = (*slot)->position;
    *slot = bind_column_expr(g->b, &g->node->columns.items[group]);
    if (!*slot)
        g->st = bind_no_memory();
    else
        (*slot)->position = position;
}

/* Conditions of an AND or OR that one after the other are a group: (a OR b) OR c is one OR of three. */
static void regroup_run(expr *e, size_t group, grouping *g)
{
    const expr *run = g->groups->items[group];
    if (e->kind != EXPR_CALL || (e->op != EXPR_AND && e->op != EXPR_OR) || run->kind != EXPR_CALL ||
        run->op != e->op)
        return;
    for (uint32_t at = 0; at + run->arg_count <= e->arg_count; at++) {
        uint32_t same = 0;
        while (same < run->arg_count && expr_equal(e->args[at + same], run->args[same]))
            same++;
        if (same < run->arg_count)
            continue;
        uint32_t end = at + same;
        memmove(e->args + at + 1, e->args + end, (e->arg_count - end) * sizeof *e->args);
        e->arg_count -= same - 1;
        group_set_group(g, group, &e->args[at]);
        if (g->st)
            return;
    }
}

/* Returns whether two CASEs choose by the same conditions. */
static bool has_conditions_of(const expr *e, const expr *other)
{
    if (e->arg_count != other->arg_count)
        return false;
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2)
        if (!expr_equal(e->args[i], other->args[i]))
            return false;
    return true;
}

/* Returns whether the CASE was folded of calls over one that is a group: GROUP BY CASE ... END, of which CASE ... END + 1 is
 * selected. */
static bool is_folded_of_group(const expr *e, const grouping *g)
{
    while (e->kind == EXPR_CASE && e->unfolded) {
        const expr *inner = NULL;
        for (uint32_t i = 0; i < e->unfolded->arg_count && !inner; i++)
            inner = e->unfolded->args[i]->kind == EXPR_CASE ? e->unfolded->args[i] : NULL;
        if (!inner || !has_conditions_of(e, inner))
            return false;
        if (expr_index_least(&g->numbers, inner) != EXPR_INDEX_NONE)
            return true;
        e = inner;
    }
    return false;
}

static void regroup(expr **slot, void *context)
{
    grouping *g = context;
    expr *e = *slot;
    if (g->st)
        return;
    uint32_t group = expr_index_least(&g->numbers, e);
    if (group != EXPR_INDEX_NONE) {
        group_set_group(g, group, slot);
        return;
    }
    if (is_folded_of_group(e, g)) {
        *slot = e->unfolded;
        regroup(slot, g);
        return;
    }
    for (size_t i = 0; i < g->conjunctions.count && !g->st; i++)
        regroup_run(e, g->conjunctions.items[i], g);
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

/* ---- GROUP BY of one set ---- */

static status group_add_group(binder *b, plan_node *node, expr *group)
{
    plan_column column = {.type = group->type, .is_nullable = group->is_nullable};
    bool passes =
        group->kind == EXPR_COLUMN && plan_column_index(node->children[0], group->column_id) >= 0;
    column.id = passes ? group->column_id : bind_new_id(b);
    column.name = group->kind == EXPR_COLUMN ? group->name : "group";
    TRY(array_push(b->memory, &node->columns, column));
    return array_push(b->memory, &node->aggregate.groups, group);
}

static status make_aggregate(binder *b, const bind_scope *scope, const expr_list *groups,
                             plan_node *node)
{
    for (size_t i = 0; i < groups->count; i++)
        TRY(group_add_group(b, node, groups->items[i]));
    for (size_t i = 0; i < scope->aggregates.count; i++) {
        TRY(array_push(b->memory, &node->columns, scope->aggregates.items[i].column));
        TRY(array_push(b->memory, &node->aggregate.aggregates, scope->aggregates.items[i].call));
    }
    return STATUS_OK;
}

/* ---- of several, or with GROUPING ---- */

/* Not in all sets: NULL in some. */
static bool is_left_out(const plan_grouping_set_list *sets, uint32_t group)
{
    for (size_t i = 0; i < sets->count; i++) {
        bool is_in = false;
        for (size_t k = 0; k < sets->items[i].count; k++)
            is_in |= sets->items[i].items[k] == group;
        if (!is_in)
            return true;
    }
    return false;
}

static status group_add_call(binder *b, const bind_grouping *call, const expr_list *groups,
                             plan_node *node)
{
    plan_grouping_set args = {0};
    for (size_t i = 0; i < call->args.count; i++) {
        uint32_t index = 0;
        while (index < groups->count && !expr_equal(call->args.items[i], groups->items[index]))
            index++;
        if (index == groups->count)
            return status_at(
                status_new(STATUS_KIND_INVALID, "arguments of GROUPING must be in GROUP BY"),
                call->args.items[i]->position);
        TRY(array_push(b->memory, &args, index));
    }
    TRY(array_push(b->memory, &node->columns, call->column));
    return array_push(b->memory, &node->grouping_sets.calls, args);
}

static status make_grouping_sets(binder *b, const bind_scope *scope, const expr_list *groups,
                                 const plan_grouping_set_list *sets, plan_node *node)
{
    node->grouping_sets.groups = *groups;
    node->grouping_sets.sets = *sets;
    for (size_t i = 0; i < groups->count; i++) {
        const expr *group = groups->items[i];
        plan_column column = {.id = bind_new_id(b), .type = group->type};
        column.name = group->kind == EXPR_COLUMN ? group->name : "group";
        column.is_nullable = group->is_nullable || is_left_out(sets, (uint32_t)i);
        TRY(array_push(b->memory, &node->columns, column));
    }
    for (size_t i = 0; i < scope->aggregates.count; i++) {
        TRY(array_push(b->memory, &node->columns, scope->aggregates.items[i].column));
        TRY(array_push(b->memory, &node->grouping_sets.aggregates,
                       scope->aggregates.items[i].call));
    }
    for (size_t i = 0; i < scope->groupings.count; i++)
        TRY(group_add_call(b, &scope->groupings.items[i], groups, node));
    return STATUS_OK;
}

static status number_groups(grouping *g)
{
    arena *a = g->b->memory;
    for (uint32_t i = 0; i < g->groups->count; i++) {
        const expr *e = g->groups->items[i];
        TRY(expr_index_add(a, &g->numbers, e));
        if (e->kind == EXPR_CALL && (e->op == EXPR_AND || e->op == EXPR_OR))
            TRY(array_push(a, &g->conjunctions, i));
    }
    return STATUS_OK;
}

status bind_aggregation(binder *b, bind_scope *scope, const expr_list *groups,
                        const plan_grouping_set_list *sets, expr **const *slots, size_t slot_count,
                        plan_node **node)
{
    bool is_one = sets->count == 1 && !scope->groupings.count;
    expr_list results = {0};
    plan_node *made = plan_node_new(b->memory, is_one ? PLAN_AGGREGATE : PLAN_GROUPING_SETS, 1);
    if (!made)
        return bind_no_memory();
    TRY(bind_composites(b, scope, groups, !is_one, node, &results));
    made->children[0] = *node;
    TRY(is_one ? make_aggregate(b, scope, groups, made)
               : make_grouping_sets(b, scope, groups, sets, made));
    grouping g = {.b = b, .scope = scope, .node = made, .groups = groups};
    TRY(number_groups(&g));
    for (size_t i = 0; i < slot_count; i++) {
        regroup(slots[i], &g);
        TRY(g.st);
    }
    *node = made;
    return bind_composite_results(b, scope, &results, node);
}
