/* bind_composite_plan.c - what aggregates made of others become.
 *
 *   median(x):  aggregate [quantile_cont(x, 0.5)] groups [g], and so other quantiles in ascending order, where a
 *               value is a number of at most 64 bits (aggregate_state_values.c); else
 *               project [(low + (high - low) * part) as median]
 *                 aggregate [max(x) filter (number = ...) as low, ...] groups [g]
 *                   window [row_number() as number, count(x) as count] partition [g] order [x]
 *                     sort [g, x]
 *
 *   list(x):    nested_of_words(aggregate [list(x)] groups [g]), on host devices, where x is not nested and rows are in
 *               no order (aggregate_state_values.c); else, of bytes of x, as string_agg
 *
 *   string_agg(x, ',' order by y):
 *               aggregate [max(texts)] groups [g]
 *                 window [string_agg(x, ',') as texts] partition [g] order [y]
 *                   sort [g, y] */
#include "sql/expression/bind_composite_plan.h"

#include "sql/expression/bind_aggregate.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

typedef struct composing {
    binder *b;
    bind_scope *scope;
    plan_node *node;     /* the rows, and more and more beside them */
    expr_list partition; /* the groups, columns */
    expr_list results;   /* of scope->composites, over the groups */
    status st;           /* the first failure in an expression */
} composing;

/* The columns that a window has for each row. */
typedef struct ordered {
    expr *number, *count; /* doubles: of the row, from 1; of rows whose key is not NULL */
} ordered;

/* ---- expressions; NULL after a failure ---- */

static expr *composite_plan_number_of(composing *c, double number)
{
    value v = value_double(number);
    expr *e = NULL;
    if (!c->st)
        c->st = bind_constant(c->b, &v, -1, &e);
    return c->st ? NULL : e;
}

static expr *composite_plan_call(composing *c, expr_op op, type_id type, expr *left, expr *right)
{
    expr *e = NULL;
    if (c->st)
        return NULL;
    c->st = right ? bind_call2(c->b, op, type_make(type), left, right, -1, &e)
                  : bind_call1(c->b, op, type_make(type), left, -1, &e);
    return c->st ? NULL : e;
}

static expr *composite_plan_compute(composing *c, expr_op op, expr *left, expr *right)
{
    return composite_plan_call(c, op, TYPE_DOUBLE, left, right);
}

static expr *equal(composing *c, expr *left, expr *right)
{
    return composite_plan_call(c, EXPR_EQ, TYPE_BOOL, left, right);
}

static expr *composite_plan_as_double(composing *c, expr *e)
{
    expr *cast = NULL;
    if (!c->st)
        c->st = bind_cast(c->b, e, type_make(TYPE_DOUBLE), -1, &cast);
    return c->st ? NULL : cast;
}

static expr *column(composing *c, const plan_column *from)
{
    expr *e = c->st ? NULL : bind_column_expr(c->b, from);
    if (!c->st && !e)
        c->st = bind_no_memory();
    return e;
}

/* ---- columns ---- */

/* The expressions, as columns of the rows. */
static status composite_plan_add_columns(composing *c, expr_list *list)
{
    binder *b = c->b;
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    plan_node *child = c->node;
    for (size_t i = 0; i < child->columns.count; i++) {
        expr *e = column(c, &child->columns.items[i]);
        TRY(c->st);
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, child->columns.items[i].name));
    }
    for (size_t i = 0; i < list->count; i++) {
        const expr *e = list->items[i];
        if (e->kind == EXPR_COLUMN && plan_column_index(child, e->column_id) >= 0)
            continue;
        TRY(array_push(b->memory, &exprs, list->items[i]));
        TRY(array_push(b->memory, &names, e->name ? e->name : "key"));
    }
    if (exprs.count == child->columns.count)
        return STATUS_OK;
    TRY(bind_project(b, child, exprs.items, names.items, exprs.count, &c->node));
    size_t at = child->columns.count;
    for (size_t i = 0; i < list->count; i++) {
        const expr *e = list->items[i];
        if (e->kind == EXPR_COLUMN && plan_column_index(child, e->column_id) >= 0)
            continue;
        list->items[i] = column(c, &c->node->columns.items[at++]);
    }
    return c->st;
}

static status as_column(composing *c, expr **e)
{
    expr_list one = {0};
    TRY(array_push(c->b->memory, &one, *e));
    TRY(composite_plan_add_columns(c, &one));
    *e = one.items[0];
    return STATUS_OK;
}

/* ---- windows ---- */

