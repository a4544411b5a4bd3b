/* node_repeat.c - each of its child's rows as often as a column says. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"

static void repeat_visit(plan_node *node, plan_visitor *visit, void *context)
{
    visit(&node->repeat.count, context);
}

static void repeat_write(plan_writer *w, const plan_node *node)
{
    plan_write_columns(w, node);
    plan_write_text(w, " times ");
    plan_write_expr(w, node->repeat.count);
}

const plan_node_ops plan_node_repeat = {.visit = repeat_visit, .write = repeat_write};
