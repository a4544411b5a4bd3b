/* bind_aggregate.c - calls of aggregate functions: each becomes a column of the query's groups. */
#include "sql/binder.h"

static const struct aggregate_name {
    const char *name;
    uint8_t function;
} aggregate_names[] = {
    {"count", AGGREGATE_COUNT},
    {"sum", AGGREGATE_SUM},
    {"avg", AGGREGATE_AVG},
    {"mean", AGGREGATE_AVG},
    {"min", AGGREGATE_MIN},
    {"max", AGGREGATE_MAX},
    {"any_value", AGGREGATE_ANY_VALUE},
    {"stddev", AGGREGATE_STDDEV_SAMP},
    {"stddev_samp", AGGREGATE_STDDEV_SAMP},
    {"stddev_pop", AGGREGATE_STDDEV_POP},
    {"variance", AGGREGATE_VAR_SAMP},
    {"var_samp", AGGREGATE_VAR_SAMP},
    {"var_pop", AGGREGATE_VAR_POP},
    {"bool_and", AGGREGATE_BOOL_AND},
    {"every", AGGREGATE_BOOL_AND},
    {"bool_or", AGGREGATE_BOOL_OR},
};

static status wrong_type(binder *b, const PgQuery__FuncCall *tree, const char *name,
                         const expr *arg, const char *expected)
{
    char type[TYPE_NAME_BYTES];
    return bind_error(b, STATUS_KIND_INVALID, tree->location,
                      "argument of \"%s\" must be %s, not %s", name, expected,
                      type_name(arg->type, type));
}

/* Casts the argument as aggregates.def says, and finds the result's type. */
static status type_aggregate(binder *b, const PgQuery__FuncCall *tree, const char *name,
                             plan_aggregate *call, data_type *out)
{
    expr **arg = &call->argument;
    bool is_null = *arg && (*arg)->type.id == TYPE_NULL;
    data_type number = type_make(TYPE_DOUBLE);
    switch (call->function) {
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
        if (is_null)
            TRY(bind_cast(b, *arg, type_make(TYPE_VARCHAR), tree->location, arg));
        *out = type_make(TYPE_INT64);
        return STATUS_OK;
    case AGGREGATE_SUM:
    case AGGREGATE_AVG:
    case AGGREGATE_STDDEV_SAMP:
    case AGGREGATE_STDDEV_POP:
    case AGGREGATE_VAR_SAMP:
    case AGGREGATE_VAR_POP:
        if (is_null || (*arg)->type.id == TYPE_FLOAT)
            TRY(bind_cast(b, *arg, number, tree->location, arg));
        if (!type_is_numeric((*arg)->type))
            return wrong_type(b, tree, name, *arg, "a number");
        *out = number;
        if (call->function == AGGREGATE_SUM && (*arg)->type.id != TYPE_DOUBLE)
            *out = type_decimal(38, (*arg)->type.scale);
        return STATUS_OK;
    case AGGREGATE_BOOL_AND:
    case AGGREGATE_BOOL_OR:
        if (bind_is_literal(*arg))
            TRY(bind_cast(b, *arg, type_make(TYPE_BOOL), tree->location, arg));
        if ((*arg)->type.id != TYPE_BOOL)
            return wrong_type(b, tree, name, *arg, "boolean");
        *out = (*arg)->type;
        return STATUS_OK;
    default:
        if (is_null)
            TRY(bind_cast(b, *arg, type_make(TYPE_VARCHAR), tree->location, arg));
        *out = (*arg)->type;
        return STATUS_OK;
    }
}

static bool optional_equal(const expr *left, const expr *right)
{
    return left && right ? expr_equal(left, right) : left == right;
}

static const bind_aggregate *find_equal(const bind_scope *scope, const plan_aggregate *call)
{
    for (size_t i = 0; i < scope->aggregates.count; i++) {
        const plan_aggregate *other = &scope->aggregates.items[i].call;
        if (other->function == call->function && other->is_distinct == call->is_distinct &&
            optional_equal(other->argument, call->argument) &&
            optional_equal(other->filter, call->filter))
            return &scope->aggregates.items[i];
    }
    return NULL;
}

typedef struct owner_check {
    const bind_scope *scope;
    bool has_own, has_outer;
} owner_check;

