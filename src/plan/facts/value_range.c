/* value_range.c - ranges of values, and what follows from them.
 *
 * NaN is above everything and in no bounds: a range that may have some ends nowhere. */
#include "plan/facts/value_range.h"

#include "base/system/guard.h"
#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"

#include <math.h>

static bool value_range_is_float(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

static bool value_range_is_exact_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL;
}

bool value_has_range(data_type type)
{
    return value_range_is_exact_number(type) || value_range_is_float(type) || type_is_time(type) ||
           type_is_text(type);
}

static bool may_have_nan(const value_range *range)
{
    return value_range_is_float(range->min.type) && !range->has_no_nan;
}

/* ---- casts ---- */

bool value_cast_keeps_order(data_type from, data_type to)
{
    if (type_is_numeric(from) && type_is_numeric(to))
        return value_range_is_float(to) || (!value_range_is_float(from) && to.scale >= from.scale);
    return (from.id == TYPE_DATE && to.id == TYPE_TIMESTAMP) ||
           (from.id == TYPE_TIMESTAMP && to.id == TYPE_DATE) ||
           (from.id == TYPE_TIMESTAMP && to.id == TYPE_TIMESTAMP);
}

static bool cast_bound(value *bound, data_type to)
{
    const value before = *bound;
    bool is_done = false;
    status st = value_cast(NULL, &before, to, bound, &is_done);
    is_done &= !st;
    status_free(st);
    return is_done;
}

bool value_range_cast(const value_range *range, data_type to, value_range *out)
{
    data_type from = range->min.type;
    *out = *range;
    if (!range->is_bounded || !value_cast_keeps_order(from, to) || !cast_bound(&out->min, to) ||
        !cast_bound(&out->max, to))
        return false;
    out->has_no_nan = !value_range_is_float(from) || range->has_no_nan;
    if (to.id == TYPE_FLOAT && from.id != TYPE_FLOAT) {
        out->min.f64 = nextafterf((float)out->min.f64, -INFINITY);
        out->max.f64 = nextafterf((float)out->max.f64, INFINITY);
    } else if (to.id == TYPE_DOUBLE && !value_range_is_float(from)) {
        out->min.f64 = nextafter(out->min.f64, -INFINITY);
        out->max.f64 = nextafter(out->max.f64, INFINITY);
    }
    return true;
}

/* ---- two ranges ---- */

static bool value_range_are_of_one_type(const value_range *a, const value_range *b)
{
    return a->is_bounded && b->is_bounded && type_equal(a->min.type, b->min.type);
}

value_range value_range_union(const value_range *a, const value_range *b)
{
    value_range both = {.has_no_values = a->has_no_values && b->has_no_values,
                        .has_no_nulls = a->has_no_nulls && b->has_no_nulls};
    const value_range *other = a->has_no_values ? b : a;
    if (a->has_no_values || b->has_no_values) {
        both.is_bounded = other->is_bounded;
        both.has_no_nan = other->has_no_nan;
        both.min = other->min;
        both.max = other->max;
    } else if (value_range_are_of_one_type(a, b)) {
        both.is_bounded = true;
        both.has_no_nan = a->has_no_nan && b->has_no_nan;
        both.min = value_compare(&a->min, &b->min) < 0 ? a->min : b->min;
        both.max = value_compare(&a->max, &b->max) > 0 ? a->max : b->max;
    }
    return both;
}

value_range value_range_meet(const value_range *a, const value_range *b)
{
    value_range both = a->is_bounded ? *a : *b;
    if (value_range_are_of_one_type(a, b)) {
        both.min = value_compare(&a->min, &b->min) > 0 ? a->min : b->min;
        both.max = value_compare(&a->max, &b->max) < 0 ? a->max : b->max;
    }
    both.has_no_values = a->has_no_values || b->has_no_values;
    both.has_no_nulls = a->has_no_nulls || b->has_no_nulls;
    both.has_no_nan = a->has_no_nan || b->has_no_nan;
    return both;
}

