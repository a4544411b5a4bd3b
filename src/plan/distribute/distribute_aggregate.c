/* distribute_aggregate.c - groups whose rows lie on several ranks: each rank groups its own, then
 * those are sent and grouped again; or rows are sent as they are.
 *
 *     project [avg = sum / count]         only where there is an avg
 *       aggregate [sum(sum), sum(count)]
 *         repartition by groups           without groups: gather
 *           aggregate [sum(x), count(x)]
 */
#include "plan/distribute/distribute_aggregate.h"

#include "plan/distribute/distribute_apart.h"
#include "plan/distribute/distribute_distinct.h"
#include "plan/distribute/distribute_ranges.h"
#include "plan/facts/partial.h"

#include <assert.h>

/* Grouping before rows are sent pays if it leaves at most this share of them. */
#define PARTIAL_SHARE 0.5

typedef struct split {
    distributor *d;
    const plan_node *whole;
    const expr *together;                 /* equal values of it are on one rank; or NULL */
    plan_node *partial, *final, *project; /* project: NULL, where the final one gives the columns */
} split;

/* Returns whether results of ranks can be put together: of distinct values too, where each value is on one rank. */
static bool split_merges(const plan_aggregate *aggregate, const expr *together,
                         plan_aggregate_function *out)
{
    plan_aggregate apart = *aggregate;
    if (apart.is_distinct && together && expr_equal(apart.argument, together))
        apart.is_distinct = false;
    return plan_aggregate_merges(&apart, out) ||
           (apart.function == AGGREGATE_AVG && !apart.is_distinct);
}

static bool can_split(const plan_node *node, const expr *together)
{
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        plan_aggregate_function merged;
        if (!split_merges(&node->aggregate.aggregates.items[i], together, &merged))
            return false;
    }
    return true;
}

/* Returns whether it pays: if rows lie by ranges of a group, almost all groups are on one rank each. */
static bool aggregate_pays(const distributor *d, const plan_node *node, const site *from)
{
    double rows = node->children[0]->estimated_rows;
    bool lies = distribute_ranges_key(from->lies_by, &node->aggregate.groups) >= 0;
    return !node->aggregate.groups.count || d->distribution->mode == DISTRIBUTE_ALWAYS ||
           node->estimated_rows * (lies ? 1 : d->distribution->ranks) < rows * PARTIAL_SHARE;
}

static status aggregate_add_aggregate(split *s, plan_node *node, plan_aggregate aggregate,
                                      plan_column column)
{
    arena *a = s->d->statement->memory;
    TRY(array_push(a, &node->aggregate.aggregates, aggregate));
    return array_push(a, &node->columns, column);
}

static expr *aggregate_column_expr(split *s, plan_column column)
{
    return plan_column_expr(s->d->statement->memory, &column);
}

/* A function of the rows, and what puts its results together, whose column is given back. */
static status add_function(split *s, plan_aggregate aggregate, plan_aggregate_function together,
                           plan_column column, plan_column *out)
{
    plan_column own = column;
    own.id = s->d->statement->next_column_id++;
    TRY(aggregate_add_aggregate(s, s->partial, aggregate, own));
    plan_aggregate final = {.function = together,
                            .argument = aggregate_column_expr(s, own),
                            .position = aggregate.position};
    if (!final.argument)
        return status_no_memory("plan", sizeof(expr));
    *out = column;
    return aggregate_add_aggregate(s, s->final, final, column);
}

/* The sum and the number of what avg is of. */
static status split_mean(split *s, plan_aggregate aggregate, expr **out)
{
    data_type type = aggregate.argument->type;
    uint32_t *next_id = &s->d->statement->next_column_id;
    plan_column sum = {.id = (*next_id)++, .name = "sum", .is_nullable = true};
    plan_column count = {.id = (*next_id)++, .name = "count", .type = type_make(TYPE_INT64)};
    sum.type = plan_sum_type(type);
    aggregate.function = AGGREGATE_SUM;
    TRY(add_function(s, aggregate, AGGREGATE_SUM, sum, &sum));
    aggregate.function = AGGREGATE_COUNT;
    TRY(add_function(s, aggregate, AGGREGATE_SUM, count, &count));
    /* No values: the sum is NULL, and NULL / 0 is, too. */
    expr *of_sum = aggregate_column_expr(s, sum), *of_count = aggregate_column_expr(s, count);
    *out = of_sum && of_count ? plan_mean(s->d->statement->memory, of_sum, of_count) : NULL;
    return *out ? STATUS_OK : status_no_memory("plan", sizeof(expr));
}

static status split_one(split *s, plan_aggregate aggregate, plan_column column)
{
    arena *a = s->d->statement->memory;
    plan_aggregate_function together;
    expr *e;
    if (aggregate.function == AGGREGATE_AVG) {
        TRY(split_mean(s, aggregate, &e));
    } else {
        bool is_merged = split_merges(&aggregate, s->together, &together);
        assert(is_merged);
        (void)is_merged;
        TRY(add_function(s, aggregate, together, column, &column));
        e = aggregate_column_expr(s, column);
        if (!e)
            return status_no_memory("plan", sizeof *e);
    }
    return array_push(a, &s->project->project.exprs, e);
}

