/* node_shared.c - the rows of a common subplan. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"

static void shared_write(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " %u", node->shared.id);
    plan_write_columns(w, node);
}

static status shared_verify(plan_verifier *v, const plan_node *node)
{
    const plan_statement *s = plan_verify_statement(v);
    size_t count = node->columns.count;
    if (node->shared.id >= s->shared.count || node->shared.sources.count != count)
        return plan_verify_error(node, "no such shared plan or column");
    const plan_node *plan = s->shared.items[node->shared.id];
    for (size_t i = 0; i < count; i++)
        if (node->shared.sources.items[i] >= plan->columns.count)
            return plan_verify_error(node, "no such shared plan or column");
    return plan_verify_made(v, node, 0, count);
}

static double shared_estimate(const plan_statement *s, const plan_node *node)
{
    return s->shared.items[node->shared.id]->estimated_rows;
}

static status shared_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    plan_column_list columns = {0};
    size_t kept = 0;
    for (size_t i = 0; i < node->columns.count; i++)
        if (column_set_has(needed, node->columns.items[i].id)) {
            TRY(array_push(s->memory, &columns, node->columns.items[i]));
            node->shared.sources.items[kept++] = node->shared.sources.items[i];
        }
    node->columns = columns;
    node->shared.sources.count = kept;
    return STATUS_OK;
}

const plan_node_ops plan_node_shared = {.write = shared_write,
                                        .verify = shared_verify,
                                        .estimate = shared_estimate,
                                        .prune = shared_prune};
