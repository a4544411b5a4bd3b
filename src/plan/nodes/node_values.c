/* node_values.c - rows that the statement spells out. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"

static void values_visit(plan_node *node, plan_visitor *visit, void *context)
{
    for (size_t row = 0; row < node->values.rows.count; row++)
        for (size_t i = 0; i < node->columns.count; i++)
            visit(&node->values.rows.items[row][i], context);
}

static void values_write(plan_writer *w, const plan_node *node)
{
    plan_write_columns(w, node);
    size_t rows = node->values.rows.count, shown = rows < 8 ? rows : 8;
    for (size_t row = 0; row < shown; row++) {
        plan_write_text(w, row ? ", (" : " (");
        for (size_t i = 0; i < node->columns.count; i++) {
            if (i)
                plan_write_text(w, ", ");
            plan_write_expr(w, node->values.rows.items[row][i]);
        }
        plan_write_text(w, ")");
    }
    if (shown < rows)
        plan_write_format(w, ", ... %zu rows", rows);
}

static status values_verify(plan_verifier *v, const plan_node *node)
{
    for (size_t row = 0; row < node->values.rows.count; row++)
        for (size_t i = 0; i < node->columns.count; i++) {
            const expr *e = node->values.rows.items[row][i];
            TRY(plan_verify_expr(v, e));
            TRY(plan_verify_types(v, e, node->columns.items[i].type,
                                  "column and expression differ in type"));
        }
    return plan_verify_made(v, node, 0, node->columns.count);
}

static double values_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    return (double)node->values.rows.count;
}

const plan_node_ops plan_node_values = {.visit = values_visit,
                                        .write = values_write,
                                        .verify = values_verify,
                                        .estimate = values_estimate};