/* Rows sorted by the groups, then by the keys, with a window over them. */
static status new_window(composing *c, const plan_sort_key_list *keys, plan_node **out)
{
    binder *b = c->b;
    plan_node *sort;
    TRY(composite_plan_add_columns(c, &c->partition));
    value one = value_int(TYPE_INT32, 1);
    TRY(bind_new_node(b, PLAN_SORT, c->node, &sort));
    for (size_t i = 0; i < c->partition.count; i++) {
        plan_sort_key key = {.key = c->partition.items[i]};
        TRY(array_push(b->memory, &sort->sort.keys, key));
    }
    for (size_t i = 0; i < keys->count; i++)
        TRY(array_push(b->memory, &sort->sort.keys, keys->items[i]));
    if (!sort->sort.keys.count) { /* any order will do, but one task has to get the rows */
        plan_sort_key key = {0};
        TRY(bind_constant(b, &one, -1, &key.key));
        TRY(array_push(b->memory, &sort->sort.keys, key));
    }
    TRY(bind_new_node(b, PLAN_WINDOW, sort, out));
    for (size_t i = 0; i < c->partition.count; i++)
        TRY(array_push(b->memory, &(*out)->window.partition, c->partition.items[i]));
    c->node = *out;
    return STATUS_OK;
}

static status composite_plan_add_call(composing *c, plan_node *window, plan_window_call call,
                                      type_id type, const char *name, expr **out)
{
    plan_column made = {.id = bind_new_id(c->b), .name = name, .type = type_make(type)};
    made.is_nullable = type != TYPE_INT64;
    TRY(array_push(c->b->memory, &window->window.calls, call));
    TRY(array_push(c->b->memory, &window->columns, made));
    *out = column(c, &made);
    return c->st;
}

/* Over the whole partition. */
static plan_window_call aggregate_call(plan_aggregate_function function, expr *arg)
{
    plan_window_call call = {.function = WINDOW_AGGREGATE, .aggregate = function, .position = -1};
    call.arg_count = 1;
    call.args[0] = arg;
    call.frame.mode = FRAME_ROWS;
    call.frame.start.kind = FRAME_UNBOUNDED_PRECEDING;
    call.frame.end.kind = FRAME_UNBOUNDED_FOLLOWING;
    return call;
}

/* Numbers the rows of each group by a key, NULLs last. */
static status composite_plan_number_rows(composing *c, expr *key, bool is_descending,
                                         plan_sort_key_list *first, ordered *out)
{
    plan_window_call number = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_sort_key last = {.key = key, .is_descending = is_descending};
    plan_node *window;
    TRY(array_push(c->b->memory, first, last));
    TRY(new_window(c, first, &window));
    window->window.order = *first;
    TRY(composite_plan_add_call(c, window, number, TYPE_INT64, "row_number", &out->number));
    TRY(composite_plan_add_call(c, window, aggregate_call(AGGREGATE_COUNT, key), TYPE_INT64,
                                "count", &out->count));
    out->number = composite_plan_as_double(c, out->number);
    out->count = composite_plan_as_double(c, out->count);
    return c->st;
}

/* ---- aggregates ---- */

/* One more aggregate of the query, as a column of the groups, of the argument's type; a list's is a blob. */
static expr *add_call_of(composing *c, plan_aggregate call)
{
    bind_aggregate added = {.call = call};
    bool is_list = call.function == AGGREGATE_LIST;
    if (c->st)
        return NULL;
    added.column = (plan_column){.id = bind_new_id(c->b),
                                 .name = plan_aggregate_name(call.function),
                                 .type = is_list ? type_make(TYPE_BLOB) : call.argument->type,
                                 .is_nullable = true};
    c->st = bind_add_aggregate(c->b, c->scope, &added);
    return column(c, &added.column);
}

static expr *composite_plan_add_aggregate(composing *c, plan_aggregate_function function,
                                          expr *argument, expr *filter)
{
    return add_call_of(
        c, (plan_aggregate){
               .function = function, .argument = argument, .filter = filter, .position = -1});
}

/* Whether the values that a group keeps will do (device/value/value_code.h). */
static bool composite_plan_is_kept(const bind_composite *q)
{
    bool is_quantile = q->kind == COMPOSITE_QUANTILE || q->kind == COMPOSITE_QUANTILE_VALUE;
    return is_quantile && !q->is_descending && !type_is_text(q->key->type) && q->key->type.width &&
           q->key->type.width <= 8;
}

