/* fold.c - constant expressions: arithmetic, comparison, logic. */
#include "plan/fold/fold.h"

#include "base/type/json_type.h"
#include "device/host/host.h"
#include "device/host/host_fold.h"
#include "device/value/time_value.h"
#include "plan/fold/fold_parts.h"
#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"

#include <math.h>

#define FOLD_ARGS_MAX 8
#define DAY_MICROSECONDS ((int64_t)86400 * 1000000)

static bool is_null_constant(const expr *e)
{
    return e->kind == EXPR_CONSTANT && e->constant.is_null;
}

static bool is_bool_constant(const expr *e, bool boolean)
{
    return e->kind == EXPR_CONSTANT && !e->constant.is_null && e->constant.boolean == boolean;
}

/* ---- AND, OR ---- */

/* Drops what decides nothing; one constant may decide all. */
static expr *fold_logic(arena *a, expr *e)
{
    bool neutral = e->op == EXPR_AND;
    uint32_t kept = 0;
    bool is_simpler = false;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (is_bool_constant(e->args[i], !neutral))
            return e->args[i];
        is_simpler |= is_bool_constant(e->args[i], neutral);
    }
    if (!is_simpler)
        return e;
    expr **args = arena_alloc_array(a, e->arg_count, sizeof *args);
    if (!args)
        return NULL;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_bool_constant(e->args[i], neutral))
            args[kept++] = e->args[i];
    if (kept == 0)
        return e->args[0];
    return kept == 1 ? args[0] : expr_new_call(a, e->op, e->type, args, kept, e->position);
}

/* ---- arithmetic: false where it must be left to the executor ---- */

static bool fold_is_exact(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL;
}

bool fold_integer_fits(int128 number, data_type type)
{
    switch (type.id) {
    case TYPE_INT32:
        return number == (int32_t)number;
    case TYPE_INT64:
        return number == (int64_t)number;
    case TYPE_DECIMAL:
        return number < power_of_ten(type.precision) && number > -power_of_ten(type.precision);
    default:
        return false;
    }
}

static bool fold_fold_exact(expr_op op, const value *l, const value *r, data_type type, value *out)
{
    int128 left = value_int128(l), right = value_int128(r), number;
    bool overflows = false;
    switch (op) {
    case EXPR_ADD:
        overflows = __builtin_add_overflow(left, right, &number);
        break;
    case EXPR_SUBTRACT:
        overflows = __builtin_sub_overflow(left, right, &number);
        break;
    case EXPR_MULTIPLY:
        overflows = __builtin_mul_overflow(left, right, &number);
        break;
    case EXPR_DIVIDE:
    case EXPR_MODULO:
        if (right == 0 || (op == EXPR_DIVIDE && type.id == TYPE_DECIMAL))
            return false;
        number = op == EXPR_DIVIDE ? left / right : left % right;
        break;
    default:
        return false;
    }
    if (overflows || !fold_integer_fits(number, type))
        return false;
    *out =
        type.id == TYPE_DECIMAL ? value_decimal(number, type) : value_int(type.id, (int64_t)number);
    return true;
}

static bool fold_fold_double(expr_op op, double left, double right, value *out)
{
    double number;
    switch (op) {
    case EXPR_ADD:
        number = left + right;
        break;
    case EXPR_SUBTRACT:
        number = left - right;
        break;
    case EXPR_MULTIPLY:
        number = left * right;
        break;
    case EXPR_DIVIDE:
        if (right == 0)
            return false;
        number = left / right;
        break;
    default:
        return false;
    }
    *out = value_double(number);
    return isfinite(number);
}

static bool fold_arithmetic(const expr *e, value *out)
{
    const value *l = &e->args[0]->constant, *r = &e->args[1]->constant;
    if (fold_is_exact(l->type) && fold_is_exact(r->type))
        return fold_fold_exact(e->op, l, r, e->type, out);
    return e->type.id == TYPE_DOUBLE && l->type.id == TYPE_DOUBLE && r->type.id == TYPE_DOUBLE &&
           fold_fold_double(e->op, l->f64, r->f64, out);
}

