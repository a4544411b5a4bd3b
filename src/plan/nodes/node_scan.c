/* node_scan.c - the rows of a table that meet conditions on its columns. */
#include "parquet/table/table.h"
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/tree/estimate.h"

static void scan_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->scan.filters, visit, context);
}

static void scan_write(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " %s", node->scan.table_name ? node->scan.table_name : "");
    plan_write_columns(w, node);
    if (node->scan.filters.count) {
        plan_write_text(w, " where ");
        plan_write_exprs(w, &node->scan.filters, " and ");
    }
    if (node->placement == PLACEMENT_COPIES)
        plan_write_text(w, " on every rank");
    if (node->scan.end_row)
        plan_write_format(w, " rows %llu to %llu", (unsigned long long)node->scan.first_row,
                          (unsigned long long)node->scan.end_row);
    size_t count = node->scan.runtime_filters.count;
    if (count)
        plan_write_text(w, count > 1 ? " takes filters" : " takes filter");
    for (size_t i = 0; i < count; i++)
        plan_write_format(w, "%s %u", i ? "," : "", node->scan.runtime_filters.items[i].id);
    for (size_t i = 0; i < node->scan.bounds.count; i++)
        plan_write_format(w, "%s %u", i ? "," : " takes bound", node->scan.bounds.items[i].id);
}

/* The filters are over the node's own columns. */
static status scan_verify(plan_verifier *v, const plan_node *node)
{
    size_t count = node->columns.count;
    if (node->scan.sources.count != count || node->scan.filter_only.count != count ||
        (node->scan.relied.count && node->scan.relied.count != count))
        return plan_verify_error(node, "numbers of columns and sources differ");
    if (node->scan.end_row && node->scan.first_row > node->scan.end_row)
        return plan_verify_error(node, "its rows end before they begin");
    TRY(plan_verify_made(v, node, 0, count));
    plan_verify_show(v, node, 1);
    TRY(plan_verify_conditions(v, &node->scan.filters));
    plan_verify_show(v, node, -1);
    return STATUS_OK;
}

static double scan_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    return (double)node->scan.table->row_count * plan_share_of_list(node, &node->scan.filters);
}

static status node_scan_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set filtered;
    TRY(column_set_new(s->memory, s->next_column_id, &filtered));
    column_set_add_list(&filtered, &node->scan.filters);
    for (size_t i = 0; i < node->scan.runtime_filters.count; i++)
        column_set_add(&filtered, node->scan.runtime_filters.items[i].column_id);
    for (size_t i = 0; i < node->scan.bounds.count; i++)
        for (size_t k = 0; k < node->scan.bounds.items[i].column_ids.count; k++)
            column_set_add(&filtered, node->scan.bounds.items[i].column_ids.items[k]);
    size_t kept = 0;
    node->scan.filter_only.count = 0;
    for (size_t i = 0; i < node->columns.count; i++) {
        uint32_t id = node->columns.items[i].id;
        bool is_needed = column_set_has(needed, id);
        if (!is_needed && !column_set_has(&filtered, id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->scan.sources.items[kept] = node->scan.sources.items[i];
        TRY(array_push(s->memory, &node->scan.filter_only, !is_needed));
        kept++;
    }
    node->columns.count = node->scan.sources.count = kept;
    return STATUS_OK;
}

const plan_node_ops plan_node_scan = {.visit = scan_visit,
                                      .write = scan_write,
                                      .verify = scan_verify,
                                      .estimate = scan_estimate,
                                      .prune = node_scan_prune};