static status compose_kept(composing *c, const bind_composite *q, expr **out)
{
    plan_aggregate call = {.function = q->kind == COMPOSITE_QUANTILE ? AGGREGATE_QUANTILE_CONT
                                                                     : AGGREGATE_QUANTILE_DISC,
                           .argument = q->key,
                           .second = composite_plan_number_of(c, q->fraction),
                           .position = q->position};
    *out = add_call_of(c, call);
    return c->st;
}

/* A list of values that groups keep. */
static status compose_list(composing *c, const bind_composite *q, expr **out)
{
    *out = add_call_of(c, (plan_aggregate){.function = AGGREGATE_LIST,
                                           .argument = q->key,
                                           .filter = q->filter,
                                           .position = q->position});
    return c->st;
}

static status compose_quantile(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list keys = {0};
    ordered o;
    TRY(composite_plan_number_rows(c, key, q->is_descending, &keys, &o));
    expr *position = composite_plan_compute(
        c, EXPR_MULTIPLY,
        composite_plan_compute(c, EXPR_SUBTRACT, o.count, composite_plan_number_of(c, 1)),
        composite_plan_number_of(c, q->fraction));
    expr *floor = composite_plan_compute(c, EXPR_FLOOR, position, NULL);
    expr *number =
        composite_plan_compute(c, EXPR_SUBTRACT, o.number, composite_plan_number_of(c, 1));
    expr *low = composite_plan_add_aggregate(c, AGGREGATE_MAX, key, equal(c, number, floor));
    expr *high = composite_plan_add_aggregate(
        c, AGGREGATE_MAX, key,
        equal(c, number, composite_plan_compute(c, EXPR_CEIL, position, NULL)));
    expr *part = composite_plan_add_aggregate(
        c, AGGREGATE_MAX, composite_plan_compute(c, EXPR_SUBTRACT, position, floor), NULL);
    expr *distance = composite_plan_compute(c, EXPR_SUBTRACT, high, low);
    *out = composite_plan_compute(c, EXPR_ADD, low,
                                  composite_plan_compute(c, EXPR_MULTIPLY, distance, part));
    return c->st;
}

static status compose_value(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list keys = {0};
    ordered o;
    TRY(composite_plan_number_rows(c, key, q->is_descending, &keys, &o));
    expr *at =
        composite_plan_compute(c, EXPR_MULTIPLY, o.count, composite_plan_number_of(c, q->fraction));
    at = composite_plan_compute(c, EXPR_GREATEST, composite_plan_compute(c, EXPR_CEIL, at, NULL),
                                composite_plan_number_of(c, 1));
    *out = composite_plan_add_aggregate(c, AGGREGATE_MAX, key, equal(c, o.number, at));
    return c->st;
}

static status compose_mode(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list keys = {0}, by_count = {0};
    plan_sort_key most = {.is_descending = true};
    plan_sort_key same = {.key = key};
    plan_node *window;
    ordered o;
    TRY(array_push(c->b->memory, &keys, same));
    TRY(new_window(c, &keys, &window));
    TRY(array_push(c->b->memory, &window->window.partition, key));
    TRY(composite_plan_add_call(c, window, aggregate_call(AGGREGATE_COUNT, key), TYPE_INT64,
                                "count", &most.key));
    TRY(array_push(c->b->memory, &by_count, most));
    TRY(composite_plan_number_rows(c, key, q->is_descending, &by_count, &o));
    *out = composite_plan_add_aggregate(c, AGGREGATE_MAX, key,
                                        equal(c, o.number, composite_plan_number_of(c, 1)));
    return c->st;
}

static status compose_value_of(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list keys = {0};
    ordered o;
    TRY(composite_plan_number_rows(c, key, q->kind == COMPOSITE_VALUE_OF_GREATEST, &keys, &o));
    expr *is_first = equal(c, o.number, composite_plan_number_of(c, 1));
    expr *is_there = composite_plan_call(c, EXPR_IS_NOT_NULL, TYPE_BOOL, key, NULL);
    *out = composite_plan_add_aggregate(
        c, AGGREGATE_MAX, q->value,
        composite_plan_call(c, EXPR_AND, TYPE_BOOL, is_first, is_there));
    return c->st;
}

/* The joined text stands at the first row of each group, the others have NULL. */
static status compose_string(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list order = {0};
    plan_node *window;
    plan_window_call call = {.function =
                                 q->is_distinct ? WINDOW_STRING_AGG_DISTINCT : WINDOW_STRING_AGG,
                             .position = q->position,
                             .arg_count = 2};
    call.args[1] = q->delimiter;
    if (!expr_is_constant(q->delimiter))
        TRY(as_column(c, &call.args[1]));
    for (size_t i = 0; i < q->order.count; i++) {
        plan_sort_key sort = q->order.items[i];
        TRY(as_column(c, &sort.key));
        TRY(array_push(c->b->memory, &order, sort));
    }
    call.args[0] = key;
    TRY(new_window(c, &order, &window));
    window->window.order = order;
    TRY(composite_plan_add_call(c, window, call, key->type.id, "string_agg", out));
    *out = composite_plan_add_aggregate(c, AGGREGATE_MAX, *out, NULL);
    return c->st;
}

