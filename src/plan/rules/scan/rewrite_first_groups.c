/* rewrite_first_groups.c - aggregates by group of which any so many will do: their keys are found first,
 * and then only rows that have one of them are grouped.
 *
 *     limit n                            limit n
 *       aggregate k, sum(x)                aggregate k, sum(x)
 *         scan t [k, x]          ->          semi join on k
 *                                              scan t [k, x]
 *                                              limit n
 *                                                aggregate k
 *                                                  scan t [k]
 *
 * The second scan ends when it has seen so many keys (rule limits); the first drops other rows by a
 * runtime filter before it decodes other columns. */
#include "base/system/guard.h"
#include "plan/edit/copy_scan.h"
#include "plan/nodes/visit.h"
#include "plan/rules/scan/rewrite_runtime_filters.h"
#include "plan/tree/column_set.h"
#include "plan/tree/function.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* Keys that are looked for this way, and how many more groups there are to be, as far as one can
 * tell: of few groups the second scan would see all rows. */
#define KEYS_MOST 4096
#define GROUPS_FACTOR 16

static status first_groups_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* A key as an expression over the scan's columns: through the projections between. */
static expr *first_groups_over_scan(arena *a, expr *key, const plan_node *node)
{
    for (; key && node->kind == PLAN_PROJECT; node = node->children[0])
        key = expr_substitute(a, key, &node->columns, node->project.exprs.items);
    return key;
}

static status first_groups_find_keys(plan_statement *s, const plan_node *aggregate, expr_list *out,
                                     bool *are_repeatable)
{
    *are_repeatable = true;
    for (size_t i = 0; i < aggregate->aggregate.groups.count; i++) {
        expr *key = first_groups_over_scan(s->memory, aggregate->aggregate.groups.items[i],
                                           aggregate->children[0]);
        if (!key)
            return first_groups_no_memory();
        *are_repeatable &= expr_is_repeatable(key);
        TRY(array_push(s->memory, out, key));
    }
    return STATUS_OK;
}

/* Groups of the keys, without aggregates, over their own scan. */
static status rewrite_first_groups_group_keys(plan_statement *s, const plan_node *aggregate,
                                              const plan_node *scan, const expr_list *keys,
                                              plan_node **out)
{
    arena *a = s->memory;
    column_set emitted, read;
    plan_node *early = plan_node_new(a, PLAN_AGGREGATE, 1);
    expr **to = arena_alloc_array(a, scan->columns.count + 1, sizeof *to);
    if (!early || !to)
        return first_groups_no_memory();
    TRY(column_set_new(a, s->next_column_id, &emitted));
    column_set_add_list(&emitted, keys);
    TRY(column_set_copy(a, &emitted, &read));
    column_set_add_list(&read, &scan->scan.filters);
    TRY(plan_copy_scan(s, scan, &emitted, &read, to, &early->children[0]));
    for (size_t i = 0; i < keys->count; i++) {
        plan_column column = aggregate->columns.items[i];
        expr *key = expr_substitute(a, keys->items[i], &scan->columns, to);
        if (!key)
            return first_groups_no_memory();
        column.id = s->next_column_id++;
        TRY(array_push(a, &early->columns, column));
        TRY(array_push(a, &early->aggregate.groups, key));
    }
    early->position = aggregate->position;
    early->estimated_rows = aggregate->estimated_rows;
    *out = early;
    return STATUS_OK;
}

/* The aggregate's rows are those that have one of the keys. */
static status first_groups_join_keys(plan_statement *s, plan_node *aggregate, plan_node *keys)
{
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2), *child = aggregate->children[0];
    if (!join)
        return first_groups_no_memory();
    join->join.type = JOIN_SEMI;
    join->join.null_equal = true;
    join->columns = child->columns;
    join->position = aggregate->position;
    join->estimated_rows = keys->estimated_rows;
    join->children[0] = child;
    join->children[1] = keys;
    for (size_t i = 0; i < keys->columns.count; i++) {
        const plan_column *column = &keys->columns.items[i];
        expr *key = plan_column_expr(s->memory, column);
        if (!key)
            return first_groups_no_memory();
        TRY(array_push(s->memory, &join->join.left_keys, aggregate->aggregate.groups.items[i]));
        TRY(array_push(s->memory, &join->join.right_keys, key));
    }
    aggregate->children[0] = join;
    aggregate->estimated_rows = keys->estimated_rows;
    return plan_rule_is_on(s, RULE_runtime_filters) ? rewrite_offer_keys(s, join) : STATUS_OK;
}

static plan_node *below_projects(plan_node *node)
{
    while (node->kind == PLAN_PROJECT)
        node = node->children[0];
    return node;
}

static status first_groups_rewrite_aggregate(plan_statement *s, plan_node *aggregate, uint64_t rows)
{
    const plan_node *scan = below_projects(aggregate->children[0]);
    expr_list keys = {0};
    plan_node *early;
    bool are_repeatable;
    if (!aggregate->aggregate.groups.count || !aggregate->aggregate.aggregates.count ||
        aggregate->estimated_rows < (double)rows * GROUPS_FACTOR || scan->kind != PLAN_SCAN ||
        scan->scan.runtime_filters.count || scan->scan.bounds.count || scan->scan.end_row)
        return STATUS_OK;
    TRY(first_groups_find_keys(s, aggregate, &keys, &are_repeatable));
    if (!are_repeatable)
        return STATUS_OK;
    TRY(rewrite_first_groups_group_keys(s, aggregate, scan, &keys, &early));
    plan_node *limit = plan_limit_new(s->memory, early, rows);
    return limit ? first_groups_join_keys(s, aggregate, limit) : first_groups_no_memory();
}

static status first_groups_walk(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    uint64_t rows;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(first_groups_walk(s, node->children[i]));
    if (node->kind != PLAN_LIMIT || !node->limit.has_limit ||
        __builtin_add_overflow(node->limit.offset, node->limit.limit, &rows) || !rows ||
        rows > KEYS_MOST)
        return STATUS_OK;
    plan_node *below = below_projects(node->children[0]);
    return below->kind == PLAN_AGGREGATE ? first_groups_rewrite_aggregate(s, below, rows)
                                         : STATUS_OK;
}

status rewrite_first_groups(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(first_groups_walk(statement, statement->shared.items[i]));
    return first_groups_walk(statement, statement->root);
}