value_range value_range_of_constant(const value *v)
{
    if (v->is_null)
        return (value_range){.has_no_values = true};
    bool has_range = value_has_range(v->type) || v->type.id == TYPE_BOOL;
    if (!has_range || (value_range_is_float(v->type) && isnan(v->f64)))
        return (value_range){.has_no_nulls = true};
    return (value_range){
        .is_bounded = true, .has_no_nulls = true, .has_no_nan = true, .min = *v, .max = *v};
}

void value_range_narrow(value_range *range, expr_op op, const value *constant)
{
    value_range wanted = value_range_of_constant(constant);
    if (op == EXPR_NE || constant->is_null)
        return;
    range->has_no_nulls = true;
    if (!wanted.is_bounded || (op != EXPR_EQ && !value_range_are_of_one_type(range, &wanted)))
        return;
    if (op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ)
        range->has_no_nan = true; /* which is above every number */
    if (op == EXPR_EQ)
        *range = value_range_meet(&wanted, range);
    else if (op == EXPR_LT || op == EXPR_LE)
        range->max = value_compare(constant, &range->max) < 0 ? *constant : range->max;
    else if (op == EXPR_GT || op == EXPR_GE)
        range->min = value_compare(constant, &range->min) > 0 ? *constant : range->min;
}

/* ---- comparisons ---- */

static bool is_below(const value_range *a, const value_range *b)
{
    return !may_have_nan(a) && value_compare(&a->max, &b->min) < 0;
}

static bool is_at_most(const value_range *a, const value_range *b)
{
    return !may_have_nan(a) && value_compare(&a->max, &b->min) <= 0;
}

static bool is_one_value(const value_range *a, const value_range *b)
{
    return !may_have_nan(a) && !may_have_nan(b) && !value_compare(&a->min, &a->max) &&
           !value_compare(&b->min, &b->max) && !value_compare(&a->min, &b->min);
}

value_truth value_truth_of_comparison(expr_op op, const value_range *left, const value_range *right)
{
    value_truth truth = {true, true, !left->has_no_nulls || !right->has_no_nulls};
    if (left->has_no_values || right->has_no_values)
        return (value_truth){false, false, true};
    if (!value_range_are_of_one_type(left, right))
        return truth;
    switch (op) {
    case EXPR_EQ:
        truth.may_be_true = !is_below(left, right) && !is_below(right, left);
        truth.may_be_false = !is_one_value(left, right);
        break;
    case EXPR_NE:
        truth.may_be_true = !is_one_value(left, right);
        truth.may_be_false = !is_below(left, right) && !is_below(right, left);
        break;
    case EXPR_LT:
        truth.may_be_true = !is_at_most(right, left);
        truth.may_be_false = !is_below(left, right);
        break;
    case EXPR_LE:
        truth.may_be_true = !is_below(right, left);
        truth.may_be_false = !is_at_most(left, right);
        break;
    case EXPR_GT:
        truth.may_be_true = !is_at_most(left, right);
        truth.may_be_false = !is_below(right, left);
        break;
    case EXPR_GE:
        truth.may_be_true = !is_below(left, right);
        truth.may_be_false = !is_at_most(right, left);
        break;
    default:
        break;
    }
    return truth;
}

/* ---- expressions ---- */

static value_range range_of_truth(value_truth truth)
{
    return (value_range){.is_bounded = true,
                         .has_no_values = !truth.may_be_true && !truth.may_be_false,
                         .has_no_nulls = !truth.may_be_null,
                         .has_no_nan = true,
                         .min = value_bool(!truth.may_be_false),
                         .max = value_bool(truth.may_be_true)};
}

static value_truth truth_of_range(const value_range *range)
{
    bool is_known = range->is_bounded && range->min.type.id == TYPE_BOOL;
    bool may_be_value = !range->has_no_values;
    return (value_truth){may_be_value && !(is_known && !range->max.boolean),
                         may_be_value && !(is_known && range->min.boolean), !range->has_no_nulls};
}

/* Returns the range of the branches whose conditions can be met. */
static value_range range_of_case(const expr *e, value_range_column *column, void *context)
{
    value_range all = {.has_no_values = true, .has_no_nulls = true};
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2) {
        value_truth met = value_truth_of(e->args[i], column, context);
        if (!met.may_be_true)
            continue;
        value_range one = value_range_of(e->args[i + 1], column, context);
        all = value_range_union(&all, &one);
        if (!met.may_be_false && !met.may_be_null)
            return all;
    }
    value_range otherwise = value_range_of(e->args[e->arg_count - 1], column, context);
    return value_range_union(&all, &otherwise);
}

