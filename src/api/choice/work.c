/* work.c - see work.h. Rows come from the optimizer's estimates, bytes from footers. */
#include "api/choice/work.h"

#include "base/mem.h"
#include "exec/scan/scan_deal.h"
#include "parquet/table/table.h"

#include <math.h>

#define CHUNK_ROWS 8388608.0
#define UNKNOWN_ROWS 1000.0
/* A further chunk's share of steps: several tasks go on at once, and much is done once for all chunks. */
#define OF_FURTHER_CHUNKS 0.1

static double rows_of(const plan_node *node)
{
    return node->estimated_rows >= 0 ? node->estimated_rows : UNKNOWN_ROWS;
}

/* Returns the steps for rows of a node that takes so many for a chunk. */
static double steps_for(double steps, double rows)
{
    return steps * (rows > CHUNK_ROWS ? 1 + (ceil(rows / CHUNK_ROWS) - 1) * OF_FURTHER_CHUNKS : 1);
}

/* Returns what EXPLAIN ANALYZE counts for a chunk of rows, in the mean of the 22 queries of TPC-H at scale factor 1. */
static double steps_of(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return 6 + 3 * (double)node->scan.sources.count;
    case PLAN_FILTER:
        return 11;
    case PLAN_JOIN:
        return 60;
    case PLAN_AGGREGATE:
        return 59;
    case PLAN_LIMIT:
    case PLAN_SHARED:
        return 0;
    case PLAN_PROJECT:
        return 3;
    default:
        return 35; /* a sort's */
    }
}

/* Counts the calls of an expression. */
static double calls_of(const expr *e)
{
    double calls = e->kind != EXPR_COLUMN && e->kind != EXPR_CONSTANT;
    for (uint32_t i = 0; i < e->arg_count; i++)
        calls += calls_of(e->args[i]);
    return calls;
}

static double calls_of_list(const expr_list *list)
{
    double calls = 0;
    for (size_t i = 0; i < list->count; i++)
        calls += calls_of(list->items[i]);
    return calls;
}

/* Adds the row groups of a scan that statistics leave. Without memory for their weights all of them count. */
static void work_add_scan(const plan_statement *plan, const plan_node *scan, statement_work *work)
{
    const pq_table *table = scan->scan.table;
    size_t groups = table->row_groups.count;
    uint64_t *weights = mem_new_array(groups + 1, sizeof *weights);
    double rows = 0;
    if (weights)
        scan_weigh(plan, scan, weights);
    for (size_t i = 0; i < groups; i++) {
        pq_row_group_ref ref = table->row_groups.items[i];
        if (weights && !weights[i])
            continue;
        rows += (double)table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
        work->stored_bytes += weights ? (double)weights[i] : 0;
    }
    mem_free(weights);
    work->computed += rows * calls_of_list(&scan->scan.filters);
    work->steps += steps_for(steps_of(scan), rows);
}

/* Adds what the kind of node does to the rows of its children. */
static void add_kind(const plan_statement *plan, const plan_node *node, double rows,
                     statement_work *work)
{
    switch (node->kind) {
    case PLAN_SCAN:
        work_add_scan(plan, node, work);
        break;
    case PLAN_FILTER:
        work->computed += rows * calls_of_list(&node->filter.conditions);
        break;
    case PLAN_PROJECT:
        work->computed += rows * calls_of_list(&node->project.exprs);
        break;
    case PLAN_JOIN: {
        const plan_node *build = node->children[node->join.build_left ? 0 : 1];
        work->built += rows_of(build);
        work->probed += rows - rows_of(build);
        break;
    }
    case PLAN_AGGREGATE:
        work->grouped += rows * (1 + (double)node->aggregate.aggregates.count);
        break;
    case PLAN_SORT:
    case PLAN_WINDOW:
    case PLAN_WINDOW_LIMIT:
        work->ordered += rows;
        break;
    default:
        break;
    }
}

void statement_work_of_node(const plan_statement *plan, const plan_node *node, statement_work *out)
{
    double rows = 0;
    *out = (statement_work){0};
    for (uint32_t i = 0; i < node->child_count; i++)
        rows += rows_of(node->children[i]);
    if (node->kind != PLAN_SCAN)
        out->steps = steps_for(steps_of(node), rows);
    add_kind(plan, node, rows, out);
}
