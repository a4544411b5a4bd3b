/* visit.c - see visit.h. */
#include "plan/nodes/visit.h"

#include "base/system/guard.h"
#include "plan/nodes/node.h"

void plan_visit_exprs(plan_node *node, plan_visitor *visit, void *context)
{
    const plan_node_ops *ops = plan_node_ops_of(node);
    if (ops->visit)
        ops->visit(node, visit, context);
}

typedef struct column_visit {
    void (*visit)(uint32_t id, void *context);
    void *context;
} column_visit;

static void visit_plan(const plan_node *node, column_visit *v);

static void visit_slot(expr **slot, void *context)
{
    column_visit *v = context;
    expr_visit_columns(*slot, v->visit, v->context);
}

static void visit_plan(const plan_node *node, column_visit *v)
{
    if (!guard_may_go_on())
        return;
    /* The walk hands out slots, which this visitor only reads. */
    plan_visit_exprs((plan_node *)node, visit_slot, v);
    for (uint32_t i = 0; i < node->child_count; i++)
        visit_plan(node->children[i], v);
}

void expr_visit_columns(const expr *e, void (*visit)(uint32_t id, void *context), void *context)
{
    if (!guard_may_go_on())
        return;
    if (e->kind == EXPR_COLUMN)
        visit(e->column_id, context);
    for (uint32_t i = 0; i < e->arg_count; i++)
        expr_visit_columns(e->args[i], visit, context);
    if (e->kind == EXPR_SUBQUERY)
        visit_plan(e->subquery, &(column_visit){visit, context});
}

/* ---- what expressions read, as column sets ---- */

static void visit_add_visited(uint32_t id, void *context)
{
    column_set_add(context, id);
}

void column_set_add_expr(column_set *set, const expr *e)
{
    expr_visit_columns(e, visit_add_visited, set);
}

void column_set_add_list(column_set *set, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_set_add_expr(set, list->items[i]);
}

typedef struct check {
    const column_set *set;
    bool has_all, has_one;
} check;

static void visit_check_visited(uint32_t id, void *context)
{
    check *c = context;
    bool has = column_set_has(c->set, id);
    c->has_all &= has;
    c->has_one |= has;
}

bool column_set_covers(const column_set *set, const expr *e)
{
    check c = {set, true, false};
    expr_visit_columns(e, visit_check_visited, &c);
    return c.has_all;
}

bool column_set_meets(const column_set *set, const expr *e)
{
    check c = {set, true, false};
    expr_visit_columns(e, visit_check_visited, &c);
    return c.has_one;
}
