/* node.c - the table of kinds of plan nodes, and small tools for their files. */
#include "plan/nodes/node.h"

#define ANY UINT32_MAX

static const struct kind {
    const char *name;
    const plan_node_ops *ops;
    uint32_t child_count;
} kinds[PLAN_KIND_COUNT] = {
#define PLAN_NODE(kind, file, name, children) {name, &plan_node_##file, children},
#include "plan/tree/nodes.def"
#undef PLAN_NODE
};

const plan_node_ops *plan_node_ops_of(const plan_node *node)
{
    return kinds[node->kind].ops;
}

uint32_t plan_node_children(const plan_node *node)
{
    uint32_t count = kinds[node->kind].child_count;
    return count == ANY ? node->child_count : count;
}

const char *plan_kind_name(plan_kind kind)
{
    return kinds[kind].name;
}

const char *plan_node_name(const plan_node *node)
{
    if (node->kind == PLAN_EXCHANGE)
        return plan_exchange_name(node->exchange.kind);
    return node->kind == PLAN_JOIN ? plan_join_name(node->join.type, node->join.build_left)
                                   : plan_kind_name(node->kind);
}

void plan_visit_list(expr_list *list, plan_visitor *visit, void *context)
{
    for (size_t i = 0; i < list->count; i++)
        visit(&list->items[i], context);
}

void plan_visit_optional(expr **slot, plan_visitor *visit, void *context)
{
    if (*slot)
        visit(slot, context);
}

void plan_estimate(const plan_statement *statement, plan_node *node)
{
    const plan_node_ops *ops = plan_node_ops_of(node);
    double rows =
        ops->estimate ? ops->estimate(statement, node) : node->children[0]->estimated_rows;
    node->estimated_rows = rows < 1 ? 1 : rows;
}
