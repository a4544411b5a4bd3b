/* node_union.c - the rows of all its children, column by column. */
#include "plan/node.h"

/* What the children make is theirs alone. */
static status verify(plan_verifier *v, const plan_node *node)
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

static double estimate(const plan_statement *s, const plan_node *node)
{
    double rows = 0;
    (void)s;
    for (uint32_t i = 0; i < node->child_count; i++)
        rows += node->children[i]->estimated_rows;
    return rows;
}

static status prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    (void)needed;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(plan_prune_in_order(s, &node->children[i]));
    return STATUS_OK;
}

const plan_node_ops plan_node_union = {.verify = verify, .estimate = estimate, .prune = prune};