/* One of the arguments, NULL only where all are. */
static value_range range_of_choice(const expr *e, value_range_column *column, void *context)
{
    value_range all = {.has_no_values = true, .has_no_nulls = true};
    bool has_no_nulls = false;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        value_range one = value_range_of(e->args[i], column, context);
        has_no_nulls |= one.has_no_nulls;
        all = value_range_union(&all, &one);
    }
    all.has_no_nulls = has_no_nulls;
    return all;
}

static bool negate_bound(value *bound)
{
    if (value_range_is_float(bound->type)) {
        bound->f64 = -bound->f64;
        return true;
    }
    int128 number = -value_int128(bound);
    if (bound->type.id == TYPE_DECIMAL)
        *bound = value_decimal(number, bound->type);
    else if (type_is_signed(bound->type))
        bound->i64 = (int64_t)number;
    else
        return false;
    return value_int128(bound) == number;
}

static value_range range_of_negated(const expr *e, value_range_column *column, void *context)
{
    value_range range = value_range_of(e->args[0], column, context);
    value least = range.min;
    if (!range.is_bounded || !type_equal(e->type, least.type))
        return (value_range){.has_no_values = range.has_no_values};
    range.min = range.max;
    range.max = least;
    range.is_bounded = negate_bound(&range.min) && negate_bound(&range.max);
    return range;
}

static value_range value_range_of_call(const expr *e, value_range_column *column, void *context)
{
    value_range first;
    switch (e->op) {
    case EXPR_COALESCE:
    case EXPR_GREATEST:
    case EXPR_LEAST:
        return range_of_choice(e, column, context);
    case EXPR_NULLIF:
        first = value_range_of(e->args[0], column, context);
        first.has_no_nulls = false;
        return first;
    case EXPR_NEGATE:
        return range_of_negated(e, column, context);
    default:
        return (value_range){0};
    }
}

static bool truth_of_call(const expr *e, value_range_column *column, void *context,
                          value_truth *out);

value_range value_range_of(const expr *e, value_range_column *column, void *context)
{
    value_range below, range;
    value_truth truth;
    if (!guard_may_go_on())
        return (value_range){0};
    switch (e->kind) {
    case EXPR_COLUMN:
        return column(e->column_id, context);
    case EXPR_CONSTANT:
        return value_range_of_constant(&e->constant);
    case EXPR_CAST:
        below = value_range_of(e->args[0], column, context);
        if (value_range_cast(&below, e->type, &range))
            return range;
        return (value_range){.has_no_values = below.has_no_values};
    case EXPR_CASE:
        return range_of_case(e, column, context);
    case EXPR_CALL:
        return truth_of_call(e, column, context, &truth) ? range_of_truth(truth)
                                                         : value_range_of_call(e, column, context);
    default:
        return (value_range){0};
    }
}

static value_truth truth_of_list(const expr *e, value_range_column *column, void *context)
{
    value_range first = value_range_of(e->args[0], column, context);
    value_truth any = {false, true, false};
    for (uint32_t i = 1; i < e->arg_count; i++) {
        value_range item = value_range_of(e->args[i], column, context);
        value_truth one = value_truth_of_comparison(EXPR_EQ, &first, &item);
        any.may_be_true |= one.may_be_true;
        any.may_be_false &= one.may_be_false;
        any.may_be_null |= one.may_be_null;
    }
    return any;
}

/* AND is false where one of the arguments is, OR true. */
static value_truth truth_of_logic(const expr *e, value_range_column *column, void *context)
{
    bool is_and = e->op == EXPR_AND;
    value_truth all = {is_and, !is_and, false};
    for (uint32_t i = 0; i < e->arg_count; i++) {
        value_truth one = value_truth_of(e->args[i], column, context);
        all.may_be_true =
            is_and ? all.may_be_true && one.may_be_true : all.may_be_true || one.may_be_true;
        all.may_be_false =
            is_and ? all.may_be_false || one.may_be_false : all.may_be_false && one.may_be_false;
        all.may_be_null |= one.may_be_null;
    }
    return all;
}

