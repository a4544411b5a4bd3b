/* node_move.c - its child's rows, moved from one device's memory to another's. */
#include "plan/nodes/node.h"

static void move_write(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " from %s to %s", node->move.from, node->move.to);
}

const plan_node_ops plan_node_move = {.write = move_write};
