/* distribute_quantile.c - quantiles of all rows, by ranges of their values. Rows have numbers in the order of the values,
 * and rank 0 gets those that the quantiles lie at or between:
 *
 *     project [low + (high - low) * share of the way]
 *       aggregate [max(v) where n is the low place, max(v) where n is the high place]
 *         gather
 *           filter n is one of the places
 *             window [row_number() over (order by v) as n, count(*) over () as all]     distribute_window.c
 *               filter v is not null */
#include "plan/distribute/distribute_quantile.h"

#include "plan/distribute/distribute_window.h"

typedef struct quantiles {
    distributor *d;
    plan_node *whole;
    data_type type; /* of the values that ranks sort */
    expr *value, *last,
        *row; /* columns of numbered rows: the value; as doubles, from 0, the last row and the row's own place */
    plan_node *merged; /* on rank 0 */
    expr *count;       /* of rows, its column */
} quantiles;

/* The places that a quantile needs, as expressions of the numbered rows, and what was found there, as columns of `merged`. */
typedef struct quantile_place {
    expr *low, *high; /* high: NULL for one that is a value of a row */
    expr *at_low, *at_high;
} quantile_place;

static status quantile_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

bool distribute_is_quantile(const plan_aggregate *aggregate)
{
    bool is = aggregate->function == AGGREGATE_QUANTILE_CONT ||
              aggregate->function == AGGREGATE_QUANTILE_DISC;
    const expr *share = aggregate->second;
    return is && !aggregate->is_distinct && share && expr_is_constant(share) &&
           !share->constant.is_null && share->type.id == TYPE_DOUBLE &&
           (type_is_numeric(aggregate->argument->type) || type_is_time(aggregate->argument->type));
}

/* ---- expressions ---- */

static expr *quantile_call(const quantiles *q, expr_op op, data_type type, expr *left, expr *right)
{
    expr *args[] = {left, right};
    return left && right ? expr_new_call(q->d->statement->memory, op, type, args, 2, -1) : NULL;
}

static expr *real(const quantiles *q, expr_op op, expr *left, expr *right)
{
    return quantile_call(q, op, type_make(TYPE_DOUBLE), left, right);
}

static expr *floor_or_ceil(const quantiles *q, expr_op op, expr *of)
{
    return of ? expr_new_call(q->d->statement->memory, op, type_make(TYPE_DOUBLE), &of, 1, -1)
              : NULL;
}

static expr *number(const quantiles *q, double n)
{
    const value v = value_double(n);
    return expr_new_constant(q->d->statement->memory, &v, -1);
}

static expr *quantile_column(const quantiles *q, const plan_column *column)
{
    return plan_column_expr(q->d->statement->memory, column);
}

/* Makes a place, from 0, of a count of rows. */
static expr *distribute_quantile_place_of(const quantiles *q, const plan_column *count)
{
    expr *column = quantile_column(q, count);
    expr *n =
        column ? expr_new_cast(q->d->statement->memory, column, type_make(TYPE_DOUBLE), -1) : NULL;
    return real(q, EXPR_SUBTRACT, n, number(q, 1));
}

/* Makes CASE WHEN condition THEN value END. */
static expr *where(const quantiles *q, expr *condition, expr *of)
{
    arena *a = q->d->statement->memory;
    const value nothing = value_null(of->type);
    expr *e = expr_new(a, EXPR_CASE, of->type, 3, -1), *none = expr_new_constant(a, &nothing, -1);
    if (!e || !none || !condition)
        return NULL;
    e->args[0] = condition;
    e->args[1] = of;
    e->args[2] = none;
    return e;
}

/* ---- nodes ---- */

static plan_node *quantile_node(const quantiles *q, plan_kind kind, plan_node *child, double rows)
{
    plan_node *node = plan_node_new(q->d->statement->memory, kind, 1);
    if (!node)
        return NULL;
    node->children[0] = child;
    node->placement = child->placement;
    node->position = q->whole->position;
    node->estimated_rows = rows;
    return node;
}

static status new_column(const quantiles *q, plan_node *node, const char *name, data_type type,
                         plan_column *out)
{
    *out = (plan_column){
        .id = q->d->statement->next_column_id++, .name = name, .type = type, .is_nullable = true};
    return array_push(q->d->statement->memory, &node->columns, *out);
}

/* Returns the values of which the quantile is: an order of numbers is that of the doubles that they become. */
static expr *quantile_values(const quantiles *q)
{
    const plan_aggregate *first = &q->whole->aggregate.aggregates.items[0];
    expr *argument = first->argument;
    if (argument->kind == EXPR_CAST && argument->type.id == TYPE_DOUBLE &&
        type_is_numeric(argument->args[0]->type))
        argument = argument->args[0];
    return first->filter ? where(q, first->filter, argument) : argument;
}

