/* repeatable.c - see repeatable.h. */
#include "plan/edit/repeatable.h"

#include "plan/nodes/visit.h"
#include "plan/tree/function.h"

static void look_repeatable(expr **slot, void *context)
{
    *(bool *)context &= !*slot || !expr_is_volatile(*slot);
}

bool plan_is_repeatable(const plan_node *node)
{
    bool is_repeatable = true;
    plan_visit_exprs((plan_node *)node, look_repeatable, &is_repeatable);
    return is_repeatable;
}

static bool expr_and_plans_are_repeatable(const expr *e)
{
    if (e->kind == EXPR_SUBQUERY && !plan_tree_is_repeatable(e->subquery))
        return false;
    if (e->kind == EXPR_CALL && function_is_volatile(e->op))
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!expr_and_plans_are_repeatable(e->args[i]))
            return false;
    return true;
}

static void look_tree_repeatable(expr **slot, void *context)
{
    *(bool *)context &= !*slot || expr_and_plans_are_repeatable(*slot);
}

bool plan_tree_is_repeatable(const plan_node *node)
{
    bool is_repeatable = true;
    plan_visit_exprs((plan_node *)node, look_tree_repeatable, &is_repeatable);
    for (uint32_t i = 0; i < node->child_count && is_repeatable; i++)
        is_repeatable = plan_tree_is_repeatable(node->children[i]);
    return is_repeatable;
}
