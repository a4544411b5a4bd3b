/* distribute_order.c - ORDER BY by ranges: ranks agree on ranges of the order, by samples of all rows, and each sorts the
 * rows of one. Rank 0 merges nothing.
 *
 *     append                                  rank 0's rows, then rank 1's, ...; not of COPY (PER_RANK)
 *       sort [k]                              each rank its range
 *         repartition by ranges of k
 *           project [..., key = f(x)]         where a key is not a column
 *
 * Each row is sent once more than if rank 0 merges what ranks have sorted. That is worth it for many rows: a merge is one
 * thread's work. */
#include "plan/distribute/distribute_order.h"

#include "plan/distribute/distribute_cost.h"
#include "plan/tree/rule.h"

/* Fewer rows are merged sooner than ranks agree on ranges. */
#define ORDER_ROWS_MIN 100000.0

static status order_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

status distribute_exchange_order(distributor *d, plan_node **slot, const plan_sort_key_list *order,
                                 bool keeps_equals)
{
    TRY(distribute_exchange(d, slot, EXCHANGE_RANGES, NULL));
    for (size_t i = 0; i < order->count; i++)
        TRY(array_push(d->statement->memory, &(*slot)->exchange.order, order->items[i]));
    (*slot)->exchange.keeps_equals = keeps_equals;
    d->statement->exchange_count++; /* ranks agree on the ranges */
    return STATUS_OK;
}

/* ---- keys ---- */

static bool is_column_of(const plan_node *node, const expr *key)
{
    return key->kind == EXPR_COLUMN && plan_column_index(node, key->column_id) >= 0;
}

bool distribute_keys_are_columns(const plan_node *sort)
{
    for (size_t i = 0; i < sort->sort.keys.count; i++)
        if (!is_column_of(sort, sort->sort.keys.items[i].key))
            return false;
    return true;
}

static bool gives_all_columns(const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count; i++)
        if (plan_is_kept_back(node, node->columns.items[i].id))
            return false;
    return true;
}

static expr *order_column(const distributor *d, const plan_column *column)
{
    return plan_column_expr(d->statement->memory, column);
}

/* Makes a projection of a node's columns, as they are. */
static status pass_columns(distributor *d, plan_node *child, const plan_column_list *columns,
                           plan_node **out)
{
    plan_node *project = plan_node_new(d->statement->memory, PLAN_PROJECT, 1);
    *out = project;
    if (!project)
        return order_no_memory();
    project->position = child->position;
    project->placement = child->placement;
    project->estimated_rows = child->estimated_rows;
    project->children[0] = child;
    for (size_t i = 0; i < columns->count; i++)
        TRY(plan_project_add(d->statement->memory, project, columns->items[i],
                             order_column(d, &columns->items[i])));
    return STATUS_OK;
}

/* Computes the keys below the sort, as columns of its own. */
static status compute_keys(distributor *d, plan_node *sort)
{
    plan_node *project;
    plan_sort_key_list keys = {0};
    TRY(pass_columns(d, sort->children[0], &sort->children[0]->columns, &project));
    for (size_t i = 0; i < sort->sort.keys.count; i++) {
        plan_sort_key key = sort->sort.keys.items[i];
        if (!is_column_of(sort, key.key)) {
            plan_column column = {.id = d->statement->next_column_id++,
                                  .name = "key",
                                  .type = key.key->type,
                                  .is_nullable = true};
            TRY(plan_project_add(d->statement->memory, project, column, key.key));
            key.key = order_column(d, &column);
            if (!key.key)
                return order_no_memory();
        }
        TRY(array_push(d->statement->memory, &keys, key));
    }
    sort->children[0] = project;
    sort->columns = project->columns;
    sort->sort.keys = keys;
    return STATUS_OK;
}

/* ---- the sort ---- */

/* Whether the rows that ranks have come out as they are: the sort is all of the statement but for what it computes. */
static bool stays_in_parts(const distributor *d, const plan_node *sort)
{
    const plan_node *node = d->statement->root;
    while (node->kind == PLAN_PROJECT)
        node = node->children[0];
    return d->statement->keeps_parts && node == sort;
}

bool distribute_may_order(const distributor *d, const plan_node *sort)
{
    bool is_worth_it = d->distribution->mode == DISTRIBUTE_ALWAYS || stays_in_parts(d, sort) ||
                       sort->estimated_rows >= ORDER_ROWS_MIN;
    return plan_rule_is_on(d->statement, RULE_order_by_ranges) && is_worth_it &&
           !sort->sort.has_limit && !sort->sort.keeps_order && sort->sort.keys.count &&
           gives_all_columns(sort->children[0]);
}

status distribute_order(distributor *d, plan_node **slot, site *out)
{
    plan_node *sort = *slot, *project;
    const plan_column_list columns = sort->columns;
    bool is_kept = stays_in_parts(d, sort), is_computed = !distribute_keys_are_columns(sort);
    if (is_computed)
        TRY(compute_keys(d, sort));
    TRY(distribute_exchange_order(d, &sort->children[0], &sort->sort.keys, false));
    sort->placement = PLACEMENT_PARTS;
    *out = distribute_site(is_kept ? PLACEMENT_PARTS : PLACEMENT_ONE, NULL);
    if (!is_kept)
        TRY(distribute_exchange(d, slot, EXCHANGE_APPEND, NULL));
    if (!is_computed)
        return STATUS_OK;
    TRY(pass_columns(d, *slot, &columns, &project));
    *slot = project;
    return STATUS_OK;
}