static value_truth truth_of_null_test(const expr *e, value_range_column *column, void *context)
{
    value_range arg = value_range_of(e->args[0], column, context);
    bool is_for_nulls = e->op == EXPR_IS_NULL;
    bool may_be_null = !arg.has_no_nulls, may_be_value = !arg.has_no_values;
    return (value_truth){is_for_nulls ? may_be_null : may_be_value,
                         is_for_nulls ? may_be_value : may_be_null, false};
}

/* Compares an expression with itself: NaN is equal to NaN. */
static value_truth truth_of_itself(expr_op op, value_truth truth)
{
    if (op == EXPR_EQ || op == EXPR_LE || op == EXPR_GE)
        truth.may_be_false = false;
    else
        truth.may_be_true = false;
    return truth;
}

/* IS [NOT] DISTINCT FROM: of two NULLs they are equal, of one they are not. */
static value_truth truth_of_distinct(const expr *e, value_range_column *column, void *context)
{
    value_range left = value_range_of(e->args[0], column, context);
    value_range right = value_range_of(e->args[1], column, context);
    value_truth equal = value_truth_of_comparison(EXPR_EQ, &left, &right);
    bool may_be_same = equal.may_be_true || (!left.has_no_nulls && !right.has_no_nulls);
    bool may_differ = equal.may_be_false || equal.may_be_null;
    bool is_same = e->op == EXPR_IS_NOT_DISTINCT;
    return (value_truth){is_same ? may_be_same : may_differ, is_same ? may_differ : may_be_same,
                         false};
}

static value_truth truth_of_sides(const expr *e, value_range_column *column, void *context)
{
    value_range left = value_range_of(e->args[0], column, context);
    value_range right = value_range_of(e->args[1], column, context);
    value_truth truth = value_truth_of_comparison(e->op, &left, &right);
    bool is_itself = expr_equal(e->args[0], e->args[1]) && !expr_is_volatile(e->args[0]);
    return is_itself ? truth_of_itself(e->op, truth) : truth;
}

/* IS TRUE, IS FALSE. */
static value_truth truth_of_test(const expr *e, value_range_column *column, void *context)
{
    value_truth arg = value_truth_of(e->args[0], column, context);
    bool is_for_true = e->op == EXPR_IS_TRUE;
    bool is_met = is_for_true ? arg.may_be_true : arg.may_be_false;
    bool is_other = is_for_true ? arg.may_be_false : arg.may_be_true;
    return (value_truth){is_met, is_other || arg.may_be_null, false};
}

/* Finds a call's truth. False: the call is not a condition that is known here. */
static bool truth_of_call(const expr *e, value_range_column *column, void *context,
                          value_truth *out)
{
    value_truth truth;
    switch (e->op) {
    case EXPR_AND:
    case EXPR_OR:
        *out = truth_of_logic(e, column, context);
        return true;
    case EXPR_NOT:
        truth = value_truth_of(e->args[0], column, context);
        *out = (value_truth){truth.may_be_false, truth.may_be_true, truth.may_be_null};
        return true;
    case EXPR_IN_LIST:
        *out = truth_of_list(e, column, context);
        return true;
    case EXPR_IS_NULL:
    case EXPR_IS_NOT_NULL:
        *out = truth_of_null_test(e, column, context);
        return true;
    case EXPR_IS_TRUE:
    case EXPR_IS_FALSE:
        *out = truth_of_test(e, column, context);
        return true;
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT:
        *out = truth_of_distinct(e, column, context);
        return true;
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        *out = truth_of_sides(e, column, context);
        return true;
    default:
        return false;
    }
}

value_truth value_truth_of(const expr *e, value_range_column *column, void *context)
{
    value_truth truth;
    if (!guard_may_go_on())
        return (value_truth){true, true, true};
    if (e->kind == EXPR_CALL && truth_of_call(e, column, context, &truth))
        return truth;
    if (e->type.id != TYPE_BOOL)
        return (value_truth){true, true, true};
    value_range range = value_range_of(e, column, context);
    return truth_of_range(&range);
}
