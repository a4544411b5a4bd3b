/* rewrite_limits.c - a LIMIT whose rows may be any: groups beyond as many as it asks for are not
 * looked for, and a table's rows before its OFFSET and behind its end are not read. */
#include "parquet/table/table.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* Groups that may be counted as they are found. */
#define ENOUGH_MAX 65536
/* As rows of a scan begin (scan_ahead.h): whole words of bitmaps. */
#define ROWS_ALIGNMENT 64

/* The first rows of a scan may be enough. */
static void start_small(plan_node *node)
{
    while (node->kind == PLAN_PROJECT)
        node = node->children[0];
    if (node->kind == PLAN_SCAN)
        node->scan.is_stopped_early = true;
}

/* Stops at any `rows` of the node's rows, or groups. */
static void stop_groups(plan_node *node, uint64_t rows)
{
    switch (node->kind) {
    case PLAN_PROJECT:
        stop_groups(node->children[0], rows);
        break;
    case PLAN_UNION:
        for (uint32_t i = 0; i < node->child_count; i++)
            stop_groups(node->children[i], rows);
        break;
    case PLAN_AGGREGATE:
        if (node->aggregate.groups.count && !node->aggregate.aggregates.count &&
            node->estimated_rows >= (double)rows) {
            node->aggregate.enough = rows;
            start_small(node->children[0]);
        }
        break;
    default:
        break;
    }
}

/* The row where a word of a bitmap begins that has the row, or, for an end, the next such; in a
 * row group, which ends at any. Beyond the table: its end. */
static uint64_t align(const pq_table *table, uint64_t row, bool is_end)
{
    uint64_t before = 0;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        pq_row_group_ref ref = table->row_groups.items[i];
        uint64_t rows = table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
        if (row - before < rows) {
            uint64_t in_group = (row - before + (is_end ? ROWS_ALIGNMENT - 1 : 0)) /
                                ROWS_ALIGNMENT * ROWS_ALIGNMENT;
            return before + (in_group < rows ? in_group : rows);
        }
        before += rows;
    }
    return before;
}

/* The table's rows are taken as they lie. */
static void cut_scan(plan_node *limit)
{
    plan_node *scan = limit->children[0];
    while (scan->kind == PLAN_PROJECT)
        scan = scan->children[0];
    if (scan->kind != PLAN_SCAN || scan->scan.filters.count || scan->scan.runtime_filters.count ||
        scan->scan.end_row)
        return;
    const pq_table *table = scan->scan.table;
    if (table->is_closed || pq_table_has_deleted(table))
        return;
    uint64_t first = align(table, limit->limit.offset, false), end = UINT64_MAX;
    if (!limit->limit.has_limit ||
        __builtin_add_overflow(limit->limit.offset, limit->limit.limit, &end))
        end = UINT64_MAX;
    scan->scan.first_row = first;
    scan->scan.end_row = align(table, end, true);
    limit->limit.offset -= first < limit->limit.offset ? first : limit->limit.offset;
}

static void limits_walk(plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        limits_walk(node->children[i]);
    uint64_t rows;
    if (node->kind != PLAN_LIMIT)
        return;
    if (node->limit.has_limit &&
        !__builtin_add_overflow(node->limit.offset, node->limit.limit, &rows) && rows &&
        rows <= ENOUGH_MAX)
        stop_groups(node->children[0], rows);
    cut_scan(node);
}

status rewrite_limits(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        limits_walk(statement->shared.items[i]);
    limits_walk(statement->root);
    return STATUS_OK;
}