static bool has_id(const bind_scope *scope, uint32_t id)
{
    for (size_t i = 0; i < scope->entries.count; i++)
        if (scope->entries.items[i].id == id)
            return true;
    return false;
}

static void note_owner(uint32_t id, void *context)
{
    owner_check *check = context;
    if (has_id(check->scope, id))
        check->has_own = true;
    for (const bind_scope *s = check->scope->parent; s; s = s->parent)
        check->has_outer |= has_id(s, id);
}

/* An aggregate over columns of the outer query alone belongs to that query. */
static status check_owner(binder *b, const PgQuery__FuncCall *tree, bind_scope *scope,
                          const expr *argument)
{
    owner_check check = {.scope = scope};
    if (argument)
        expr_visit_columns(argument, note_owner, &check);
    if (check.has_outer && !check.has_own)
        return bind_unsupported(b, tree->location,
                                "an aggregate over the outer query's columns is");
    return STATUS_OK;
}

static status bind_argument(binder *b, const PgQuery__FuncCall *tree, const char *name,
                            bind_scope *scope, plan_aggregate *call)
{
    if (tree->agg_star) {
        if (call->function != AGGREGATE_COUNT)
            return bind_error(b, STATUS_KIND_INVALID, tree->location,
                              "%s(*) is not defined: only count(*) is", name);
        call->function = AGGREGATE_COUNT_STAR;
    } else if (tree->n_args != 1) {
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "aggregate \"%s\" takes 1 argument, not %zu", name,
                                      tree->n_args),
                           "count(*) counts rows");
    } else {
        TRY(bind_expr(b, tree->args[0], scope, &call->argument));
    }
    if (tree->agg_filter)
        TRY(bind_condition(b, tree->agg_filter, scope, "FILTER", &call->filter));
    return STATUS_OK;
}

static status check_place(binder *b, const PgQuery__FuncCall *tree, const bind_scope *scope)
{
    if (scope->clause)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate functions are not allowed in %s", scope->clause);
    if (scope->is_in_aggregate)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate function calls cannot be nested");
    if (tree->n_agg_order || tree->agg_within_group)
        return bind_unsupported(b, tree->location, "ORDER BY in an aggregate is");
    return STATUS_OK;
}

status bind_aggregate_call(binder *b, const PgQuery__FuncCall *tree, const char *name,
                           bind_scope *scope, bool *out_is_aggregate, expr **out)
{
    size_t i = 0, names = sizeof aggregate_names / sizeof *aggregate_names;
    while (i < names && strcmp(name, aggregate_names[i].name))
        i++;
    *out_is_aggregate = i < names;
    if (i == names)
        return STATUS_OK;
    TRY(check_place(b, tree, scope));
    plan_aggregate call = {.function = aggregate_names[i].function,
                           .is_distinct = tree->agg_distinct,
                           .position = bind_position(b, tree->location)};
    scope->is_in_aggregate = true;
    status st = bind_argument(b, tree, name, scope, &call);
    scope->is_in_aggregate = false;
    TRY(st);
    TRY(check_owner(b, tree, scope, call.argument));
    data_type type;
    TRY(type_aggregate(b, tree, name, &call, &type));
    if (call.function == AGGREGATE_COUNT && call.argument->kind == EXPR_CONSTANT &&
        !call.argument->is_nullable && !call.is_distinct) {
        call.function = AGGREGATE_COUNT_STAR; /* count(1) */
        call.argument = NULL;
    }
    if (call.function == AGGREGATE_MIN || call.function == AGGREGATE_MAX ||
        call.function == AGGREGATE_ANY_VALUE || call.function == AGGREGATE_BOOL_AND ||
        call.function == AGGREGATE_BOOL_OR)
        call.is_distinct = false; /* makes no difference */
    const bind_aggregate *found = find_equal(scope, &call);
    if (!found) {
        bind_aggregate added = {call,
                                {.id = bind_new_id(b),
                                 .name = name,
                                 .type = type,
                                 .is_nullable = call.function != AGGREGATE_COUNT &&
                                                call.function != AGGREGATE_COUNT_STAR}};
        TRY(array_push(b->memory, &scope->aggregates, added));
        found = &scope->aggregates.items[scope->aggregates.count - 1];
    }
    *out = bind_column_expr(b, &found->column);
    if (!*out)
        return bind_no_memory();
    (*out)->position = call.position;
    return STATUS_OK;
}