static bool fold_negate(const expr *e, value *out)
{
    const value *v = &e->args[0]->constant;
    if (v->type.id == TYPE_DOUBLE) {
        *out = value_double(-v->f64);
        return true;
    }
    value zero = v->type.id == TYPE_DECIMAL ? value_decimal(0, v->type) : value_int(v->type.id, 0);
    return fold_is_exact(v->type) && fold_fold_exact(EXPR_SUBTRACT, &zero, v, e->type, out);
}

static bool fold_abs(const expr *e, value *out)
{
    const value *v = &e->args[0]->constant;
    if (v->type.id == TYPE_DOUBLE) {
        *out = value_double(fabs(v->f64));
        return true;
    }
    value zero = v->type.id == TYPE_DECIMAL ? value_decimal(0, v->type) : value_int(v->type.id, 0);
    expr_op op = fold_is_exact(v->type) && value_int128(v) < 0 ? EXPR_SUBTRACT : EXPR_ADD;
    return fold_is_exact(v->type) && fold_fold_exact(op, &zero, v, e->type, out);
}

/* ---- time ---- */

static bool fold_date_add(const value *date, const value *days, value *out)
{
    int32_t sum;
    bool fits = days->i64 == (int32_t)days->i64 &&
                add_date_days((int32_t)date->i64, (int32_t)days->i64, &sum);
    *out = value_int(TYPE_DATE, fits ? sum : 0);
    return fits;
}

static bool fold_timestamp_add(const value *timestamp, const value *interval, value *out)
{
    *out = (value){.type = timestamp->type};
    return timestamp->type.precision == 6 &&
           add_interval(timestamp->i64, &interval->interval, 1, &out->i64);
}

static bool fold_interval_add(const value *l, const value *r, value *out)
{
    *out = (value){.type = l->type};
    return !__builtin_add_overflow(l->interval.months, r->interval.months, &out->interval.months) &&
           !__builtin_add_overflow(l->interval.days, r->interval.days, &out->interval.days) &&
           !__builtin_add_overflow(l->interval.microseconds, r->interval.microseconds,
                                   &out->interval.microseconds);
}

/* By whole factors; fractions spill from part to part. */
static bool fold_interval_scale(const value *interval, double number, bool is_division, value *out)
{
    *out = (value){.type = interval->type};
    return (!is_division || number != 0) &&
           scale_interval(&interval->interval, number, is_division, &out->interval);
}

/* ---- calls ---- */

static bool fold_comparison(expr_op op, const value *l, const value *r, value *out)
{
    int order = value_compare(l, r);
    bool result;
    switch (op) {
    case EXPR_EQ:
    case EXPR_IS_NOT_DISTINCT:
        result = order == 0;
        break;
    case EXPR_NE:
    case EXPR_IS_DISTINCT:
        result = order != 0;
        break;
    case EXPR_LT:
        result = order < 0;
        break;
    case EXPR_LE:
        result = order <= 0;
        break;
    case EXPR_GT:
        result = order > 0;
        break;
    default:
        result = order >= 0;
        break;
    }
    *out = value_bool(result);
    return true;
}

/* Folds what the host computes of rows. */
static bool fold_host(arena *a, const expr *e, value *out)
{
    const value *args[FOLD_ARGS_MAX];
    const function_info *info = function_info_of(e->op);
    if (strcmp(info->family, "host") || !e->arg_count || e->arg_count > FOLD_ARGS_MAX)
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        args[i] = &e->args[i]->constant;
    return host_fold((host_function)info->operation, e->type, args, e->arg_count, a, out);
}

