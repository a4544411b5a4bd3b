/* rewrite_dependent_order.c - see rewrite_dependent_order.h. */
#include "plan/rules/subquery/rewrite_dependent_order.h"

/* Returns whether the rows keep the order of those below: a window without keys has a sort of a constant there. */
static bool passes_order(const plan_node *node)
{
    return node->kind == PLAN_PROJECT || node->kind == PLAN_LIMIT ||
           (node->kind == PLAN_SORT && node->sort.keeps_order && !node->sort.has_limit &&
            node->sort.keys.count == 1 && node->sort.keys.items[0].key->kind == EXPR_CONSTANT);
}

/* Has the nodes above a sort give out a column that it sorts by. */
static status pass_key(arena *a, plan_node *node, const plan_column *key)
{
    if (!passes_order(node) || plan_column_index(node, key->id) >= 0)
        return STATUS_OK;
    TRY(pass_key(a, node->children[0], key));
    if (node->kind != PLAN_PROJECT)
        return array_push(a, &node->columns, *key);
    expr *e = plan_column_expr(a, key);
    return plan_project_add(a, node, *key, e);
}

status dependent_given_order(arena *a, plan_node *below, plan_sort_key_list *out)
{
    const plan_node *sort = below;
    while (passes_order(sort))
        sort = sort->children[0];
    if (sort->kind != PLAN_SORT)
        return STATUS_OK;
    for (size_t i = 0; i < sort->sort.keys.count; i++) {
        const expr *key = sort->sort.keys.items[i].key;
        int at = key->kind == EXPR_COLUMN ? plan_column_index(sort, key->column_id) : -1;
        if (at < 0)
            return STATUS_OK;
        TRY(pass_key(a, below, &sort->columns.items[at]));
        TRY(array_push(a, out, sort->sort.keys.items[i]));
    }
    return STATUS_OK;
}