/* ---- first and last ---- */

/* Makes a condition a bigint that is 1 where it is true, else NULL. */
static expr *one_where(composing *c, expr *condition)
{
    value one = value_int(TYPE_INT64, 1), null = value_null(type_make(TYPE_INT64));
    expr *choice = c->st ? NULL : expr_new(c->b->memory, EXPR_CASE, type_make(TYPE_INT64), 3, -1);
    if (!c->st && !choice)
        c->st = bind_no_memory();
    if (c->st)
        return NULL;
    choice->args[0] = condition;
    choice->is_nullable = true;
    c->st = bind_constant(c->b, &one, -1, &choice->args[1]);
    if (!c->st)
        c->st = bind_constant(c->b, &null, -1, &choice->args[2]);
    return c->st ? NULL : choice;
}

/* Makes a column that is 1 in rows that count: those of the filter, and of any_value those that are not NULL. NULL: all
 * rows do. */
static status compose_chosen(composing *c, const bind_composite *q, expr *key, expr **out)
{
    expr *condition = q->filter;
    *out = NULL;
    if (!q->keeps_null) {
        expr *is_there = composite_plan_call(c, EXPR_IS_NOT_NULL, TYPE_BOOL, key, NULL);
        condition =
            condition ? composite_plan_call(c, EXPR_AND, TYPE_BOOL, condition, is_there) : is_there;
    }
    if (!condition)
        return c->st;
    *out = one_where(c, condition);
    TRY(c->st);
    return as_column(c, out);
}

/* Rows that count come first, in the order; the first of them has the number 1, the last their count. */
static status compose_first(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_sort_key_list order = {0};
    plan_window_call number = {.function = WINDOW_ROW_NUMBER, .position = -1}, all;
    plan_node *window;
    plan_sort_key chosen = {0};
    expr *at, *count;
    TRY(compose_chosen(c, q, key, &chosen.key));
    if (chosen.key)
        TRY(array_push(c->b->memory, &order, chosen));
    for (size_t i = 0; i < q->order.count; i++) {
        plan_sort_key sort = q->order.items[i];
        TRY(as_column(c, &sort.key));
        TRY(array_push(c->b->memory, &order, sort));
    }
    TRY(as_column(c, &key));
    TRY(new_window(c, &order, &window));
    window->window.order = order;
    all = aggregate_call(chosen.key ? AGGREGATE_COUNT : AGGREGATE_COUNT_STAR, chosen.key);
    all.arg_count = chosen.key != NULL;
    TRY(composite_plan_add_call(c, window, number, TYPE_INT64, "row_number", &at));
    TRY(composite_plan_add_call(c, window, all, TYPE_INT64, "count", &count));
    expr *is_it = equal(c, composite_plan_as_double(c, at),
                        q->kind == COMPOSITE_LAST ? composite_plan_as_double(c, count)
                                                  : composite_plan_number_of(c, 1));
    if (chosen.key && !c->st)
        is_it = composite_plan_call(
            c, EXPR_AND, TYPE_BOOL, is_it,
            composite_plan_call(c, EXPR_IS_NOT_NULL, TYPE_BOOL, chosen.key, NULL));
    *out = composite_plan_add_aggregate(c, AGGREGATE_MAX, key, is_it);
    return c->st;
}

/* ---- entropy, and the distance from the median ---- */

