/* rewrite_window_groups.c - aggregates over whole partitions are made of groups that are joined to the rows, so that
 * the rows need not be sorted.
 *
 *     window partition [k] [avg(x) as a]        left join on k is not distinct from k
 *       sort [k]                          ->      rows
 *         rows                                    aggregate groups [k] [avg(x) as a]
 *                                                   rows
 *
 * Each row has one partner: a left join makes no runtime filter and goes where nobody reads it (rewrite_duplicates.c).
 * A table's rows are read twice. Rows that are computed become a common subplan, which both sides read. Partitions of
 * few rows are sorted: a group for each would take more memory than the sort. */
#include "base/system/guard.h"
#include "plan/edit/copy.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node.h"
#include "plan/tree/estimate.h"
#include "plan/tree/expr.h"
#include "plan/tree/rule.h"

/* The least number of rows of a partition, on average, from which on groups are cheaper than a sort. */
#define WINDOW_GROUP_ROWS_MIN 8

/* Rows that have become a common subplan: its first reference and what was in its place. */
typedef struct shared_rows {
    const plan_node *reference, *rows;
} shared_rows;

/* A rewrite of a statement. */
typedef struct window_groups {
    plan_statement *statement;
    plan_node_list joins; /* made by the rule: each has the rows of its left side, once */
    ARRAY(shared_rows) shared;
} window_groups;

static status window_groups_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- where it can be done ---- */

/* Returns whether all rows of the partition are in the frame of each of them; the window has no order. */
static bool is_of_partition(const plan_window_call *call)
{
    const plan_frame *f = &call->frame;
    bool is_aggregate = call->function == WINDOW_AGGREGATE || call->function == WINDOW_DISTINCT;
    bool is_to_end = f->end.kind == FRAME_UNBOUNDED_FOLLOWING ||
                     (f->mode != FRAME_ROWS && f->end.kind == FRAME_CURRENT);
    bool is_from_start = f->start.kind == FRAME_UNBOUNDED_PRECEDING ||
                         (f->mode != FRAME_ROWS && f->start.kind == FRAME_CURRENT);
    return is_aggregate && !call->ignores_nulls && call->arg_count < 2 &&
           f->exclusion == FRAME_EXCLUDE_NONE && is_from_start && is_to_end;
}

/* Returns whether groups and joins find equal what a sort finds equal. */
static bool rewrite_window_groups_is_plain_key(const expr *e)
{
    return e->kind == EXPR_COLUMN && e->type.id != TYPE_FLOAT && e->type.id != TYPE_DOUBLE &&
           e->type.id != TYPE_INTERVAL;
}

/* Returns whether the rows are sorted for this window alone: without a partition by a constant. */
static bool has_own_sort(const plan_node *window)
{
    const plan_node *sort = window->children[0];
    size_t keys = window->window.partition.count ? window->window.partition.count : 1;
    return sort->kind == PLAN_SORT && !sort->sort.has_limit && !sort->sort.keeps_order &&
           sort->sort.keys.count == keys;
}

static bool can_have_groups(const plan_node *window)
{
    bool can = !window->window.order.count && window->window.calls.count && has_own_sort(window);
    for (size_t i = 0; can && i < window->window.calls.count; i++)
        can = is_of_partition(&window->window.calls.items[i]);
    for (size_t i = 0; can && i < window->window.partition.count; i++)
        can = rewrite_window_groups_is_plain_key(window->window.partition.items[i]);
    return can;
}

/* Returns whether the rows are a table's with nothing computed of them but conditions. */
static bool is_cheap(const plan_node *node)
{
    for (; node->kind == PLAN_PROJECT || node->kind == PLAN_FILTER; node = node->children[0])
        for (size_t i = 0; node->kind == PLAN_PROJECT && i < node->project.exprs.count; i++)
            if (node->project.exprs.items[i]->kind != EXPR_COLUMN)
                return false;
    return node->kind == PLAN_SCAN;
}

/* Returns whether the window's partitions have many rows; estimated of the rows themselves, not of a reference. */
static bool are_few(const window_groups *g, const plan_node *window, const plan_node *rows)
{
    double groups = 1;
    for (size_t i = 0; i < g->shared.count; i++)
        if (g->shared.items[i].reference == rows)
            rows = g->shared.items[i].rows;
    for (size_t i = 0; i < window->window.partition.count; i++)
        groups *= plan_distinct(rows, window->window.partition.items[i], rows->estimated_rows);
    return groups * WINDOW_GROUP_ROWS_MIN <= rows->estimated_rows;
}

