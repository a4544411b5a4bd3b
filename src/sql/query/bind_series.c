/* bind_series.c - generate_series and range in FROM.
 *
 *     project [value, number]              the number WITH ORDINALITY alone
 *       series from start to stop by step
 *         project [start, stop, step]       not where they are constants
 *           one row
 *
 * They see the items of FROM before them, as LATERAL ones do. */
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/query_parts.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <strings.h>

#define ARGUMENTS_MAX 3

typedef struct series_call {
    binder *b;
    const FuncCall *tree;
    const char *name;
    expr *args[ARGUMENTS_MAX]; /* start, stop, step */
    data_type type;
    bool has_number;
} series_call;

/* One argument is the end, the start 0 then. */
static status series_bind_arguments(series_call *c, bind_scope *scope)
{
    size_t count = list_length(c->tree->args), first = count == 1;
    value zero = value_int(TYPE_INT32, 0);
    if (count < 1 || count > ARGUMENTS_MAX)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "function \"%s\" takes 1 to 3 arguments, not %zu", c->name, count);
    if (first)
        TRY(bind_constant(c->b, &zero, -1, &c->args[0]));
    for (size_t i = 0; i < count; i++)
        TRY(bind_expr(c->b, list_nth(c->tree->args, i), scope, &c->args[first + i]));
    return STATUS_OK;
}

/* Types a series of dates: it is one of timestamps, because an interval added to a date is one. */
static status type_times(series_call *c)
{
    bool has_zone =
        c->args[0]->type.id == TYPE_TIMESTAMP_TZ || c->args[1]->type.id == TYPE_TIMESTAMP_TZ;
    char name[TYPE_NAME_BYTES];
    int32_t location = c->tree->location;
    if (!c->args[2])
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                      "function \"%s\" needs a step for dates and times", c->name),
                           "write interval '1 day' behind the end");
    if (c->args[2]->type.id != TYPE_INTERVAL && !bind_is_literal(c->args[2]))
        return bind_error(c->b, STATUS_KIND_INVALID, location,
                          "the step of dates and times must be an interval, not %s",
                          type_name(c->args[2]->type, name));
    c->type = type_make(has_zone ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP);
    for (int i = 0; i < 2; i++) {
        if (!type_is_time(c->args[i]->type) && !bind_is_literal(c->args[i]))
            return bind_error(c->b, STATUS_KIND_INVALID, location,
                              "the start and the end of \"%s\" must be of one kind, not %s",
                              c->name, type_name(c->args[i]->type, name));
        if (c->args[i]->type.id == c->type.id && c->args[i]->type.precision > c->type.precision)
            c->type = c->args[i]->type; /* nanoseconds */
    }
    for (int i = 0; i < 2; i++)
        TRY(bind_cast(c->b, c->args[i], c->type, location, &c->args[i]));
    return bind_cast(c->b, c->args[2], type_make(TYPE_INTERVAL), location, &c->args[2]);
}

/* Integers of 32 bits at least, or decimals. */
static status type_numbers(series_call *c)
{
    value one = value_int(TYPE_INT32, 1);
    char name[TYPE_NAME_BYTES];
    int32_t location = c->tree->location;
    data_type least = type_make(TYPE_INT32);
    if (!c->args[2])
        TRY(bind_constant(c->b, &one, -1, &c->args[2]));
    TRY(bind_coerce_all(c->b, c->args, ARGUMENTS_MAX, location, c->name, &c->type));
    bool is_integer = type_is_integer(c->type);
    if (!is_integer && c->type.id != TYPE_DECIMAL)
        return status_hint(
            bind_error(c->b, STATUS_KIND_INVALID, location,
                       "function \"%s\" takes integers, decimals, dates or timestamps, "
                       "not %s",
                       c->name, type_name(c->type, name)),
            "cast the arguments");
    if (is_integer && !bind_common_type(c->type, least, &c->type))
        c->type = type_decimal(20, 0);
    if (is_integer && c->type.id != TYPE_DECIMAL && !type_is_signed(c->type))
        c->type = c->type.id == TYPE_UINT64 ? type_decimal(20, 0) : type_make(TYPE_INT64);
    for (int i = 0; i < ARGUMENTS_MAX; i++)
        TRY(bind_cast(c->b, c->args[i], c->type, location, &c->args[i]));
    return STATUS_OK;
}

static status type_arguments(series_call *c)
{
    bool is_time = false;
    for (int i = 0; i < 2; i++)
        is_time |= type_is_time(c->args[i]->type) && c->args[i]->type.id != TYPE_TIME;
    return is_time ? type_times(c) : type_numbers(c);
}

/* Makes the row below the series that has what the values are made of. */
static status bounds_row(series_call *c, plan_node **out)
{
    static const char *const names[] = {"start", "stop", "step"};
    bool is_constant = true;
    TRY(bind_one_row(c->b, out));
    for (int i = 0; i < ARGUMENTS_MAX; i++)
        is_constant &= expr_is_constant(c->args[i]);
    if (is_constant)
        return STATUS_OK;
    TRY(bind_project(c->b, *out, c->args, names, ARGUMENTS_MAX, out));
    for (int i = 0; i < ARGUMENTS_MAX; i++) {
        c->args[i] = bind_column_expr(c->b, &(*out)->columns.items[i]);
        if (!c->args[i])
            return bind_no_memory();
    }
    return STATUS_OK;
}

static status make_series(series_call *c, const char *column, plan_node **out)
{
    const char *names[] = {column, "ordinality"};
    data_type types[] = {c->type, type_make(TYPE_INT64)};
    expr *values[2];
    plan_node *row, *node;
    TRY(bounds_row(c, &row));
    TRY(bind_new_node(c->b, PLAN_SERIES, row, &node));
    node->position = bind_position(c->b, c->tree->location);
    node->series.start = c->args[0];
    node->series.stop = c->args[1];
    node->series.step = c->args[2];
    node->series.has_stop = strcasecmp(c->name, "range") != 0;
    node->series.has_number = c->has_number;
    if (c->b->zone && c->type.id == TYPE_TIMESTAMP_TZ)
        node->series.zone = c->b->zone->name;
    for (size_t i = 0; i < plan_series_columns(node); i++) {
        plan_column made = {.id = bind_new_id(c->b), .name = names[i], .type = types[i]};
        TRY(array_push(c->b->memory, &node->columns, made));
        values[i] = bind_column_expr(c->b, &made);
        if (!values[i])
            return bind_no_memory();
    }
    return bind_project(c->b, node, values, names, plan_series_columns(node), out);
}

status bind_series(binder *b, const FuncCall *tree, const RangeFunction *range, bind_scope *scope,
                   plan_node **out)
{
    const Alias *alias = range->alias;
    series_call c = {.b = b,
                     .tree = tree,
                     .name = strVal(list_nth(tree->funcname, list_length(tree->funcname) - 1)),
                     .has_number = range->ordinality};
    bind_scope around = {.parent = scope->lateral ? scope->lateral : scope->parent,
                         .ctes = scope->ctes,
                         .clause = "functions in FROM",
                         .windowless = "functions in FROM"};
    TRY(series_bind_arguments(&c, &around));
    TRY(type_arguments(&c));
    TRY(make_series(&c, alias ? alias->aliasname : c.name, out));
    return bind_add_relation(b, scope, *out, c.name, alias, tree->location);
}