/* Computes log2(n) less the mean of log2(c), for n values, c of which are equal to a row's. */
static status compose_entropy(composing *c, expr *key, expr **out)
{
    plan_sort_key_list keys = {0};
    plan_sort_key same = {.key = key};
    plan_node *window;
    expr *alike;
    TRY(array_push(c->b->memory, &keys, same));
    TRY(new_window(c, &keys, &window));
    TRY(array_push(c->b->memory, &window->window.partition, key));
    TRY(composite_plan_add_call(c, window, aggregate_call(AGGREGATE_COUNT, key), TYPE_INT64,
                                "count", &alike));
    expr *is_there = composite_plan_call(c, EXPR_IS_NOT_NULL, TYPE_BOOL, key, NULL);
    expr *rows = composite_plan_compute(c, EXPR_GREATEST, composite_plan_as_double(c, alike),
                                        composite_plan_number_of(c, 1)); /* NULLs: 0 */
    expr *bits = composite_plan_compute(c, EXPR_LOG2, rows, NULL);
    expr *mean = composite_plan_add_aggregate(c, AGGREGATE_AVG, bits, is_there);
    expr *count =
        composite_plan_add_aggregate(c, AGGREGATE_SUM, composite_plan_number_of(c, 1), is_there);
    expr *all = composite_plan_compute(c, EXPR_LOG2, count, NULL);
    expr *difference = composite_plan_compute(c, EXPR_SUBTRACT, all, mean);
    *out = composite_plan_compute(c, EXPR_COALESCE, difference, composite_plan_number_of(c, 0));
    return c->st;
}

static status compose_mad(composing *c, const bind_composite *q, expr *key, expr **out)
{
    plan_window_call median = aggregate_call(AGGREGATE_COUNT, key);
    plan_sort_key_list none = {0};
    value half = value_double(0.5), is_descending = value_bool(false);
    plan_node *window;
    expr *middle;
    median.function = WINDOW_QUANTILE;
    median.arg_count = 3;
    TRY(bind_constant(c->b, &half, -1, &median.args[1]));
    TRY(bind_constant(c->b, &is_descending, -1, &median.args[2]));
    TRY(new_window(c, &none, &window));
    TRY(composite_plan_add_call(c, window, median, TYPE_DOUBLE, "median", &middle));
    expr *distance = composite_plan_compute(c, EXPR_SUBTRACT, key, middle);
    bind_composite of_distances = {.kind = COMPOSITE_QUANTILE, .fraction = 0.5};
    of_distances.key = composite_plan_compute(c, EXPR_ABS, distance, NULL);
    of_distances.position = q->position;
    TRY(c->st);
    return compose_kept(c, &of_distances, out);
}

/* ---- all of them ---- */

static status composite_plan_compose(composing *c, const bind_composite *q, expr **out)
{
    expr *key = q->key;
    if (composite_plan_is_kept(q))
        return compose_kept(c, q, out);
    if (q->is_kept)
        return compose_list(c, q, out);
    if (q->kind == COMPOSITE_FIRST || q->kind == COMPOSITE_LAST)
        return compose_first(c, q, key, out);
    TRY(as_column(c, &key));
    switch (q->kind) {
    case COMPOSITE_ENTROPY:
        return compose_entropy(c, key, out);
    case COMPOSITE_MAD:
        return compose_mad(c, q, key, out);
    case COMPOSITE_QUANTILE:
        return compose_quantile(c, q, key, out);
    case COMPOSITE_QUANTILE_VALUE:
        return compose_value(c, q, key, out);
    case COMPOSITE_MODE:
        return compose_mode(c, q, key, out);
    case COMPOSITE_STRING_AGG:
        return compose_string(c, q, key, out);
    default:
        return compose_value_of(c, q, key, out);
    }
}

status bind_composites(binder *b, bind_scope *scope, const expr_list *groups, bool has_sets,
                       plan_node **node, expr_list *results)
{
    composing c = {.b = b, .scope = scope, .node = *node};
    if (!scope->composites.count)
        return STATUS_OK;
    if (has_sets)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                    "%s with GROUPING SETS, ROLLUP or CUBE is not supported",
                                    scope->composites.items[0].column.name),
                         scope->composites.items[0].position);
    for (size_t i = 0; i < groups->count; i++)
        TRY(array_push(b->memory, &c.partition, groups->items[i]));
    for (size_t i = 0; i < scope->composites.count; i++) {
        expr *e;
        TRY(composite_plan_compose(&c, &scope->composites.items[i], &e));
        TRY(array_push(b->memory, results, e));
    }
    *node = c.node;
    return STATUS_OK;
}

status bind_composite_results(binder *b, const bind_scope *scope, const expr_list *results,
                              plan_node **node)
{
    plan_node *project;
    if (!results->count)
        return STATUS_OK;
    TRY(bind_new_node(b, PLAN_PROJECT, *node, &project));
    for (size_t i = 0; i < (*node)->columns.count; i++) {
        expr *e = bind_column_expr(b, &(*node)->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, &project->project.exprs, e));
    }
    for (size_t i = 0; i < results->count; i++) {
        TRY(array_push(b->memory, &project->project.exprs, results->items[i]));
        TRY(array_push(b->memory, &project->columns, scope->composites.items[i].column));
    }
    *node = project;
    return STATUS_OK;
}