/* ---- the rows that groups are made of ---- */

static bool is_of(const plan_node *rows, const expr *e)
{
    return plan_column_index(rows, e->column_id) >= 0;
}

/* Returns whether the columns that the window reads are columns of `rows`. */
static bool has_inputs(const plan_node *window, const plan_node *rows)
{
    bool has = true;
    for (size_t i = 0; has && i < window->window.partition.count; i++)
        has = is_of(rows, window->window.partition.items[i]);
    for (size_t i = 0; has && i < window->window.calls.count; i++) {
        const plan_window_call *call = &window->window.calls.items[i];
        has =
            !call->arg_count || call->args[0]->kind == EXPR_CONSTANT || is_of(rows, call->args[0]);
    }
    return has;
}

static bool rewrite_window_groups_is_made(const window_groups *g, const plan_node *node)
{
    for (size_t i = 0; i < g->joins.count; i++)
        if (g->joins.items[i] == node)
            return true;
    return false;
}

/* Returns where the rows are without the groups that other windows have added to them. */
static plan_node **base_rows(const window_groups *g, const plan_node *window, plan_node **rows)
{
    while (rewrite_window_groups_is_made(g, *rows) && has_inputs(window, (*rows)->children[0]))
        rows = &(*rows)->children[0];
    return rows;
}

/* Makes `*rows` a common subplan and puts one reference, which has the columns, at their place. */
static status share_rows(window_groups *g, plan_node **rows, plan_node **out)
{
    plan_statement *s = g->statement;
    plan_node *copy, *reference;
    uint32_t id;
    TRY(plan_copy_renamed(s, *rows, &copy));
    TRY(plan_make_shared(s, copy, &id));
    s->shared.items[id]->estimated_rows = copy->estimated_rows;
    TRY(plan_shared_reference(s, id, &reference));
    reference->estimated_rows = copy->estimated_rows;
    for (size_t i = 0; i < reference->columns.count; i++)
        reference->columns.items[i].id = (*rows)->columns.items[i].id;
    shared_rows shared = {reference, *rows};
    TRY(array_push(s->memory, &g->shared, shared));
    *rows = reference;
    TRY(plan_shared_reference(s, id, out));
    (*out)->estimated_rows = copy->estimated_rows;
    return STATUS_OK;
}

/* Returns the rows once more, with other ids. */
static status repeat_rows(window_groups *g, plan_node **rows, plan_node **out)
{
    if ((*rows)->kind == PLAN_SHARED || (is_cheap(*rows) && plan_tree_is_repeatable(*rows)))
        return plan_copy_renamed(g->statement, *rows, out);
    return share_rows(g, rows, out);
}

/* ---- groups and a join ---- */

/* Returns the expression with columns of `from` as columns of its copy. */
static expr *in_copy(plan_statement *s, expr *e, const plan_node *from, expr *const *to)
{
    return e ? expr_substitute(s->memory, e, &from->columns, to) : NULL;
}

static status columns_of_copy(plan_statement *s, const plan_node *copy, expr ***out)
{
    *out = arena_alloc_array(s->memory, copy->columns.count + 1, sizeof **out);
    if (!*out)
        return window_groups_no_memory();
    for (size_t i = 0; i < copy->columns.count; i++) {
        const plan_column *c = &copy->columns.items[i];
        (*out)[i] = plan_column_expr(s->memory, c);
        if (!(*out)[i])
            return window_groups_no_memory();
    }
    return STATUS_OK;
}

static status rewrite_window_groups_add_group(plan_statement *s, expr *key, expr *group,
                                              plan_node *aggregate)
{
    plan_column column = {.id = s->next_column_id++,
                          .name = key->name,
                          .type = key->type,
                          .is_nullable = key->is_nullable};
    if (!group)
        return window_groups_no_memory();
    TRY(array_push(s->memory, &aggregate->columns, column));
    return array_push(s->memory, &aggregate->aggregate.groups, group);
}

