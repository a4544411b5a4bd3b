/* rewrite_window_limits.c - conditions on row_number() and rank(): of each partition only the first rows are
 * wanted, so that the rest need not be sorted.
 *
 *     filter [n <= 3]                            filter [n <= 3]
 *       window [row_number() as n]                 window [row_number() as n]
 *         sort [partition, order]          ->        sort [partition, order]
 *           rows                                       window limit [partition, order] first 3
 *                                                        rows
 *
 * Without a partition the sort gets the limit. The condition stays: what drops rows early may keep more than
 * are wanted. */
#include "plan/nodes/node.h"

#include "base/system/guard.h"
#include "plan/tree/rule.h"

/* Rows that are kept of a partition, at most: each new one is put in its place among them, by moving those
 * behind it. */
#define PARTITION_ROWS_MAX 1000
/* Rows of all partitions, at most. */
#define ROWS_MAX 1000000

/* The column that a condition bounds, and how many rows of a partition it lets pass at most. */
typedef struct row_bound {
    uint32_t column_id;
    uint64_t limit;
} row_bound;

static expr_op rewrite_window_limits_turned(expr_op op)
{
    switch (op) {
    case EXPR_GE:
        return EXPR_LE;
    case EXPR_GT:
        return EXPR_LT;
    default:
        return op == EXPR_EQ ? EXPR_EQ : EXPR_OP_COUNT;
    }
}

/* False: it bounds no column from above by a whole number. */
static bool window_limits_find_bound(const expr *condition, row_bound *out)
{
    if (condition->kind != EXPR_CALL || condition->arg_count != 2)
        return false;
    bool is_turned = condition->args[0]->kind == EXPR_CONSTANT;
    const expr *column = condition->args[is_turned], *constant = condition->args[!is_turned];
    expr_op op = is_turned ? rewrite_window_limits_turned(condition->op) : condition->op;
    if (column->kind != EXPR_COLUMN || constant->kind != EXPR_CONSTANT ||
        constant->constant.is_null || !type_is_integer(constant->type) ||
        (op != EXPR_LE && op != EXPR_LT && op != EXPR_EQ))
        return false;
    int128 limit = value_int128(&constant->constant) - (op == EXPR_LT);
    if (limit < 1 || limit > ROWS_MAX)
        return false;
    *out = (row_bound){column->column_id, (uint64_t)limit};
    return true;
}

/* Nothing that it computes of a row depends on rows behind it. */
static bool looks_back(const plan_window_call *call)
{
    return call->function == WINDOW_ROW_NUMBER || call->function == WINDOW_RANK ||
           call->function == WINDOW_DENSE_RANK;
}

/* The call that makes the column, if the window's partitions may be cut short behind its first rows. */
static const plan_window_call *find_call(const plan_node *window, uint32_t column_id)
{
    size_t first = window->columns.count - window->window.calls.count;
    const plan_window_call *found = NULL;
    for (size_t i = 0; i < window->window.calls.count; i++) {
        const plan_window_call *call = &window->window.calls.items[i];
        if (!looks_back(call))
            return NULL;
        if (window->columns.items[first + i].id == column_id)
            found = call;
    }
    return found && found->function != WINDOW_DENSE_RANK ? found : NULL;
}

static bool window_limits_is_ordered(data_type type)
{
    return type_is_numeric(type) || type_is_time(type) || type_is_text(type) ||
           type.id == TYPE_BOOL;
}

static status window_limits_add_limit(plan_statement *s, const plan_node *window,
                                      const plan_window_call *call, uint64_t limit)
{
    plan_node *sort = window->children[0];
    plan_node *node = plan_node_new(s->memory, PLAN_WINDOW_LIMIT, 1);
    if (!node)
        return status_no_memory("plan", sizeof *node);
    node->children[0] = sort->children[0];
    node->columns = sort->children[0]->columns;
    node->position = window->position;
    node->window_limit.partition = window->window.partition;
    node->window_limit.order = window->window.order;
    if (!window->window.order.count) { /* any rows: those of a partition are equal by its key */
        plan_sort_key key = {.key = window->window.partition.items[0]};
        TRY(array_push(s->memory, &node->window_limit.order, key));
    }
    node->window_limit.limit = limit;
    node->window_limit.drops_ties = call->function == WINDOW_ROW_NUMBER;
    node->estimated_rows = plan_node_ops_of(node)->estimate(s, node);
    sort->children[0] = node;
    sort->estimated_rows = node->estimated_rows;
    return STATUS_OK;
}

static status limit_window(plan_statement *s, const plan_node *window, const row_bound *bound)
{
    plan_node *sort = window->children[0];
    const plan_window_call *call = find_call(window, bound->column_id);
    if (!call || sort->kind != PLAN_SORT || sort->sort.has_limit)
        return STATUS_OK;
    if (window->window.partition.count) {
        const expr *first = window->window.order.count ? window->window.order.items[0].key
                                                       : window->window.partition.items[0];
        bool is_any = !window->window.order.count && call->function != WINDOW_ROW_NUMBER;
        return bound->limit <= PARTITION_ROWS_MAX && window_limits_is_ordered(first->type) &&
                       !is_any
                   ? window_limits_add_limit(s, window, call, bound->limit)
                   : STATUS_OK;
    }
    if (call->function != WINDOW_ROW_NUMBER || !window->window.order.count)
        return STATUS_OK;
    sort->sort.has_limit = true;
    sort->sort.limit = bound->limit;
    return STATUS_OK;
}

static status window_limits_walk(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(window_limits_walk(s, node->children[i]));
    if (node->kind != PLAN_FILTER || node->children[0]->kind != PLAN_WINDOW)
        return STATUS_OK;
    for (size_t i = 0; i < node->filter.conditions.count; i++) {
        row_bound bound;
        if (window_limits_find_bound(node->filter.conditions.items[i], &bound))
            return limit_window(s, node->children[0], &bound);
    }
    return STATUS_OK;
}

status rewrite_window_limits(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(window_limits_walk(statement, statement->shared.items[i]));
    return window_limits_walk(statement, statement->root);
}
