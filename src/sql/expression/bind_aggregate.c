/* bind_aggregate.c - calls of aggregate functions: each becomes a column of the query's groups. */
#include "sql/expression/bind_aggregate.h"

#include "plan/nodes/visit.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_composite.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_owner.h"
#include "sql/expression/bind_scope.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

typedef enum argument_kind {
    ARGUMENT_NONE,
    ARGUMENT_ANY,
    ARGUMENT_NUMBER,
    ARGUMENT_INTEGER,
    ARGUMENT_BOOLEAN,
    ARGUMENT_PAIR,
    ARGUMENT_SHARE
} argument_kind;

typedef enum result_kind {
    RESULT_BIGINT,
    RESULT_DOUBLE,
    RESULT_SAME,
    RESULT_LIST,
    RESULT_SUM
} result_kind;

/* The binder's side of aggregates.def. */
static const struct function {
    const char *name;
    argument_kind argument;
    result_kind result;
    bool ignores_distinct;
} functions[AGGREGATE_FUNCTION_COUNT] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    [AGGREGATE_##name] = {sql, ARGUMENT_##argument, RESULT_##type, ignores_distinct},
#include "plan/tree/aggregates.def"
};

/* The function of a name. count is COUNT, the other comes from count(*). */
static bool aggregate_find_function(const char *name, plan_aggregate_function *out)
{
    static const struct {
        const char *name;
        plan_aggregate_function function;
    } aliases[] = {
#define AGGREGATE_ALIAS(sql, name) {sql, AGGREGATE_##name},
#include "plan/tree/aggregates.def"
    };
    for (int i = 0; i < AGGREGATE_FUNCTION_COUNT; i++)
        if (i != AGGREGATE_COUNT_STAR && !strcmp(name, functions[i].name)) {
            *out = (plan_aggregate_function)i;
            return true;
        }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(name, aliases[i].name)) {
            *out = aliases[i].function;
            return true;
        }
    return false;
}

bool bind_is_aggregate(const char *name)
{
    plan_aggregate_function function;
    return aggregate_find_function(name, &function);
}

static status wrong_type(binder *b, const FuncCall *tree, const char *name, const expr *arg,
                         const char *expected)
{
    char type[TYPE_NAME_BYTES];
    return bind_error(b, STATUS_KIND_INVALID, tree->location,
                      "argument of \"%s\" must be %s, not %s", name, expected,
                      type_name(arg->type, type));
}

static status aggregate_cast_number(binder *b, const FuncCall *tree, const char *name, expr **arg)
{
    if ((*arg)->type.id == TYPE_NULL || (*arg)->type.id == TYPE_FLOAT)
        TRY(bind_cast(b, *arg, type_make(TYPE_DOUBLE), tree->location, arg));
    return type_is_numeric((*arg)->type) ? STATUS_OK : wrong_type(b, tree, name, *arg, "a number");
}

/* One of a pair: a literal may be a number as well. */
static status cast_of_pair(binder *b, const FuncCall *tree, const char *name, expr **arg)
{
    if (bind_is_literal(*arg))
        TRY(bind_cast(b, *arg, type_make(TYPE_DOUBLE), tree->location, arg));
    return aggregate_cast_number(b, tree, name, arg);
}

/* Casts the argument as aggregates.def says. */
static status cast_argument(binder *b, const FuncCall *tree, const char *name, plan_aggregate *call)
{
    expr **arg = &call->argument;
    bool is_null = *arg && (*arg)->type.id == TYPE_NULL;
    switch (functions[call->function].argument) {
    case ARGUMENT_NONE:
    case ARGUMENT_SHARE:
        return STATUS_OK;
    case ARGUMENT_ANY:
        return is_null ? bind_cast(b, *arg, type_make(TYPE_VARCHAR), tree->location, arg)
                       : STATUS_OK;
    case ARGUMENT_NUMBER:
        return aggregate_cast_number(b, tree, name, arg);
    case ARGUMENT_PAIR:
        TRY(cast_of_pair(b, tree, name, arg));
        return cast_of_pair(b, tree, name, &call->second);
    case ARGUMENT_INTEGER:
        if (is_null)
            TRY(bind_cast(b, *arg, type_make(TYPE_INT64), tree->location, arg));
        return type_is_integer((*arg)->type) ? STATUS_OK
                                             : wrong_type(b, tree, name, *arg, "an integer");
    case ARGUMENT_BOOLEAN:
        if (bind_is_literal(*arg))
            TRY(bind_cast(b, *arg, type_make(TYPE_BOOL), tree->location, arg));
        return (*arg)->type.id == TYPE_BOOL ? STATUS_OK
                                            : wrong_type(b, tree, name, *arg, "boolean");
    }
    return STATUS_OK;
}

