/* distribute_apart.c - aggregates without groups whose rows go to other ranks by different expressions: distinct values of
 * several, quantiles. Each kind is made for itself, of rows that all share:
 *
 *     project [columns in their order]
 *       inner join                            one row with one row, on rank 0
 *         aggregate [count(distinct x)]
 *           ... shared 0
 *         aggregate [count(distinct y)]
 *           ... shared 0 */
#include "plan/distribute/distribute_apart.h"

#include "plan/distribute/distribute_quantile.h"
#include "plan/distribute/distribute_shared.h"
#include "plan/edit/copy.h"
#include "plan/facts/partial.h"

/* Aggregates that are made together. */
typedef struct apart_part {
    const expr *argument,
        *filter; /* quantiles: of these; distinct values: of the argument; NULL: neither */
    bool has_quantiles;
    ARRAY(size_t) members; /* of the whole's aggregates */
    plan_node *top;        /* made of them, its columns in their order */
} apart_part;

typedef ARRAY(apart_part) apart_list;

static status apart_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static bool distribute_apart_are_equal(const expr *left, const expr *right)
{
    return left == right || (left && right && expr_equal(left, right));
}

/* Returns whether the aggregate can be made of parts; *out: with which others it can. */
static bool find_part(const plan_aggregate *aggregate, apart_part *out)
{
    plan_aggregate_function together;
    *out = (apart_part){0};
    if (plan_aggregate_merges(aggregate, &together) ||
        (aggregate->function == AGGREGATE_AVG && !aggregate->is_distinct))
        return true;
    out->argument = aggregate->argument;
    if (distribute_is_quantile(aggregate)) {
        out->filter = aggregate->filter;
        return out->has_quantiles = true;
    }
    plan_aggregate once = *aggregate;
    once.is_distinct = false;
    return aggregate->is_distinct && !aggregate->second &&
           (plan_aggregate_merges(&once, &together) || once.function == AGGREGATE_AVG);
}

static status add_member(distributor *d, apart_list *parts, const apart_part *part, size_t member)
{
    arena *a = d->statement->memory;
    for (size_t p = 0; p < parts->count; p++) {
        apart_part *known = &parts->items[p];
        if (known->has_quantiles == part->has_quantiles &&
            distribute_apart_are_equal(known->argument, part->argument) &&
            distribute_apart_are_equal(known->filter, part->filter))
            return array_push(a, &known->members, member);
    }
    TRY(array_push(a, parts, *part));
    return array_push(a, &parts->items[parts->count - 1].members, member);
}

/* Lists the parts; none, where the aggregate is not to be made apart. */
static status distribute_apart_list_parts(distributor *d, const plan_node *whole, apart_list *out)
{
    bool is_wanted = false, can = !whole->aggregate.groups.count && !d->is_in_shared;
    size_t distinct = 0;
    *out = (apart_list){0};
    for (size_t i = 0; i < whole->aggregate.aggregates.count && can; i++) {
        apart_part part;
        can = find_part(&whole->aggregate.aggregates.items[i], &part);
        if (can)
            TRY(add_member(d, out, &part, i));
    }
    for (size_t p = 0; p < out->count; p++) {
        is_wanted |= out->items[p].has_quantiles;
        distinct += out->items[p].argument && !out->items[p].has_quantiles;
    }
    if (!can || !(is_wanted || distinct > 1))
        out->count = 0;
    return STATUS_OK;
}

/* Makes an aggregate of the part's members over the whole's child. */
static status cut_part(distributor *d, const plan_node *whole, const apart_part *part,
                       plan_node **out)
{
    arena *a = d->statement->memory;
    plan_node *node = *out = plan_node_new(a, PLAN_AGGREGATE, 1);
    if (!node)
        return apart_no_memory();
    node->position = whole->position;
    node->estimated_rows = whole->estimated_rows;
    node->placement = PLACEMENT_ONE;
    node->children[0] = whole->children[0];
    for (size_t i = 0; i < part->members.count; i++) {
        size_t member = part->members.items[i];
        TRY(array_push(a, &node->columns, whole->columns.items[member]));
        TRY(array_push(a, &node->aggregate.aggregates, whole->aggregate.aggregates.items[member]));
    }
    return STATUS_OK;
}

