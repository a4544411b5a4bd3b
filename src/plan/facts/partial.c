/* partial.c - aggregates of parts of the rows, put together. */
#include "plan/facts/partial.h"

bool plan_aggregate_counts(const plan_aggregate *aggregate)
{
    return aggregate->function == AGGREGATE_COUNT || aggregate->function == AGGREGATE_COUNT_STAR ||
           aggregate->function == AGGREGATE_REGR_COUNT;
}

bool plan_aggregate_merges(const plan_aggregate *aggregate, plan_aggregate_function *out)
{
    *out = aggregate->function;
    switch (aggregate->function) {
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
        *out = AGGREGATE_SUM;
        return !aggregate->is_distinct;
    case AGGREGATE_SUM:
    case AGGREGATE_BIT_XOR:
        return !aggregate->is_distinct;
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
    case AGGREGATE_ANY_VALUE:
    case AGGREGATE_BOOL_AND:
    case AGGREGATE_BOOL_OR:
    case AGGREGATE_BIT_AND:
    case AGGREGATE_BIT_OR:
        return true;
    default:
        return false;
    }
}

data_type plan_sum_type(data_type type)
{
    bool is_real = type.id == TYPE_DOUBLE || type.id == TYPE_FLOAT;
    return is_real ? type_make(TYPE_DOUBLE)
                   : type_decimal(38, type.id == TYPE_DECIMAL ? type.scale : 0);
}

static expr *partial_call(arena *a, expr_op op, expr *left, expr *right)
{
    expr *args[] = {left, right};
    if (!left)
        return NULL;
    return expr_new_call(a, op, type_make(TYPE_DOUBLE), args, right ? 2 : 1, -1);
}

/* The sum of decimals as a whole number, divided by the count, then by the power of ten: as the
 * aggregate does it. */
expr *plan_mean(arena *a, expr *sum, expr *count)
{
    data_type type = sum->type;
    expr *number = expr_new_cast(a, sum, type_make(TYPE_DOUBLE), -1);
    expr *rows = expr_new_cast(a, count, type_make(TYPE_DOUBLE), -1);
    if (!number || !rows)
        return NULL;
    if (type.id != TYPE_DECIMAL || !type.scale)
        return partial_call(a, EXPR_DIVIDE, number, rows);
    double power = 1;
    for (unsigned digit = 0; digit < type.scale; digit++)
        power *= 10;
    value v = value_double(power);
    expr *scale = expr_new_constant(a, &v, -1);
    if (!scale)
        return NULL;
    number = partial_call(a, EXPR_MULTIPLY, number, scale);
    number = partial_call(a, EXPR_ROUND, number, NULL);
    number = partial_call(a, EXPR_DIVIDE, number, rows);
    return partial_call(a, EXPR_DIVIDE, number, scale);
}
