/* node_union.c - the rows of all its children, column by column. */
#include "plan/nodes/node.h"
#include "plan/nodes/prune.h"

/* Checks that the children's columns are theirs alone. */
static status union_verify(plan_verifier *v, const plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        const plan_column_list *columns = &node->children[i]->columns;
        if (columns->count != node->columns.count)
            return plan_verify_error(node, "numbers of columns differ");
        for (size_t j = 0; j < columns->count; j++)
            if (!type_equal(columns->items[j].type, node->columns.items[j].type))
                return plan_verify_error(node, "types of columns differ");
    }
    return plan_verify_made(v, node, 0, node->columns.count);
}

static double union_estimate(const plan_statement *s, const plan_node *node)
{
    double rows = 0;
    (void)s;
    for (uint32_t i = 0; i < node->child_count; i++)
        rows += node->children[i]->estimated_rows;
    return rows;
}

/* The child's columns at the places of those that are kept. */
static status prune_child(plan_statement *s, const plan_node *node, const plan_column_list *kept,
                          plan_node **child)
{
    plan_column_list wanted = {0};
    for (size_t i = 0; i < kept->count; i++) {
        int place = plan_column_index(node, kept->items[i].id);
        TRY(array_push(s->memory, &wanted, (*child)->columns.items[place]));
    }
    return plan_prune_to(s, child, &wanted);
}

static status union_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    plan_column_list columns = {0};
    for (size_t c = 0; c < node->columns.count; c++)
        if (column_set_has(needed, node->columns.items[c].id))
            TRY(array_push(s->memory, &columns, node->columns.items[c]));
    if (!columns.count && node->columns.count)
        TRY(array_push(s->memory, &columns, node->columns.items[0]));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(prune_child(s, node, &columns, &node->children[i]));
    node->columns = columns;
    return STATUS_OK;
}

const plan_node_ops plan_node_union = {
    .verify = union_verify, .estimate = union_estimate, .prune = union_prune};
