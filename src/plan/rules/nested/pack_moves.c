/* pack_moves.c - see pack_moves.h. */
#include "plan/rules/nested/pack_moves.h"

#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/nodes/verify.h"
#include "plan/rules/nested/nested_edit.h"
#include "plan/rules/nested/read_leaves.h"

/* Nodes that pass their rows' columns as they are, and may wait for all of them or give them away. */
static bool moves_rows(const plan_node *node)
{
    return node->kind == PLAN_SORT || node->kind == PLAN_EXCHANGE || node->kind == PLAN_WINDOW ||
           node->kind == PLAN_WINDOW_LIMIT;
}

/* Nodes above one that moves rows that go with it: fewer rows are made of bytes again. */
static bool goes_along(const plan_node *node)
{
    return moves_rows(node) || (node->kind == PLAN_LIMIT && moves_rows(node->children[0]));
}

static status pack_tree(plan_statement *s, plan_node *node, plan_node **out)
{
    plan_node *bottom = node;
    TRY(guard_check());
    *out = node;
    if (!goes_along(node)) {
        for (uint32_t i = 0; i < node->child_count; i++)
            TRY(pack_tree(s, node->children[i], &node->children[i]));
        return STATUS_OK;
    }
    while (moves_rows(bottom->children[0]))
        bottom = bottom->children[0];
    TRY(pack_tree(s, bottom->children[0], &bottom->children[0]));
    if (!nested_has_columns(&bottom->children[0]->columns))
        return STATUS_OK;
    return nested_pack_chain(s, node, bottom, out);
}

status plan_pack_moves(plan_statement *statement)
{
    if (!statement->has_nested)
        return STATUS_OK;
    TRY(plan_each_tree(statement, pack_tree));
    TRY(nested_mark_leaves(statement));
    return status_context(plan_verify(statement), "after nested values were put into bytes");
}