static data_type type_of_result(const plan_aggregate *call)
{
    switch (functions[call->function].result) {
    case RESULT_BIGINT:
        return type_make(TYPE_INT64);
    case RESULT_DOUBLE:
        return type_make(TYPE_DOUBLE);
    case RESULT_SAME:
        return call->argument->type;
    case RESULT_LIST: /* of words */
        return type_make(TYPE_BLOB);
    case RESULT_SUM:
        break;
    }
    return call->argument->type.id == TYPE_DOUBLE ? type_make(TYPE_DOUBLE)
                                                  : type_decimal(38, call->argument->type.scale);
}

static bool aggregate_optional_equal(const expr *left, const expr *right)
{
    return left && right ? expr_equal(left, right) : left == right;
}

static bool optional_is_volatile(const expr *e)
{
    return e && expr_is_volatile(e);
}

static const bind_aggregate *aggregate_find_equal(const bind_scope *scope,
                                                  const plan_aggregate *call)
{
    if (optional_is_volatile(call->argument) || optional_is_volatile(call->second) ||
        optional_is_volatile(call->filter))
        return NULL;
    const expr_index *arguments = &scope->aggregate_arguments;
    uint32_t i = expr_index_first(arguments, call->argument);
    for (; i != EXPR_INDEX_NONE; i = expr_index_next(arguments, call->argument, i)) {
        const plan_aggregate *other = &scope->aggregates.items[i].call;
        if (other->function == call->function && other->is_distinct == call->is_distinct &&
            aggregate_optional_equal(other->second, call->second) &&
            aggregate_optional_equal(other->filter, call->filter))
            return &scope->aggregates.items[i];
    }
    return NULL;
}

status bind_add_aggregate(binder *b, bind_scope *scope, const bind_aggregate *added)
{
    TRY(expr_index_add(b->memory, &scope->aggregate_arguments, added->call.argument));
    return array_push(b->memory, &scope->aggregates, *added);
}

status bind_call_filter(binder *b, const FuncCall *call, bind_scope *scope, expr **out)
{
    expr *own, *both;
    *out = NULL;
    if (call->agg_filter)
        TRY(bind_condition(b, call->agg_filter, scope, "FILTER", out));
    if (!scope->filter)
        return STATUS_OK;
    own = *out;
    TRY(bind_condition(b, scope->filter, scope, "FILTER", &both));
    if (own)
        TRY(bind_call2(b, EXPR_AND, type_make(TYPE_BOOL), own, both, -1, &both));
    *out = both;
    return STATUS_OK;
}

/* Finds the query that a call belongs to: *out. */
static status find_owner(binder *b, const FuncCall *tree, bind_scope *scope,
                         const plan_aggregate *call, bind_owner *out)
{
    TRY(bind_owner_begin(b, scope, out));
    bind_owner_note(out, call->argument);
    bind_owner_note(out, call->second);
    bind_owner_note(out, call->filter);
    return bind_owner_end(b, tree, out);
}

static status wrong_count(binder *b, const FuncCall *tree, const char *name, size_t expected)
{
    status st = bind_error(b, STATUS_KIND_INVALID, tree->location,
                           "aggregate \"%s\" takes %zu argument%s, not %zu", name, expected,
                           expected == 1 ? "" : "s", list_length(tree->args));
    return strcmp(name, "count") == 0 ? status_hint(st, "count(*) counts rows") : st;
}

static status bind_argument(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                            plan_aggregate *call)
{
    bool is_pair = functions[call->function].argument == ARGUMENT_PAIR;
    size_t expected = is_pair ? 2 : 1;
    bool is_of_rows = call->function == AGGREGATE_COUNT && !list_length(tree->args) &&
                      !tree->agg_distinct; /* count() */
    if (tree->agg_star || is_of_rows) {
        if (call->function != AGGREGATE_COUNT)
            return bind_error(b, STATUS_KIND_INVALID, tree->location,
                              "%s(*) is not defined: only count(*) is", name);
        call->function = AGGREGATE_COUNT_STAR;
    } else if (list_length(tree->args) != expected) {
        return wrong_count(b, tree, name, expected);
    } else {
        TRY(bind_expr(b, list_nth(tree->args, 0), scope, &call->argument));
        if (is_pair)
            TRY(bind_expr(b, list_nth(tree->args, 1), scope, &call->second));
    }
    if (is_pair && call->is_distinct)
        return bind_unsupported(b, tree->location, "DISTINCT in this aggregate is");
    for (size_t i = 0; i < list_length(tree->agg_order);
         i++) { /* which makes no difference to any */
        expr *key;
        TRY(bind_expr(b, castNode(SortBy, list_nth(tree->agg_order, i))->node, scope, &key));
    }
    return bind_call_filter(b, tree, scope, &call->filter);
}

