/* copy_scan.c - a second scan of the same rows, for what is to be known of them beforehand. */
#include "plan/edit/copy_scan.h"

static status copy_scan_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* The columns of `read`, each with an id of its own; to[i] is the new one for scan->columns.items[i],
 * if it is in the set. */
static status copy_scan_copy_columns(plan_statement *s, const plan_node *scan,
                                     const column_set *emitted, const column_set *read,
                                     plan_node *copy, expr **to)
{
    arena *a = s->memory;
    for (size_t i = 0; i < scan->columns.count; i++) {
        plan_column column = scan->columns.items[i];
        bool is_emitted = column_set_has(emitted, column.id);
        if (column_set_has(read, column.id)) {
            column.id = s->next_column_id++;
            TRY(array_push(a, &copy->columns, column));
            TRY(array_push(a, &copy->scan.sources, scan->scan.sources.items[i]));
            TRY(array_push(a, &copy->scan.filter_only, !is_emitted));
        }
        to[i] = plan_column_expr(a, &column);
        if (!to[i])
            return copy_scan_no_memory();
    }
    return STATUS_OK;
}

status plan_copy_scan(plan_statement *s, const plan_node *scan, const column_set *emitted,
                      const column_set *read, expr **to, plan_node **out)
{
    arena *a = s->memory;
    plan_node *copy = plan_node_new(a, PLAN_SCAN, 0);
    if (!copy)
        return copy_scan_no_memory();
    copy->position = scan->position;
    copy->estimated_rows = scan->estimated_rows;
    copy->scan.table = scan->scan.table;
    copy->scan.table_name = scan->scan.table_name;
    TRY(copy_scan_copy_columns(s, scan, emitted, read, copy, to));
    for (size_t i = 0; i < scan->scan.filters.count; i++) {
        expr *e = expr_substitute(a, scan->scan.filters.items[i], &scan->columns, to);
        if (!e)
            return copy_scan_no_memory();
        TRY(array_push(a, &copy->scan.filters, e));
    }
    *out = copy;
    return STATUS_OK;
}
