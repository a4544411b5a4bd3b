/* node_arrow_scan.c - the rows of Arrow files. */
#include "arrowfile/arrowfile_table.h"
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"

static void arrow_scan_write(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " %s", node->arrow_scan.table->name);
    plan_write_columns(w, node);
}

static status arrow_scan_verify(plan_verifier *v, const plan_node *node)
{
    if (node->arrow_scan.sources.count != node->columns.count)
        return plan_verify_error(node, "numbers of columns and sources differ");
    return plan_verify_made(v, node, 0, node->columns.count);
}

static double arrow_scan_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    return node->arrow_scan.table->estimated_rows;
}

static status arrow_scan_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    (void)s;
    size_t kept = 0;
    for (size_t i = 0; i < node->columns.count; i++) {
        if (!column_set_has(needed, node->columns.items[i].id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->arrow_scan.sources.items[kept++] = node->arrow_scan.sources.items[i];
    }
    node->columns.count = node->arrow_scan.sources.count = kept;
    return STATUS_OK;
}

const plan_node_ops plan_node_arrow_scan = {.write = arrow_scan_write,
                                            .verify = arrow_scan_verify,
                                            .estimate = arrow_scan_estimate,
                                            .prune = arrow_scan_prune};