/* Makes a projection of the values, without NULLs. */
static status project_values(quantiles *q, plan_node **out)
{
    arena *a = q->d->statement->memory;
    plan_node *child = q->whole->children[0];
    plan_node *project = quantile_node(q, PLAN_PROJECT, child, child->estimated_rows);
    plan_node *filter =
        project ? quantile_node(q, PLAN_FILTER, project, child->estimated_rows) : NULL;
    expr *values = quantile_values(q);
    plan_column column;
    if (!filter || !values)
        return quantile_no_memory();
    q->type = values->type;
    TRY(new_column(q, project, "value", values->type, &column));
    TRY(array_push(a, &project->project.exprs, values));
    expr *own = quantile_column(q, &column);
    expr *is_there =
        own ? expr_new_call(a, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), &own, 1, -1) : NULL;
    if (!is_there)
        return quantile_no_memory();
    filter->columns = project->columns;
    *out = filter;
    return array_push(a, &filter->filter.conditions, is_there);
}

static status distribute_quantile_add_window(const quantiles *q, plan_node **io,
                                             const plan_window_call *call, const plan_sort_key *key,
                                             plan_column *out)
{
    arena *a = q->d->statement->memory;
    plan_node *window = quantile_node(q, PLAN_WINDOW, *io, (*io)->estimated_rows);
    if (!window)
        return quantile_no_memory();
    for (size_t i = 0; i < (*io)->columns.count; i++)
        TRY(array_push(a, &window->columns, (*io)->columns.items[i]));
    if (key)
        TRY(array_push(a, &window->window.order, *key));
    TRY(array_push(a, &window->window.calls, *call));
    *io = window;
    return new_column(q, window, "n", type_make(TYPE_INT64), out);
}

/* Gives the values their places, and how many there are. */
static status distribute_quantile_number_values(quantiles *q, plan_node **io)
{
    arena *a = q->d->statement->memory;
    plan_column number, all;
    const plan_window_call place = {.function = WINDOW_ROW_NUMBER, .position = -1},
                           count = {.function = WINDOW_AGGREGATE,
                                    .aggregate = AGGREGATE_COUNT_STAR,
                                    .frame = {.mode = FRAME_ROWS,
                                              .end = {.kind = FRAME_UNBOUNDED_FOLLOWING}},
                                    .position = -1};
    q->value = quantile_column(q, &(*io)->columns.items[0]);
    const plan_sort_key key = {.key = q->value};
    plan_node *sort = quantile_node(q, PLAN_SORT, *io, (*io)->estimated_rows);
    if (!q->value || !sort)
        return quantile_no_memory();
    sort->columns = (*io)->columns;
    TRY(array_push(a, &sort->sort.keys, key));
    *io = sort;
    TRY(distribute_quantile_add_window(q, io, &place, &key, &number));
    TRY(distribute_quantile_add_window(q, io, &count, NULL, &all));
    q->row = distribute_quantile_place_of(q, &number);
    q->last = distribute_quantile_place_of(q, &all);
    return q->row && q->last ? STATUS_OK : quantile_no_memory();
}

/* ---- the places ---- */

/* Returns the place that a share of the rows comes to, or lies behind. */
static expr *way_of(const quantiles *q, const plan_aggregate *aggregate, expr *last)
{
    expr *share = expr_copy(q->d->statement->memory, aggregate->second);
    if (aggregate->function == AGGREGATE_QUANTILE_CONT)
        return real(q, EXPR_MULTIPLY, share, last);
    return real(q, EXPR_SUBTRACT,
                floor_or_ceil(q, EXPR_CEIL,
                              real(q, EXPR_MULTIPLY, share, real(q, EXPR_ADD, last, number(q, 1)))),
                number(q, 1));
}

static status find_places(const quantiles *q, const plan_aggregate *aggregate, quantile_place *out)
{
    bool is_between = aggregate->function == AGGREGATE_QUANTILE_CONT;
    expr *low = floor_or_ceil(q, EXPR_FLOOR, way_of(q, aggregate, q->last));
    low = real(q, EXPR_GREATEST, real(q, EXPR_LEAST, low, q->last), number(q, 0));
    expr *high = is_between ? real(q, EXPR_ADD, low, number(q, 1)) : NULL;
    *out = (quantile_place){
        .low = quantile_call(q, EXPR_EQ, type_make(TYPE_BOOL), q->row, low),
        .high = is_between ? quantile_call(q, EXPR_EQ, type_make(TYPE_BOOL), q->row, high) : NULL};
    return out->low && (out->high || !is_between) ? STATUS_OK : quantile_no_memory();
}