/* The call's arguments are constants that are not NULL. */
static bool fold_values(arena *a, const expr *e, value *out)
{
    const value *first = &e->args[0]->constant;
    const value *second = e->arg_count > 1 ? &e->args[1]->constant : NULL;
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_MODULO:
        return fold_arithmetic(e, out);
    case EXPR_NEGATE:
        return fold_negate(e, out);
    case EXPR_ABS:
        return fold_abs(e, out);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT:
        return fold_comparison(e->op, first, second, out);
    case EXPR_NOT:
        *out = value_bool(!first->boolean);
        return true;
    case EXPR_IS_NULL:
        *out = value_bool(false);
        return true;
    case EXPR_IS_NOT_NULL:
        *out = value_bool(true);
        return true;
    case EXPR_IS_TRUE:
    case EXPR_IS_FALSE:
        *out = value_bool(first->boolean == (e->op == EXPR_IS_TRUE));
        return true;
    case EXPR_COALESCE:
        *out = *first;
        return true;
    case EXPR_DATE_ADD_DAYS:
        return fold_date_add(first, second, out);
    case EXPR_DATE_DIFFERENCE:
        *out = value_int(TYPE_INT64, first->i64 - second->i64);
        return true;
    case EXPR_TIMESTAMP_ADD_INTERVAL:
        return fold_timestamp_add(first, second, out);
    case EXPR_INTERVAL_ADD:
        return fold_interval_add(first, second, out);
    case EXPR_INTERVAL_MULTIPLY:
    case EXPR_INTERVAL_DIVIDE:
        return fold_interval_scale(first, second->f64, e->op == EXPR_INTERVAL_DIVIDE, out);
    case EXPR_LIKE:
    case EXPR_ILIKE:
        return fold_like(a, e, out);
    case EXPR_STARTS_WITH:
        *out = value_bool(first->bytes >= second->bytes &&
                          (!second->bytes || !memcmp(first->text, second->text, second->bytes)));
        return true;
    default:
        return fold_text(a, e, out) || fold_number(e, out) || fold_time(e, out) ||
               fold_host(a, e, out);
    }
}

/* With a NULL among constant arguments. */
static bool fold_null(const expr *e, value *out)
{
    switch (e->op) {
    case EXPR_IS_NULL:
        *out = value_bool(true);
        return true;
    case EXPR_IS_NOT_NULL:
    case EXPR_IS_TRUE:
    case EXPR_IS_FALSE:
        *out = value_bool(false);
        return true;
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT: {
        bool both = is_null_constant(e->args[0]) && is_null_constant(e->args[1]);
        *out = value_bool(both == (e->op == EXPR_IS_NOT_DISTINCT));
        return true;
    }
    default:
        *out = value_null(e->type);
        return function_is_null_of_null(e->op);
    }
}

/* COALESCE without the NULLs, up to the first constant. */
static expr *fold_coalesce(arena *a, expr *e)
{
    uint32_t kept = 0;
    expr **args = arena_alloc_array(a, e->arg_count, sizeof *args);
    if (!args)
        return NULL;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (is_null_constant(e->args[i]))
            continue;
        args[kept++] = e->args[i];
        if (!e->args[i]->is_nullable)
            break;
    }
    if (kept == 0)
        return e->args[0];
    if (kept == 1)
        return args[0];
    return kept == e->arg_count ? e : expr_new_call(a, e->op, e->type, args, kept, e->position);
}

/* ---- calls of one of some constants ---- */

/* Returns the place of the only argument that varies, if it is a CASE that gives constants alone, else -1. */
static int place_of_case(const expr *e)
{
    int found = -1;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (e->args[i]->kind == EXPR_CONSTANT)
            continue;
        if (e->args[i]->kind != EXPR_CASE || found >= 0)
            return -1;
        found = (int)i;
    }
    const expr *choice = found < 0 ? NULL : e->args[found];
    for (uint32_t i = 0; choice && i < choice->arg_count; i++)
        if ((i % 2 || i + 1 == choice->arg_count) && choice->args[i]->kind != EXPR_CONSTANT)
            return -1;
    return found;
}

/* e with another argument, if that makes a constant of it; else NULL. */
static expr *fold_with(arena *a, const expr *e, int place, expr *arg)
{
    expr *one = expr_new(a, e->kind, e->type, e->arg_count, e->position);
    if (!one)
        return NULL;
    if (e->kind == EXPR_CALL)
        one->op = e->op;
    memcpy(one->args, e->args, e->arg_count * sizeof *e->args);
    one->args[place] = arg;
    one = expr_fold(a, one);
    bool is_done = one && one->kind == EXPR_CONSTANT && type_equal(one->constant.type, e->type) &&
                   one->constant.type.width == e->type.width;
    return is_done ? one : NULL;
}