static status split_groups(split *s)
{
    arena *a = s->d->statement->memory;
    s->partial->aggregate.groups = s->whole->aggregate.groups;
    for (size_t i = 0; i < s->whole->aggregate.groups.count; i++) {
        plan_column column = s->whole->columns.items[i];
        expr *e = aggregate_column_expr(s, column);
        if (!e)
            return status_no_memory("plan", sizeof *e);
        TRY(array_push(a, &s->partial->columns, column));
        TRY(array_push(a, &s->final->columns, column));
        TRY(array_push(a, &s->final->aggregate.groups, e));
        TRY(array_push(a, &s->project->project.exprs, e));
    }
    return STATUS_OK;
}

static bool has_mean(const plan_node *node)
{
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++)
        if (node->aggregate.aggregates.items[i].function == AGGREGATE_AVG)
            return true;
    return false;
}

static status split_new(distributor *d, const plan_node *whole, const expr *together, split *out)
{
    arena *a = d->statement->memory;
    *out = (split){.d = d,
                   .whole = whole,
                   .together = together,
                   .partial = plan_node_new(a, PLAN_AGGREGATE, 1),
                   .final = plan_node_new(a, PLAN_AGGREGATE, 1),
                   .project = plan_node_new(a, PLAN_PROJECT, 1)};
    if (!out->partial || !out->final || !out->project)
        return status_no_memory("plan", sizeof(plan_node));
    out->partial->position = out->final->position = out->project->position = whole->position;
    double rows = whole->children[0]->estimated_rows;
    double groups = whole->estimated_rows * d->distribution->ranks;
    out->partial->estimated_rows = groups < rows ? groups : rows;
    out->final->estimated_rows = out->project->estimated_rows = whole->estimated_rows;
    out->partial->children[0] = whole->children[0];
    out->partial->aggregate.enough = whole->aggregate.enough;
    return STATUS_OK;
}

/* Brings together the rows of groups: by their hash or ranges, or, of no groups, on rank 0. */
static status aggregate_meet(distributor *d, plan_node **slot, const expr_list *groups, site *io)
{
    const site from = *io;
    if (groups->count)
        return distribute_meet(d, slot, &from, groups, io);
    *io = distribute_site(PLACEMENT_ONE, NULL);
    return distribute_gather(d, slot);
}

static status split_aggregate(distributor *d, plan_node **slot, const expr *together, site *out)
{
    split s;
    plan_node *whole = *slot;
    TRY(split_new(d, whole, together, &s));
    TRY(split_groups(&s));
    for (size_t i = 0; i < whole->aggregate.aggregates.count; i++)
        TRY(split_one(&s, whole->aggregate.aggregates.items[i],
                      whole->columns.items[whole->aggregate.groups.count + i]));
    s.partial->placement = PLACEMENT_PARTS;
    s.final->children[0] = s.partial;
    TRY(aggregate_meet(d, &s.final->children[0], &s.final->aggregate.groups, out));
    *slot = s.final;
    if (!has_mean(whole))
        return STATUS_OK;
    s.final->placement = out->placement;
    s.project->columns = whole->columns;
    s.project->children[0] = s.final;
    *slot = s.project;
    return STATUS_OK;
}

/* Distinct values of one expression: rows go by it where groups are few, and each rank's results are put
 * together. *out_is_done: nothing more is to be done. */
static status aggregate_distinct(distributor *d, plan_node **slot, site *io, bool *out_is_done)
{
    plan_node *node = *slot;
    expr *argument = distribute_distinct_argument(node);
    *out_is_done = false;
    if (!argument)
        return STATUS_OK;
    bool is_split = can_split(node, argument) && distribute_distinct_goes_first(d, node);
    TRY(distribute_distinct_early(d, node, &argument));
    if (!is_split)
        return STATUS_OK;
    expr_list by = {0};
    TRY(array_push(d->statement->memory, &by, argument));
    const site from = *io;
    if (!distribute_has_together(io, &by))
        TRY(distribute_meet(d, &node->children[0], &from, &by, io));
    *out_is_done = true;
    return split_aggregate(d, slot, argument, io);
}

/* Sends rows, not results. */
static status send_aggregate_rows(distributor *d, plan_node *node, site *io)
{
    node->aggregate.enough = 0; /* who sends is to be heard out */
    return aggregate_meet(d, &node->children[0], &node->aggregate.groups, io);
}

/* Makes an aggregate of rows, or of results if these can be put together. */
static status aggregate_rows(distributor *d, plan_node **slot, site *io)
{
    bool is_done;
    plan_node *node = *slot;
    if (can_split(node, NULL))
        return split_aggregate(d, slot, NULL, io);
    TRY(aggregate_distinct(d, slot, io, &is_done));
    return is_done ? STATUS_OK : send_aggregate_rows(d, node, io);
}

status distribute_aggregate(distributor *d, plan_node **slot, site *io)
{
    bool is_done;
    plan_node *node = *slot;
    if (io->placement != PLACEMENT_PARTS) {
        *io = distribute_site(PLACEMENT_ONE, NULL);
        return STATUS_OK;
    }
    if (distribute_has_together(io, &node->aggregate.groups))
        return STATUS_OK;
    if (can_split(node, NULL))
        return aggregate_pays(d, node, io) ? split_aggregate(d, slot, NULL, io)
                                           : send_aggregate_rows(d, node, io);
    TRY(distribute_apart(d, slot, io, aggregate_rows, &is_done));
    return is_done ? STATUS_OK : aggregate_rows(d, slot, io);
}