static status make_part(distributor *d, const plan_node *whole, apart_part *part, const site *from,
                        bool is_only, status (*make)(distributor *d, plan_node **slot, site *io))
{
    site at = *from;
    bool is_done = false;
    plan_node *own;
    TRY(cut_part(d, whole, part, &own));
    part->top = own;
    if (!is_only)
        TRY(plan_copy_renamed(d->statement, own, &part->top));
    if (part->has_quantiles)
        TRY(distribute_quantiles(d, &part->top, &is_done));
    if (!is_done)
        TRY(make(d, &part->top, &at));
    part->top->placement = PLACEMENT_ONE;
    return STATUS_OK;
}

static status distribute_apart_join_parts(distributor *d, const apart_list *parts, plan_node **out)
{
    arena *a = d->statement->memory;
    *out = parts->items[0].top;
    for (size_t p = 1; p < parts->count; p++) {
        plan_node *join = plan_node_new(a, PLAN_JOIN, 2);
        if (!join)
            return apart_no_memory();
        join->children[0] = *out;
        join->children[1] = parts->items[p].top;
        join->placement = PLACEMENT_ONE;
        join->position = (*out)->position;
        join->estimated_rows = 1;
        for (unsigned side = 0; side < 2; side++)
            for (size_t i = 0; i < join->children[side]->columns.count; i++)
                TRY(array_push(a, &join->columns, join->children[side]->columns.items[i]));
        *out = join;
    }
    return STATUS_OK;
}

/* Returns the column that a part has made of an aggregate of the whole. */
static expr *made_column(const distributor *d, const apart_list *parts, size_t member)
{
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->items[p].members.count; i++)
            if (parts->items[p].members.items[i] == member) {
                const plan_column *column = &parts->items[p].top->columns.items[i];
                return plan_column_expr(d->statement->memory, column);
            }
    return NULL;
}

/* Puts the columns in the whole's order. */
static status order_columns(distributor *d, const plan_node *whole, const apart_list *parts,
                            plan_node *child, plan_node **out)
{
    plan_node *project = plan_node_new(d->statement->memory, PLAN_PROJECT, 1);
    if (!project)
        return apart_no_memory();
    project->children[0] = child;
    project->position = whole->position;
    project->placement = PLACEMENT_ONE;
    project->estimated_rows = whole->estimated_rows;
    project->columns = whole->columns;
    for (size_t i = 0; i < whole->columns.count; i++) {
        expr *e = made_column(d, parts, i);
        if (!e)
            return apart_no_memory();
        TRY(array_push(d->statement->memory, &project->project.exprs, e));
    }
    *out = project;
    return STATUS_OK;
}

status distribute_apart(distributor *d, plan_node **slot, site *io,
                        status (*make)(distributor *d, plan_node **slot, site *io),
                        bool *out_is_done)
{
    plan_node *whole = *slot, *joined;
    apart_list parts;
    uint32_t id;
    site from = *io;
    TRY(distribute_apart_list_parts(d, whole, &parts));
    *out_is_done = parts.count > 0;
    if (!parts.count)
        return STATUS_OK;
    if (parts.count > 1) {
        TRY(distribute_share(d, &whole->children[0], &id));
        from = distribute_site(PLACEMENT_PARTS, NULL);
    }
    for (size_t p = 0; p < parts.count; p++)
        TRY(make_part(d, whole, &parts.items[p], &from, parts.count == 1, make));
    *io = distribute_site(PLACEMENT_ONE, NULL);
    TRY(distribute_apart_join_parts(d, &parts, &joined));
    return parts.count == 1 ? (*slot = joined, STATUS_OK)
                            : order_columns(d, whole, &parts, joined, slot);
}