/* upper(CASE WHEN b THEN 'x' ELSE 'y' END): CASE WHEN b THEN 'X' ELSE 'Y' END. */
static expr *fold_branches(arena *a, expr *e)
{
    int place = place_of_case(e);
    if (place < 0)
        return e;
    const expr *choice = e->args[place];
    expr *folded = expr_new(a, EXPR_CASE, e->type, choice->arg_count, e->position);
    if (!folded)
        return NULL;
    folded->is_nullable = false;
    for (uint32_t i = 0; i < choice->arg_count; i++) {
        bool is_result = i % 2 || i + 1 == choice->arg_count;
        folded->args[i] = is_result ? fold_with(a, e, place, choice->args[i]) : choice->args[i];
        if (!folded->args[i])
            return e;
        folded->is_nullable |= is_result && folded->args[i]->constant.is_null;
    }
    folded->unfolded = e;
    return folded;
}

static expr *fold_call(arena *a, expr *e)
{
    if (e->op == EXPR_AND || e->op == EXPR_OR)
        return fold_logic(a, e);
    if (e->op == EXPR_COALESCE)
        return fold_coalesce(a, e);
    bool has_null = false, is_constant = true;
    if (!e->arg_count)
        return e;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        is_constant &= e->args[i]->kind == EXPR_CONSTANT;
        has_null |= is_null_constant(e->args[i]);
    }
    if (!is_constant && !(has_null && function_is_null_of_null(e->op)))
        return fold_branches(a, e);
    value v;
    bool is_done = is_constant && fold_choice(e, &v);
    if (!is_done && !(has_null ? fold_null(e, &v) : fold_values(a, e, &v)))
        return e;
    return expr_new_constant(a, &v, e->position);
}

static expr *fold_cast(arena *a, expr *e)
{
    value v;
    bool is_done;
    if (e->args[0]->kind != EXPR_CONSTANT)
        return fold_branches(a, e);
    status st = value_cast(a, &e->args[0]->constant, e->type, &v, &is_done);
    if (st || !is_done) {
        status_free(st);
        return e;
    }
    return expr_new_constant(a, &v, e->position);
}

/* Branches whose condition is known to fail go; one that is known to hold ends the CASE. */
static expr *fold_case(arena *a, expr *e)
{
    uint32_t kept = 0;
    expr **args = arena_alloc_array(a, e->arg_count, sizeof *args);
    if (!args)
        return NULL;
    expr *otherwise = e->args[e->arg_count - 1];
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2) {
        if (is_null_constant(e->args[i]) || is_bool_constant(e->args[i], false))
            continue;
        if (is_bool_constant(e->args[i], true)) {
            otherwise = e->args[i + 1];
            break;
        }
        args[kept++] = e->args[i];
        args[kept++] = e->args[i + 1];
    }
    if (kept == 0)
        return otherwise;
    args[kept++] = otherwise;
    if (kept == e->arg_count)
        return e;
    expr *shorter = expr_new(a, EXPR_CASE, e->type, kept, e->position);
    if (!shorter)
        return NULL;
    memcpy(shorter->args, args, kept * sizeof *args);
    shorter->is_nullable = e->is_nullable;
    return shorter;
}

static expr *fold_one(arena *a, expr *e)
{
    switch (e->kind) {
    case EXPR_CALL:
        return fold_call(a, e);
    case EXPR_CAST:
        return fold_cast(a, e);
    case EXPR_CASE:
        return fold_case(a, e);
    default:
        return e;
    }
}

expr *expr_fold(arena *a, expr *e)
{
    expr *folded = fold_one(a, e);
    if (!folded || !type_is_json(e->type) || type_is_json(folded->type))
        return folded;
    folded = expr_copy(a, folded);
    if (folded)
        folded->type = e->type;
    if (folded && folded->kind == EXPR_CONSTANT)
        folded->constant.type = e->type;
    return folded;
}