static status add_aggregate(plan_statement *s, const plan_window_call *call, expr *argument,
                            plan_node *aggregate)
{
    plan_aggregate added = {.function = call->aggregate,
                            .is_distinct = call->function == WINDOW_DISTINCT,
                            .argument = argument,
                            .position = call->position};
    if (call->arg_count && !argument)
        return window_groups_no_memory();
    return array_push(s->memory, &aggregate->aggregate.aggregates, added);
}

/* Makes groups of `copy`, a copy of `rows`; the calls keep their columns. */
static status rewrite_window_groups_make(plan_statement *s, const plan_node *window,
                                         const plan_node *rows, plan_node *copy, plan_node **out)
{
    size_t first = window->columns.count - window->window.calls.count;
    plan_node *aggregate = plan_node_new(s->memory, PLAN_AGGREGATE, 1);
    expr **to;
    if (!aggregate)
        return window_groups_no_memory();
    aggregate->children[0] = copy;
    TRY(columns_of_copy(s, copy, &to));
    for (size_t i = 0; i < window->window.partition.count; i++) {
        expr *key = window->window.partition.items[i];
        TRY(rewrite_window_groups_add_group(s, key, in_copy(s, key, rows, to), aggregate));
    }
    for (size_t i = 0; i < window->window.calls.count; i++) {
        const plan_window_call *call = &window->window.calls.items[i];
        expr *argument = in_copy(s, call->arg_count ? call->args[0] : NULL, rows, to);
        TRY(add_aggregate(s, call, argument, aggregate));
        TRY(array_push(s->memory, &aggregate->columns, window->columns.items[first + i]));
    }
    aggregate->position = window->position;
    plan_estimate(s, aggregate);
    *out = aggregate;
    return STATUS_OK;
}

static status rewrite_window_groups_join(plan_statement *s, const plan_node *window,
                                         plan_node *rows, plan_node *groups, plan_node **out)
{
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2);
    if (!join)
        return window_groups_no_memory();
    join->join.type = window->window.partition.count ? JOIN_LEFT : JOIN_INNER;
    join->join.null_equal = window->window.partition.count > 0;
    join->columns = window->columns;
    join->position = window->position;
    join->children[0] = rows;
    join->children[1] = groups;
    for (size_t i = 0; i < window->window.partition.count; i++) {
        const plan_column *c = &groups->columns.items[i];
        expr *key = plan_column_expr(s->memory, c);
        if (!key)
            return window_groups_no_memory();
        TRY(array_push(s->memory, &join->join.left_keys, window->window.partition.items[i]));
        TRY(array_push(s->memory, &join->join.right_keys, key));
    }
    join->estimated_rows = rows->estimated_rows;
    *out = join;
    return STATUS_OK;
}

/* ---- the rule ---- */

static status replace_window(window_groups *g, plan_node **place)
{
    plan_node *window = *place, *groups, *copy;
    plan_node **rows = base_rows(g, window, &window->children[0]->children[0]);
    if (!are_few(g, window, *rows))
        return STATUS_OK;
    TRY(repeat_rows(g, rows, &copy));
    TRY(rewrite_window_groups_make(g->statement, window, *rows, copy, &groups));
    TRY(rewrite_window_groups_join(g->statement, window, window->children[0]->children[0], groups,
                                   place));
    return array_push(g->statement->memory, &g->joins, *place);
}

/* Returns whether what is below the node comes in the order of its child for a window above. */
static bool passes_order(const plan_node *node, bool is_seen)
{
    return node->kind == PLAN_WINDOW ||
           (is_seen && (node->kind == PLAN_PROJECT || node->kind == PLAN_FILTER));
}

static status window_groups_walk(window_groups *g, plan_node **place, bool is_order_seen)
{
    plan_node *node = *place;
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(window_groups_walk(g, &node->children[i], passes_order(node, is_order_seen)));
    if (node->kind != PLAN_WINDOW || is_order_seen || !can_have_groups(node))
        return STATUS_OK;
    return replace_window(g, place);
}

status rewrite_window_groups(plan_statement *statement)
{
    window_groups g = {.statement = statement};
    size_t count = statement->shared.count;
    for (size_t i = 0; i < count; i++)
        TRY(window_groups_walk(&g, &statement->shared.items[i], false));
    TRY(window_groups_walk(&g, &statement->root, false));
    return statement->shared.count > count ? plan_order_shared(statement) : STATUS_OK;
}