/* Keeps the rows at the places. */
static status keep_places(const quantiles *q, const quantile_place *places, size_t count,
                          plan_node **io)
{
    plan_node *filter = quantile_node(q, PLAN_FILTER, *io, 2.0 * (double)count);
    expr *any = NULL;
    for (size_t i = 0; i < count; i++) {
        any = any ? quantile_call(q, EXPR_OR, type_make(TYPE_BOOL), any, places[i].low)
                  : places[i].low;
        if (places[i].high)
            any = quantile_call(q, EXPR_OR, type_make(TYPE_BOOL), any, places[i].high);
    }
    if (!filter || !any)
        return quantile_no_memory();
    filter->columns = (*io)->columns;
    *io = filter;
    return array_push(q->d->statement->memory, &filter->filter.conditions, any);
}

/* Adds the greatest value of an expression of the kept rows; *out is its column. */
static status add_greatest(const quantiles *q, expr *of, expr **out)
{
    plan_column column;
    if (!of)
        return quantile_no_memory();
    const plan_aggregate aggregate = {
        .function = AGGREGATE_MAX, .argument = of, .position = q->whole->position};
    TRY(array_push(q->d->statement->memory, &q->merged->aggregate.aggregates, aggregate));
    TRY(new_column(q, q->merged, "found", of->type, &column));
    *out = quantile_column(q, &column);
    return *out ? STATUS_OK : quantile_no_memory();
}

static status merge_places(quantiles *q, quantile_place *places, size_t count, plan_node **io)
{
    q->merged = quantile_node(q, PLAN_AGGREGATE, *io, 1);
    if (!q->merged)
        return quantile_no_memory();
    TRY(add_greatest(q, q->last, &q->count));
    for (size_t i = 0; i < count; i++) {
        TRY(add_greatest(q, where(q, places[i].low, q->value), &places[i].at_low));
        if (places[i].high)
            TRY(add_greatest(q, where(q, places[i].high, q->value), &places[i].at_high));
    }
    *io = q->merged;
    return STATUS_OK;
}

/* ---- the values ---- */

/* Makes the value between those at two places, digit for digit as the aggregate does. */
static expr *distribute_quantile_between(const quantiles *q, const plan_aggregate *aggregate,
                                         const quantile_place *place)
{
    arena *a = q->d->statement->memory;
    data_type type = type_make(TYPE_DOUBLE);
    expr *way = way_of(q, aggregate, q->count), *low = expr_new_cast(a, place->at_low, type, -1);
    expr *part = real(q, EXPR_SUBTRACT, way, floor_or_ceil(q, EXPR_FLOOR, way));
    expr *high = expr_new_cast(a, place->at_high, type, -1),
         *e = expr_new(a, EXPR_CASE, type, 3, -1);
    expr *differs =
        quantile_call(q, EXPR_AND, type_make(TYPE_BOOL),
                      quantile_call(q, EXPR_GT, type_make(TYPE_BOOL), part, number(q, 0)),
                      quantile_call(q, EXPR_NE, type_make(TYPE_BOOL), high, low));
    expr *step = real(q, EXPR_MULTIPLY, real(q, EXPR_SUBTRACT, high, low), part);
    if (!e || !differs || !step)
        return NULL;
    e->args[0] = differs;
    e->args[1] = real(q, EXPR_ADD, low, step);
    e->args[2] = low;
    return e->args[1] ? e : NULL;
}

static status give_values(const quantiles *q, const quantile_place *places, plan_node **io)
{
    arena *a = q->d->statement->memory;
    plan_node *project = quantile_node(q, PLAN_PROJECT, *io, 1);
    if (!project)
        return quantile_no_memory();
    for (size_t i = 0; i < q->whole->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &q->whole->aggregate.aggregates.items[i];
        bool is_between = aggregate->function == AGGREGATE_QUANTILE_CONT;
        expr *e = is_between ? distribute_quantile_between(q, aggregate, &places[i])
                             : expr_new_cast(a, places[i].at_low, aggregate->argument->type, -1);
        if (!e)
            return quantile_no_memory();
        TRY(array_push(a, &project->project.exprs, e));
    }
    project->columns = q->whole->columns;
    *io = project;
    return STATUS_OK;
}

status distribute_quantiles(distributor *d, plan_node **slot, bool *out_is_done)
{
    quantiles q = {.d = d, .whole = *slot};
    size_t count = q.whole->aggregate.aggregates.count;
    quantile_place *places = arena_alloc_array(d->statement->memory, count, sizeof *places);
    plan_node *node;
    *out_is_done = false;
    if (!places)
        return quantile_no_memory();
    TRY(project_values(&q, &node));
    TRY(distribute_quantile_number_values(&q, &node));
    if (!distribute_may_order_windows(d, node))
        return STATUS_OK;
    TRY(distribute_order_windows(d, &node));
    for (size_t i = 0; i < count; i++)
        TRY(find_places(&q, &q.whole->aggregate.aggregates.items[i], &places[i]));
    TRY(keep_places(&q, places, count, &node));
    TRY(distribute_gather(d, &node));
    TRY(merge_places(&q, places, count, &node));
    *slot = node;
    *out_is_done = true;
    return give_values(&q, places, slot);
}
