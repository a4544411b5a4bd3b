/* node_exchange.c - its child's rows, which other ranks made, too. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"

#include <inttypes.h>

static void exchange_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->exchange.keys, visit, context);
    plan_visit_optional(&node->exchange.ranged, visit, context);
    for (size_t i = 0; i < node->exchange.order.count; i++)
        visit(&node->exchange.order.items[i].key, context);
}

static void exchange_write(plan_writer *w, const plan_node *node)
{
    plan_write_columns(w, node);
    if (node->exchange.kind == EXCHANGE_BROADCAST && node->exchange.keys.count)
        plan_write_format(w, ", after %" PRIu64 " bytes", node->exchange.overflow_bytes);
    if (node->exchange.ranged) {
        plan_write_text(w, " by ranges of ");
        plan_write_expr(w, node->exchange.ranged);
    } else if (node->exchange.keys.count) {
        plan_write_text(w, " by ");
        plan_write_exprs(w, &node->exchange.keys, ", ");
    }
    if (node->exchange.kind == EXCHANGE_HASH && node->exchange.overflow_id)
        plan_write_text(w, ", if the broadcast overflows");
    if (node->exchange.heavy_id)
        plan_write_text(w, ", heavy keys stay");
    for (size_t i = 0; i < node->exchange.order.count; i++) {
        plan_write_text(w, i ? ", " : node->exchange.kind == EXCHANGE_RANGES ? " of " : " by ");
        plan_write_expr(w, node->exchange.order.items[i].key);
        if (node->exchange.order.items[i].is_descending)
            plan_write_text(w, " desc");
    }
    if (node->exchange.keeps_equals)
        plan_write_text(w, ", equal ones together");
    if (node->estimated_bytes >= 0)
        plan_write_format(w, "  (~%.0f bytes)", node->estimated_bytes);
}

const plan_node_ops plan_node_exchange = {.visit = exchange_visit, .write = exchange_write};
