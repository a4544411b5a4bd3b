/* rewrite_empty.c - what can have no rows is not run.
 *
 * A condition that is false or NULL for all rows, LIMIT 0, series that end before they begin, and what needs
 * rows of such become a node without rows:
 *
 *     aggregate groups [k]                  values, no rows
 *       inner join                    ->
 *         filter false
 *           ...
 *         scan t
 *
 * A full join without pairs is both sides, one behind the other. */
#include "base/system/guard.h"
#include "plan/edit/copy.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_series.h"
#include "plan/rules/rewrite_outer_joins.h"
#include "plan/tree/rule.h"

typedef struct emptiness {
    plan_statement *statement;
    bool *are_shared; /* by id of a shared plan: it has no rows */
} emptiness;

static bool empty_is_never_true(const expr_list *conditions)
{
    for (size_t i = 0; i < conditions->count; i++) {
        const expr *e = conditions->items[i];
        if (e->kind == EXPR_CONSTANT && e->type.id == TYPE_BOOL &&
            (e->constant.is_null || !e->constant.boolean))
            return true;
    }
    return false;
}

static bool is_join_empty(plan_join_type type, bool is_left_empty, bool is_right_empty,
                          bool has_pairs)
{
    switch (type) {
    case JOIN_INNER:
    case JOIN_SEMI:
        return is_left_empty || is_right_empty || !has_pairs;
    case JOIN_RIGHT:
        return is_right_empty;
    case JOIN_FULL:
        return is_left_empty && is_right_empty;
    default:
        return is_left_empty;
    }
}

/* The join's condition is never true. */
static status lacks_pairs(const emptiness *e, const plan_node *join, bool *out)
{
    expr_list parts = {0};
    if (join->join.residual)
        TRY(expr_split_and(e->statement->memory, join->join.residual, &parts));
    *out = empty_is_never_true(&parts);
    return STATUS_OK;
}

/* Has the node no rows, given whether its children have some, and a join's any pairs? */
static bool is_node_empty(const emptiness *e, const plan_node *node, const bool *are_children,
                          bool has_pairs)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return empty_is_never_true(&node->scan.filters);
    case PLAN_FILTER:
        return are_children[0] || empty_is_never_true(&node->filter.conditions);
    case PLAN_AGGREGATE:
        return are_children[0] && node->aggregate.groups.count;
    case PLAN_JOIN:
        return is_join_empty(node->join.type, are_children[0], are_children[1], has_pairs);
    case PLAN_SORT:
        return are_children[0] || (node->sort.has_limit && !node->sort.limit);
    case PLAN_LIMIT:
        return are_children[0] || (node->limit.has_limit && !node->limit.limit);
    case PLAN_UNION:
        for (uint32_t i = 0; i < node->child_count; i++)
            if (!are_children[i])
                return false;
        return true;
    case PLAN_SHARED:
        return e->are_shared[node->shared.id];
    case PLAN_PROJECT:
    case PLAN_WINDOW:
    case PLAN_WINDOW_LIMIT:
    case PLAN_REPEAT:
        return are_children[0];
    case PLAN_SERIES:
        return are_children[0] || plan_series_is_empty(node);
    default:
        return false;
    }
}

static status use_no_rows(emptiness *e, plan_node **node)
{
    plan_node *values = plan_node_new(e->statement->memory, PLAN_VALUES, 0);
    if (!values)
        return status_no_memory("plan", sizeof *values);
    values->columns = (*node)->columns;
    values->position = (*node)->position;
    plan_estimate(e->statement, values);
    *node = values;
    return STATUS_OK;
}

/* The side of which only rows with a partner come out, or -1: it need not run where there are no
 * pairs. */
static int side_of_partners(const plan_node *node)
{
    switch (node->join.type) {
    case JOIN_LEFT:
    case JOIN_ANTI:
    case JOIN_SINGLE:
        return 1;
    case JOIN_RIGHT:
        return 0;
    default:
        return -1;
    }
}

/* A join of which one side has no rows, and which has some all the same. */
static status drop_empty_side(const emptiness *e, plan_node **place, const bool *are_empty)
{
    plan_node *join = *place, *kept = join->children[are_empty[0]];
    switch (join->join.type) {
    case JOIN_ANTI:
    case JOIN_ANTI_NULL:
        *place = kept;
        return STATUS_OK;
    case JOIN_LEFT:
    case JOIN_RIGHT:
    case JOIN_FULL:
    case JOIN_SINGLE:
        return join->columns.count ? plan_pad_columns(e->statement, join, kept, place) : STATUS_OK;
    default:
        return STATUS_OK;
    }
}

/* A full join of which no two rows are a pair: the rows of both sides, with NULLs beside them. */
static status put_sides_behind_each_other(const emptiness *e, plan_node **place)
{
    plan_node *join = *place, *both = plan_node_new(e->statement->memory, PLAN_UNION, 2);
    if (!both)
        return status_no_memory("plan", sizeof *both);
    both->columns = join->columns;
    both->position = join->position;
    for (uint32_t i = 0; i < 2; i++) {
        /* The union makes the join's columns: the sides make others. */
        TRY(plan_pad_columns(e->statement, join, join->children[i], &both->children[i]));
        TRY(plan_copy_renamed(e->statement, both->children[i], &both->children[i]));
    }
    plan_estimate(e->statement, both);
    *place = both;
    return STATUS_OK;
}

static status empty_walk(emptiness *e, plan_node **place, bool *out)
{
    TRY(guard_check());
    plan_node *node = *place;
    bool lacks = false, *are_children = arena_alloc(e->statement->memory, node->child_count + 1);
    if (!are_children)
        return status_no_memory("plan", node->child_count + 1);
    if (node->kind == PLAN_JOIN)
        TRY(lacks_pairs(e, node, &lacks));
    int unwanted = lacks ? side_of_partners(node) : -1;
    if (unwanted >= 0)
        TRY(use_no_rows(e, &node->children[unwanted]));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(empty_walk(e, &node->children[i], &are_children[i]));
    if (unwanted >= 0)
        are_children[unwanted] = true;
    *out = is_node_empty(e, node, are_children, !lacks);
    if (*out)
        return use_no_rows(e, place);
    bool has_empty_side = node->kind == PLAN_JOIN && (are_children[0] || are_children[1]);
    if (has_empty_side)
        return drop_empty_side(e, place, are_children);
    if (lacks && node->join.type == JOIN_FULL && node->columns.count)
        return put_sides_behind_each_other(e, place);
    return STATUS_OK;
}

status rewrite_empty(plan_statement *statement)
{
    size_t count = statement->shared.count;
    emptiness e = {statement, arena_alloc(statement->memory, count + 1)};
    bool is_empty;
    if (!e.are_shared)
        return status_no_memory("plan", count + 1);
    for (size_t i = 0; i < count; i++)
        TRY(empty_walk(&e, &statement->shared.items[i], &e.are_shared[i]));
    TRY(empty_walk(&e, &statement->root, &is_empty));
    return plan_order_shared(statement); /* without those that nothing reads now */
}
