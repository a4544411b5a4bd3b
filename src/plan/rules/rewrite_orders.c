/* rewrite_orders.c - rows are not sorted where nobody sees their order, and windows of which nothing is read go.
 *
 * Groups, joins and other orders take rows as they come:
 *
 *     aggregate [max(x)]                  aggregate [max(x)]
 *       window partition [k] []     ->      scan t [x]
 *         sort [k]
 *           scan t [x, k]
 *
 * An order is seen by the client, by LIMIT and by the windows above it. Of a common subplan it is that of all its uses. */
#include "base/mem.h"
#include "base/status.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

typedef struct search {
    plan_statement *statement;
    bool *are_seen; /* by id of a shared plan: its order, by some use */
    bool has_changed;
} search;

static bool has_columns_of(const plan_node *node, const plan_node *child)
{
    bool are_same = node->columns.count == child->columns.count;
    for (size_t i = 0; i < node->columns.count && are_same; i++)
        are_same = node->columns.items[i].id == child->columns.items[i].id;
    return are_same;
}

static bool orders_is_idle(const plan_node *node, bool is_seen)
{
    bool is_sort = node->kind == PLAN_SORT && !node->sort.has_limit && !is_seen;
    bool is_window = node->kind == PLAN_WINDOW && !node->window.calls.count;
    return (is_sort || is_window) && has_columns_of(node, node->children[0]);
}

/* Do rows of the node's children have to come in order, where its own are seen in order or not? */
static bool sees_order(const plan_node *node, bool is_seen)
{
    switch (node->kind) {
    case PLAN_AGGREGATE:
    case PLAN_JOIN:
        return false;
    case PLAN_SORT:
        return node->sort.keeps_order;
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_UNION:
        return is_seen;
    default:
        return true;
    }
}

static void orders_walk(search *s, plan_node **slot, bool is_seen)
{
    while (orders_is_idle(*slot, is_seen)) {
        *slot = (*slot)->children[0];
        s->has_changed = true;
    }
    plan_node *node = *slot;
    if (node->kind == PLAN_SHARED)
        s->are_seen[node->shared.id] |= is_seen;
    for (uint32_t i = 0; i < node->child_count; i++)
        orders_walk(s, &node->children[i], sees_order(node, is_seen));
}

/* Later shared plans may use earlier ones: all uses of one have been seen when it is looked at. */
status rewrite_orders(plan_statement *statement)
{
    search s = {.statement = statement};
    s.are_seen =
        arena_alloc_array(statement->memory, statement->shared.count + 1, sizeof *s.are_seen);
    if (!s.are_seen)
        return status_no_memory("plan", statement->shared.count);
    orders_walk(&s, &statement->root, true);
    for (size_t id = statement->shared.count; id-- > 0;)
        orders_walk(&s, &statement->shared.items[id], s.are_seen[id]);
    return s.has_changed ? rewrite_columns(statement) : STATUS_OK;
}