/* Casts the argument and makes the column that the call will be. */
static status finish_call(binder *b, const FuncCall *tree, const char *name, plan_aggregate *call,
                          plan_column *out)
{
    TRY(cast_argument(b, tree, name, call));
    *out = (plan_column){.name = name, .type = type_of_result(call)};
    if (call->function == AGGREGATE_COUNT && call->argument->kind == EXPR_CONSTANT &&
        !call->argument->is_nullable && !call->is_distinct) {
        call->function = AGGREGATE_COUNT_STAR; /* count(1) */
        call->argument = NULL;
    }
    if (functions[call->function].ignores_distinct)
        call->is_distinct = false;
    out->is_nullable = functions[call->function].result != RESULT_BIGINT;
    return STATUS_OK;
}

status bind_aggregate_call(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                           bool *out_is_aggregate, expr **out)
{
    plan_aggregate_function function;
    bool is_composite = bind_is_composite_call(tree, name);
    bool is_estimate = !strcmp(name, "approx_count_distinct");
    *out_is_aggregate =
        aggregate_find_function(is_estimate ? "count" : name, &function) || is_composite;
    if (!*out_is_aggregate)
        return STATUS_OK;
    if (is_estimate && tree->agg_star)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes one argument", name);
    if (is_composite)
        return bind_composite_call(b, tree, name, scope, out);
    if (tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes no WITHIN GROUP", name);
    plan_aggregate call = {.function = function,
                           .is_distinct = tree->agg_distinct || is_estimate,
                           .position = bind_position(b, tree->location)};
    bind_owner owner;
    bool was_in_aggregate = scope->is_in_aggregate;
    scope->is_in_aggregate = true;
    status st = bind_argument(b, tree, name, scope, &call);
    scope->is_in_aggregate = was_in_aggregate;
    TRY(st);
    TRY(find_owner(b, tree, scope, &call, &owner));
    plan_column column;
    if (is_estimate && call.argument)
        TRY(bind_call1(b, EXPR_COUPON, type_make(TYPE_INT64), call.argument, tree->location,
                       &call.argument));
    TRY(finish_call(b, tree, name, &call, &column));
    const bind_aggregate *found = aggregate_find_equal(owner.scope, &call);
    if (!found) {
        bind_aggregate added = {call, column};
        added.column.id = bind_new_id(b);
        TRY(bind_add_aggregate(b, owner.scope, &added));
        found = &owner.scope->aggregates.items[owner.scope->aggregates.count - 1];
    }
    TRY(bind_owner_keep(b, &owner, found->column.id));
    *out = bind_column_expr(b, &found->column);
    if (!*out)
        return bind_no_memory();
    (*out)->position = call.position;
    return is_estimate ? bind_call1(b, EXPR_VALUES_OF_COUPONS, type_make(TYPE_INT64), *out,
                                    tree->location, out)
                       : STATUS_OK;
}

/* FILTER becomes part of the argument: NULLs are passed over. */
static status aggregate_filter_argument(binder *b, plan_aggregate *call)
{
    value one = value_int(TYPE_INT32, 1);
    expr *e, *otherwise;
    if (!call->filter)
        return STATUS_OK;
    if (!call->argument) {
        call->function = AGGREGATE_COUNT;
        TRY(bind_constant(b, &one, -1, &call->argument));
    }
    value null = value_null(call->argument->type);
    TRY(bind_constant(b, &null, -1, &otherwise));
    e = expr_new(b->memory, EXPR_CASE, call->argument->type, 3, call->argument->position);
    if (!e)
        return bind_no_memory();
    e->args[0] = call->filter;
    e->args[1] = call->argument;
    e->args[2] = otherwise;
    e->is_nullable = true;
    call->argument = e;
    call->filter = NULL;
    return STATUS_OK;
}

/* Returns whether DISTINCT matters over a window: functions to which values that come twice make no difference are
 * not asked. */
static bool can_be_distinct_over(plan_aggregate_function function)
{
    return functions[function].ignores_distinct || function == AGGREGATE_COUNT ||
           function == AGGREGATE_COUNT_STAR || function == AGGREGATE_SUM ||
           function == AGGREGATE_AVG;
}

status bind_aggregate_over(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                           bool *out_is_aggregate, bind_aggregate *out)
{
    plan_aggregate_function function;
    *out_is_aggregate = aggregate_find_function(name, &function) && !bind_is_composite(name);
    if (!*out_is_aggregate)
        return STATUS_OK;
    if (tree->agg_distinct && !can_be_distinct_over(function))
        return bind_unsupported(b, tree->location, "DISTINCT in this window function is");
    if (list_length(tree->agg_order) || tree->agg_within_group)
        return bind_unsupported(b, tree->location, "ORDER BY in a window function is");
    *out = (bind_aggregate){.call = {.function = function,
                                     .is_distinct = tree->agg_distinct,
                                     .position = bind_position(b, tree->location)}};
    TRY(bind_argument(b, tree, name, scope, &out->call));
    TRY(finish_call(b, tree, name, &out->call, &out->column));
    return aggregate_filter_argument(b, &out->call);
}
