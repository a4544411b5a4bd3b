/* node_text_scan.c - the rows of csv and JSON files. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "textfile/table/text_table.h"

static void text_scan_write(plan_writer *w, const plan_node *node)
{
    const text_table *table = node->text_scan.table;
    plan_write_format(w, table->options->gives_rejects ? " rejects of %s" : " %s", table->name);
    plan_write_columns(w, node);
}

static status text_scan_verify(plan_verifier *v, const plan_node *node)
{
    if (node->text_scan.sources.count != node->columns.count)
        return plan_verify_error(node, "numbers of columns and sources differ");
    return plan_verify_made(v, node, 0, node->columns.count);
}

static double text_scan_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    return node->text_scan.table->estimated_rows;
}

static status text_scan_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    (void)s;
    size_t kept = 0;
    for (size_t i = 0; i < node->columns.count; i++) {
        if (!column_set_has(needed, node->columns.items[i].id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->text_scan.sources.items[kept++] = node->text_scan.sources.items[i];
    }
    node->columns.count = node->text_scan.sources.count = kept;
    return STATUS_OK;
}

const plan_node_ops plan_node_text_scan = {.write = text_scan_write,
                                           .verify = text_scan_verify,
                                           .estimate = text_scan_estimate,
                                           .prune = text_scan_prune};
