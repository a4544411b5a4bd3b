/* rewrite_late_columns.c - the first few rows of a wide table in an order: their keys are found first,
 * by a scan of the keys' columns alone, and then the rows that have them.
 *
 *     sort limit k                     sort limit k
 *       scan t [all]          ->         semi join on the keys
 *                                          scan t [all] takes bound 1
 *                                          sort limit k gives bound 1
 *                                            scan t [keys]
 *
 * The join waits for its build side, so the second scan has the bound, and the keys as a runtime
 * filter, from its first row on, and decodes other columns only where it finds such a key. */
#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/edit/copy_scan.h"
#include "plan/edit/repeatable.h"
#include "plan/nodes/visit.h"
#include "plan/rules/scan/rewrite_runtime_filters.h"
#include "plan/tree/column_set.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

#include <math.h>

/* The least that it is to save, as a share of the bytes that are decoded without it. */
#define SAVING 0.2
/* With more rows for each row group, all have some. */
#define GROUP_ROWS_MAX 4

static status late_columns_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static plan_node *late_columns_find_scan(plan_node *node)
{
    while (node->kind == PLAN_PROJECT && plan_is_repeatable(node))
        node = node->children[0];
    return node->kind == PLAN_SCAN ? node : NULL;
}

/* ---- whether it pays ---- */

static uint64_t late_columns_column_bytes(const plan_node *scan, size_t number)
{
    const pq_table *table = scan->scan.table;
    const pq_table_column *column = &table->columns.items[scan->scan.sources.items[number]];
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        pq_row_group_ref ref = table->row_groups.items[i];
        const pq_metadata *m = table->files.items[ref.file].metadata;
        bytes += pq_table_column_bytes(&m->row_groups[ref.row_group], column);
    }
    return bytes;
}

/* Row groups, of so many, in which the rows are that were asked for, if they lie anywhere. */
static double groups_of_rows(double groups, double rows)
{
    return groups * -expm1(rows * log1p(-1 / groups));
}

/* Returns the number of groups in which a scan finds one of the first rows so far, if it looks at all of them once:
 * at the n-th that is so of rows / n of its own. */
static double groups_of_candidates(double groups, double rows)
{
    double sum = 0, whole = rows < groups ? rows : groups;
    for (double n = 1; n <= whole; n++)
        sum += -expm1(-rows / n);
    return groups > whole ? sum + rows * log(groups / whole) : sum;
}

static bool late_columns_pays(const plan_node *sort, const plan_node *scan, const column_set *early)
{
    double read_twice = 0, others = 0;
    double groups = (double)scan->scan.table->row_groups.count, rows = (double)sort->sort.limit;
    if (groups < 2 || rows >= GROUP_ROWS_MAX * groups)
        return false;
    for (size_t i = 0; i < scan->columns.count; i++) {
        double bytes = (double)late_columns_column_bytes(scan, i);
        *(column_set_has(early, scan->columns.items[i].id) ? &read_twice : &others) += bytes;
    }
    double found = groups_of_rows(groups, rows) / groups;
    double seen = groups_of_candidates(groups, rows) / groups;
    return read_twice * (1 + found) + others * found <= (1 - SAVING) * (read_twice + others * seen);
}

/* ---- the plan ---- */

static expr *key_of_scan(const plan_node *scan, uint32_t id, expr *const *to)
{
    return to[plan_column_index(scan, id)];
}

/* The sort of keys over their scan. `bound` has the scan's columns that are the sort's keys. */
static status sort_keys(plan_statement *s, const plan_node *sort, const plan_node *scan,
                        const plan_taken_bound *bound, expr *const *to, plan_node *keys_scan,
                        plan_node **out)
{
    arena *a = s->memory;
    plan_node *early = plan_node_new(a, PLAN_SORT, 1);
    plan_taken_bound taken = *bound;
    if (!early)
        return late_columns_no_memory();
    taken.column_ids = (__typeof__(taken.column_ids)){0};
    for (size_t k = 0; k < bound->column_ids.count; k++) {
        plan_sort_key key = sort->sort.keys.items[k];
        key.key = key_of_scan(scan, bound->column_ids.items[k], to);
        TRY(array_push(a, &early->sort.keys, key));
        TRY(array_push(a, &taken.column_ids, key.key->column_id));
    }
    TRY(array_push(a, &keys_scan->scan.bounds, taken));
    early->columns = keys_scan->columns;
    early->position = sort->position;
    early->estimated_rows = (double)sort->sort.limit;
    early->children[0] = keys_scan;
    early->sort.has_limit = true;
    early->sort.limit = sort->sort.limit;
    early->sort.bound = taken.id;
    *out = early;
    return STATUS_OK;
}

/* Rows of the sort's child that have one of the keys. */
static status late_columns_join_keys(plan_statement *s, plan_node *sort, plan_node *early)
{
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2), *child = sort->children[0];
    if (!join)
        return late_columns_no_memory();
    join->join.type = JOIN_SEMI;
    join->join.null_equal = true;
    join->columns = child->columns;
    join->position = sort->position;
    join->estimated_rows = early->estimated_rows;
    join->children[0] = child;
    join->children[1] = early;
    for (size_t k = 0; k < sort->sort.keys.count; k++) {
        TRY(array_push(s->memory, &join->join.left_keys, sort->sort.keys.items[k].key));
        TRY(array_push(s->memory, &join->join.right_keys, early->sort.keys.items[k].key));
    }
    sort->children[0] = join;
    return plan_rule_is_on(s, RULE_runtime_filters) ? rewrite_offer_keys(s, join) : STATUS_OK;
}

static status rewrite_late_columns_rewrite_sort(plan_statement *s, plan_node *sort)
{
    column_set keys, early;
    plan_node *scan = late_columns_find_scan(sort->children[0]), *keys_scan, *early_sort;
    if (!scan || !sort->sort.bound || !sort->sort.limit || scan->scan.bounds.count != 1 ||
        scan->scan.runtime_filters.count || scan->scan.end_row)
        return STATUS_OK;
    plan_taken_bound *bound = &scan->scan.bounds.items[0];
    if (bound->id != sort->sort.bound || !bound->has_all_keys)
        return STATUS_OK;
    TRY(column_set_new(s->memory, s->next_column_id, &keys));
    for (size_t k = 0; k < bound->column_ids.count; k++)
        column_set_add(&keys, bound->column_ids.items[k]);
    TRY(column_set_copy(s->memory, &keys, &early));
    column_set_add_list(&early, &scan->scan.filters);
    if (!late_columns_pays(sort, scan, &early))
        return STATUS_OK;
    expr **to = arena_alloc_array(s->memory, scan->columns.count + 1, sizeof *to);
    if (!to)
        return late_columns_no_memory();
    TRY(plan_copy_scan(s, scan, &keys, &early, to, &keys_scan));
    TRY(sort_keys(s, sort, scan, bound, to, keys_scan, &early_sort));
    TRY(late_columns_join_keys(s, sort, early_sort));
    sort->sort.bound = 0;
    bound->has_all_keys = false; /* the rows that the bound was made of come again */
    return STATUS_OK;
}

static status late_columns_walk(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(late_columns_walk(s, node->children[i]));
    return node->kind == PLAN_SORT ? rewrite_late_columns_rewrite_sort(s, node) : STATUS_OK;
}

status rewrite_late_columns(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(late_columns_walk(statement, statement->shared.items[i]));
    return late_columns_walk(statement, statement->root);
}
