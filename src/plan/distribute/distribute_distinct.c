/* distribute_distinct.c - count(DISTINCT x) and its like, whose rows lie on several ranks. Rows with equal x
 * meet, and what each rank counts of its values can be added up:
 *
 *     aggregate [sum(count)]
 *       gather                                  with groups: repartition by groups
 *         aggregate [count(distinct x)]
 *           repartition by x
 *             aggregate groups [x]              where ranks have values several times
 *
 * Of many groups rows go by these at once: the aggregate above is not made of parts then. */
#include "plan/distribute/distribute_distinct.h"

#include "plan/facts/partial.h"
#include "plan/tree/estimate.h"

/* With fewer groups for each rank the hash would deal them out unevenly. */
#define GROUPS_FOR_RANK 32

static bool counts_distinct(const plan_aggregate *aggregate)
{
    plan_aggregate_function together;
    return aggregate->is_distinct && !plan_aggregate_merges(aggregate, &together);
}

expr *distribute_distinct_argument(const plan_node *node)
{
    expr *argument = NULL;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        if (!counts_distinct(aggregate))
            continue;
        if (aggregate->second || (argument && !expr_equal(argument, aggregate->argument)))
            return NULL;
        argument = aggregate->argument;
    }
    for (size_t i = 0; argument && i < node->aggregate.groups.count; i++)
        if (expr_equal(node->aggregate.groups.items[i], argument))
            return NULL;
    return argument;
}

bool distribute_distinct_goes_first(const distributor *d, const plan_node *node)
{
    return node->estimated_rows < (double)d->distribution->ranks * GROUPS_FOR_RANK;
}

/* Groups, each with each of its values, among all rows. */
static double distribute_distinct_count_pairs(const plan_node *node, const expr *argument)
{
    const plan_node *child = node->children[0];
    double rows = child->estimated_rows, pairs = plan_distinct(child, argument, rows);
    for (size_t i = 0; i < node->aggregate.groups.count; i++)
        pairs *= plan_distinct(child, node->aggregate.groups.items[i], rows);
    return pairs < rows ? pairs : rows;
}

/* Ranks have values several times, which may be guessed of texts alone. */
static bool distinct_early_pays(const distributor *d, const plan_node *node, const expr *argument)
{
    double rows = node->children[0]->estimated_rows;
    if (d->distribution->mode == DISTRIBUTE_ALWAYS || type_is_text(argument->type))
        return true;
    return distribute_distinct_count_pairs(node, argument) * d->distribution->ranks <= rows;
}

/* A filter chooses among the values that a group has: it cannot be asked of one row for all. Means need two
 * columns for one. */
static bool can_go_early(const plan_node *node)
{
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        plan_aggregate_function together;
        if (counts_distinct(aggregate) ? aggregate->filter != NULL
                                       : !plan_aggregate_merges(aggregate, &together))
            return false;
    }
    return true;
}

static status distinct_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static expr *distinct_column(distributor *d, const plan_column *column)
{
    return plan_column_expr(d->statement->memory, column);
}

/* Adds a group to the early aggregate; *out is its column. */
static status add_group(distributor *d, plan_node *early, expr *group, plan_column column,
                        expr **out)
{
    arena *a = d->statement->memory;
    TRY(array_push(a, &early->columns, column));
    TRY(array_push(a, &early->aggregate.groups, group));
    *out = distinct_column(d, &column);
    return *out ? STATUS_OK : distinct_no_memory();
}

/* The groups of the node, then the argument. */
static status distribute_distinct_add_groups(distributor *d, plan_node *node, plan_node *early,
                                             expr **io_argument)
{
    expr *argument = *io_argument;
    for (size_t i = 0; i < node->aggregate.groups.count; i++)
        TRY(add_group(d, early, node->aggregate.groups.items[i], node->columns.items[i],
                      &node->aggregate.groups.items[i]));
    plan_column column = {.id = argument->kind == EXPR_COLUMN ? argument->column_id
                                                              : d->statement->next_column_id++,
                          .name = argument->kind == EXPR_COLUMN ? argument->name : "value",
                          .type = argument->type,
                          .is_nullable = true};
    return add_group(d, early, argument, column, io_argument);
}

/* The early aggregate has what the node's other aggregates are made of. */
static status add_aggregates(distributor *d, plan_node *node, plan_node *early, expr *argument)
{
    arena *a = d->statement->memory;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        plan_column column = node->columns.items[node->aggregate.groups.count + i];
        plan_aggregate_function together;
        if (!plan_aggregate_merges(aggregate, &together)) {
            aggregate->argument = argument;
            continue;
        }
        column.id = d->statement->next_column_id++;
        TRY(array_push(a, &early->aggregate.aggregates, *aggregate));
        TRY(array_push(a, &early->columns, column));
        *aggregate = (plan_aggregate){.function = together,
                                      .argument = distinct_column(d, &column),
                                      .position = aggregate->position};
        if (!aggregate->argument)
            return distinct_no_memory();
    }
    return STATUS_OK;
}

status distribute_distinct_early(distributor *d, plan_node *node, expr **io_argument)
{
    if (!can_go_early(node) || !distinct_early_pays(d, node, *io_argument))
        return STATUS_OK;
    plan_node *child = node->children[0];
    plan_node *early = plan_node_new(d->statement->memory, PLAN_AGGREGATE, 1);
    if (!early)
        return distinct_no_memory();
    double rows = distribute_distinct_count_pairs(node, *io_argument) * d->distribution->ranks;
    early->position = node->position;
    early->placement = PLACEMENT_PARTS;
    early->estimated_rows = rows < child->estimated_rows ? rows : child->estimated_rows;
    early->children[0] = child;
    TRY(distribute_distinct_add_groups(d, node, early, io_argument));
    TRY(add_aggregates(d, node, early, *io_argument));
    node->children[0] = early;
    return STATUS_OK;
}
