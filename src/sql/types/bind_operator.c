/* bind_operator.c - arithmetic and comparison: which types, and which casts they need. */
#include "sql/types/bind_operator.h"

#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"
#include "sql/types/bind_similar.h"
#include "sql/types/bind_type.h"
#include "sql/types/bind_zone.h"
#include "sql/types/binder.h"
#include "sql/types/nested_operator.h"

#include <stdio.h>

/* ---- calls ---- */

status bind_call(binder *b, expr_op op, data_type type, expr *const *args, uint32_t count,
                 int32_t location, expr **out)
{
    expr *call = expr_new_call(b->memory, op, type, args, count, bind_position(b, location));
    if (call && function_is_volatile(op))
        call->draw = ++b->statement->draw_count;
    *out = call ? expr_fold(b->memory, call) : NULL;
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_call1(binder *b, expr_op op, data_type type, expr *arg, int32_t location, expr **out)
{
    return bind_call(b, op, type, &arg, 1, location, out);
}

status bind_call2(binder *b, expr_op op, data_type type, expr *left, expr *right, int32_t location,
                  expr **out)
{
    expr *args[] = {left, right};
    return bind_call(b, op, type, args, 2, location, out);
}

static status no_operator(const binder *b, const char *name, const expr *left, const expr *right,
                          int32_t location)
{
    char l[TYPE_NAME_BYTES], r[TYPE_NAME_BYTES];
    return status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                  "operator does not exist: %s %s %s", type_name(left->type, l),
                                  name, type_name(right->type, r)),
                       "%s",
                       type_equal(left->type, right->type) ? "docs/SQL.md lists the operators"
                                                           : "cast one of the two sides");
}

/* ---- comparison ---- */

bool bind_comparison_op(const char *name, expr_op *out)
{
    static const struct {
        const char *name;
        expr_op op;
    } names[] = {
        {"=", EXPR_EQ},   {"<>", EXPR_NE},   {"!=", EXPR_NE},  {"<", EXPR_LT},
        {"<=", EXPR_LE},  {">", EXPR_GT},    {">=", EXPR_GE}, /* of texts by their bytes, as all comparisons are: */
        {"~<~", EXPR_LT}, {"~<=~", EXPR_LE}, {"~>~", EXPR_GT}, {"~>=~", EXPR_GE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) {
            *out = names[i].op;
            return true;
        }
    return false;
}

static bool operator_same_type(const expr *left, const expr *right)
{
    return type_equal(left->type, right->type) && left->type.width == right->type.width;
}

/* A constant takes the other side's type where nothing is lost, so that a column is not cast. */
static status adapt_constant(binder *b, expr **constant, const expr *other, bool *out_done)
{
    value v;
    *out_done = false;
    if ((*constant)->kind != EXPR_CONSTANT || other->kind == EXPR_CONSTANT ||
        bind_zone_crosses(b, (*constant)->type, other->type))
        return STATUS_OK;
    if (!value_cast_exact(&(*constant)->constant, other->type, &v))
        return STATUS_OK;
    *out_done = true;
    *constant = expr_new_constant(b->memory, &v, (*constant)->position);
    return *constant ? STATUS_OK : bind_no_memory();
}

static data_type exact_type(const expr *e)
{
    bool is_number = e->kind == EXPR_CONSTANT && !e->constant.is_null &&
                     (type_is_integer(e->type) || e->type.id == TYPE_DECIMAL);
    return is_number ? value_decimal_type(&e->constant) : e->type;
}

static bool operator_is_float(const expr *e)
{
    return e->type.id == TYPE_FLOAT || e->type.id == TYPE_DOUBLE;
}

/* A truth value beside a number is 0 or 1. */
static status number_truth(binder *b, expr **truth, const expr *other, int32_t location)
{
    bool is_number =
        type_is_integer(other->type) || other->type.id == TYPE_DECIMAL || operator_is_float(other);
    if ((*truth)->type.id != TYPE_BOOL || !is_number)
        return STATUS_OK;
    return bind_cast(b, *truth, type_make(TYPE_INT32), location, truth);
}

status bind_unify(binder *b, expr **left, expr **right, int32_t location, const char *what)
{
    data_type common;
    bool is_done;
    if (type_is_nested((*left)->type) || type_is_nested((*right)->type)) {
        expr *both[] = {*left, *right};
        TRY(bind_coerce_all(b, both, 2, location, what, &common));
        *left = both[0];
        *right = both[1];
        return STATUS_OK;
    }
    if (bind_is_literal(*left) != bind_is_literal(*right)) {
        expr **literal = bind_is_literal(*left) ? left : right;
        const expr *other = literal == left ? *right : *left;
        if (other->type.id != TYPE_DECIMAL || (*literal)->type.id == TYPE_NULL)
            return bind_coerce(b, *literal, other->type, location, what, literal);
        TRY(bind_literal_number(b, *literal, literal));
    }
    if ((*left)->type.id == TYPE_NULL && (*right)->type.id == TYPE_NULL) {
        TRY(bind_cast(b, *left, type_make(TYPE_VARCHAR), location, left));
        return bind_cast(b, *right, type_make(TYPE_VARCHAR), location, right);
    }
    if (operator_same_type(*left, *right))
        return STATUS_OK;
    TRY(number_truth(b, left, *right, location));
    TRY(number_truth(b, right, *left, location));
    TRY(adapt_constant(b, left, *right, &is_done));
    if (!is_done)
        TRY(adapt_constant(b, right, *left, &is_done));
    if (is_done)
        return STATUS_OK;
    bool is_decimal = (*left)->type.id == TYPE_DECIMAL || (*right)->type.id == TYPE_DECIMAL;
    if (!bind_common_type(is_decimal ? exact_type(*left) : (*left)->type,
                          is_decimal ? exact_type(*right) : (*right)->type, &common))
        return no_operator(b, what, *left, *right, location);
    TRY(bind_cast(b, *left, common, location, left));
    return bind_cast(b, *right, common, location, right);
}

status bind_comparison(binder *b, expr_op op, expr *left, expr *right, int32_t location, expr **out)
{
    TRY(bind_unify(b, &left, &right, location, expr_op_name(op)));
    data_type type = op == EXPR_NULLIF ? left->type : type_make(TYPE_BOOL);
    return bind_call2(b, op, type, left, right, location, out);
}

/* ---- numbers ---- */

/* Integers are computed as int32, int64 or (uint64) as decimal(20,0). */
static data_type arithmetic_integer(data_type type)
{
    switch (type.id) {
    case TYPE_UINT64:
        return type_decimal(20, 0);
    case TYPE_INT64:
    case TYPE_UINT32:
        return type_make(TYPE_INT64);
    default:
        return type_make(TYPE_INT32);
    }
}

static status promote(binder *b, expr **arg, int32_t location)
{
    if (!type_is_integer((*arg)->type))
        return STATUS_OK;
    return bind_cast(b, *arg, arithmetic_integer((*arg)->type), location, arg);
}

/* Can it be an integer as it is written? One of any other type was cast to it. */
static bool may_be_written(const expr *e)
{
    return e->kind == EXPR_CONSTANT && !e->constant.is_null &&
           (e->type.id == TYPE_INT32 ||
            (e->type.id == TYPE_INT64 && e->constant.i64 != (int32_t)e->constant.i64));
}

/* Integers that are written count with the digits that they have. */
static data_type decimal_of(const expr *e, bool is_written)
{
    if (e->type.id == TYPE_DECIMAL)
        return e->type;
    if (is_written)
        return value_decimal_type(&e->constant);
    return type_decimal(e->type.id == TYPE_INT64 ? 19 : 10, 0);
}

static data_type capped_decimal(unsigned precision, unsigned scale)
{
    return type_decimal(precision > 38 ? 38 : precision, scale);
}

static status to_scale(binder *b, expr **arg, data_type type, unsigned scale, int32_t location)
{
    if ((*arg)->type.id == TYPE_DECIMAL && type.scale == scale)
        return STATUS_OK;
    data_type target = capped_decimal(type.precision - type.scale + scale, scale);
    return bind_cast(b, *arg, target, location, arg);
}

static status decimal_arithmetic(binder *b, expr_op op, expr *left, expr *right, data_type l,
                                 data_type r, int32_t location, expr **out)
{
    data_type type;
    if (op == EXPR_MULTIPLY) {
        if (l.scale + r.scale > 38)
            return bind_error(b, STATUS_KIND_INVALID, location,
                              "product of decimals would have %d digits behind the point",
                              l.scale + r.scale);
        type = capped_decimal(l.precision + r.precision, l.scale + r.scale);
        TRY(to_scale(b, &left, l, l.scale, location));
        TRY(to_scale(b, &right, r, r.scale, location));
        return bind_call2(b, op, type, left, right, location, out);
    }
    unsigned scale = l.scale > r.scale ? l.scale : r.scale;
    unsigned l_whole = l.precision - l.scale, r_whole = r.precision - r.scale;
    unsigned whole = l_whole > r_whole ? l_whole : r_whole;
    type = capped_decimal(whole + scale + (op != EXPR_MODULO), scale);
    TRY(to_scale(b, &left, l, scale, location));
    TRY(to_scale(b, &right, r, scale, location));
    return bind_call2(b, op, type, left, right, location, out);
}

static status number_arithmetic(binder *b, expr_op op, expr *left, expr *right, int32_t location,
                                expr **out)
{
    bool is_integer = type_is_integer(left->type) && type_is_integer(right->type);
    bool left_is_written = may_be_written(left), right_is_written = may_be_written(right);
    TRY(promote(b, &left, location));
    TRY(promote(b, &right, location));
    bool is_decimal = left->type.id == TYPE_DECIMAL || right->type.id == TYPE_DECIMAL;
    data_type type;
    if (is_decimal && is_integer && op == EXPR_DIVIDE) {
        type = arithmetic_integer(type_make(TYPE_UINT64)); /* beside a ubigint: truncated too */
    } else if (operator_is_float(left) || operator_is_float(right) ||
               (is_decimal && op == EXPR_DIVIDE)) {
        bool is_single = left->type.id == TYPE_FLOAT && right->type.id == TYPE_FLOAT;
        type = type_make(is_single ? TYPE_FLOAT : TYPE_DOUBLE);
    } else if (is_decimal) {
        return decimal_arithmetic(b, op, left, right, decimal_of(left, left_is_written),
                                  decimal_of(right, right_is_written), location, out);
    } else {
        type = left->type.width >= right->type.width ? left->type : right->type;
    }
    TRY(bind_cast(b, left, type, location, &left));
    TRY(bind_cast(b, right, type, location, &right));
    return bind_call2(b, op, type, left, right, location, out);
}

/* The least int32 and int64 are written as the negative of what is one too large for the type. */
static status narrow_minimum(binder *b, int32_t location, expr **e)
{
    const value *v = &(*e)->constant;
    value narrow;
    if ((*e)->kind != EXPR_CONSTANT || v->is_null || v->type.scale ||
        (v->type.id != TYPE_INT64 && v->type.id != TYPE_DECIMAL))
        return STATUS_OK;
    int128 number = value_int128(v);
    if (number == INT32_MIN && v->type.id == TYPE_INT64)
        narrow = value_int(TYPE_INT32, INT32_MIN);
    else if (number == INT64_MIN && v->type.id == TYPE_DECIMAL)
        narrow = value_int(TYPE_INT64, INT64_MIN);
    else
        return STATUS_OK;
    *e = expr_new_constant(b->memory, &narrow, bind_position(b, location));
    return *e ? STATUS_OK : bind_no_memory();
}

status bind_negate(binder *b, expr *arg, int32_t location, expr **out)
{
    char name[TYPE_NAME_BYTES];
    if (bind_is_literal(arg))
        TRY(bind_cast(b, arg, type_make(TYPE_DOUBLE), location, &arg));
    if (arg->type.id == TYPE_INTERVAL) {
        value minus_one = value_double(-1);
        expr *factor;
        TRY(bind_constant(b, &minus_one, location, &factor));
        return bind_call2(b, EXPR_INTERVAL_MULTIPLY, arg->type, arg, factor, location, out);
    }
    if (!type_is_numeric(arg->type))
        return bind_error(b, STATUS_KIND_INVALID, location, "operator does not exist: - %s",
                          type_name(arg->type, name));
    TRY(promote(b, &arg, location));
    TRY(bind_call1(b, EXPR_NEGATE, arg->type, arg, location, out));
    return narrow_minimum(b, location, out);
}

/* ---- time ---- */

static bool operator_is_timestamp(const expr *e)
{
    return e->type.id == TYPE_TIMESTAMP || e->type.id == TYPE_TIMESTAMP_TZ;
}

static status date_and_days(binder *b, expr *date, expr *days, bool is_minus, int32_t location,
                            expr **out)
{
    TRY(bind_coerce(b, days, type_make(TYPE_INT32), location, "number of days", &days));
    if (is_minus)
        TRY(bind_negate(b, days, location, &days));
    return bind_call2(b, EXPR_DATE_ADD_DAYS, date->type, date, days, location, out);
}

static status time_and_interval(binder *b, expr *time, expr *interval, bool is_minus,
                                int32_t location, expr **out)
{
    bool is_done;
    if (is_minus)
        TRY(bind_negate(b, interval, location, &interval));
    if (time->type.id == TYPE_DATE)
        TRY(bind_cast(b, time, type_make(TYPE_TIMESTAMP), location, &time));
    TRY(bind_zone_add(b, time, interval, location, &is_done, out));
    if (is_done)
        return STATUS_OK;
    return bind_call2(b, EXPR_TIMESTAMP_ADD_INTERVAL, time->type, time, interval, location, out);
}

static status interval_times(binder *b, expr *interval, expr *number, bool is_division,
                             int32_t location, expr **out)
{
    TRY(bind_cast(b, number, type_make(TYPE_DOUBLE), location, &number));
    if (is_division && number->kind == EXPR_CONSTANT && !number->constant.is_null &&
        number->constant.f64 == 0)
        return bind_error(b, STATUS_KIND_DATA, location, "division by zero");
    return bind_call2(b, is_division ? EXPR_INTERVAL_DIVIDE : EXPR_INTERVAL_MULTIPLY,
                      interval->type, interval, number, location, out);
}

static status difference(binder *b, expr *left, expr *right, int32_t location, expr **out)
{
    if (left->type.id == TYPE_DATE && right->type.id == TYPE_DATE)
        return bind_call2(b, EXPR_DATE_DIFFERENCE, type_make(TYPE_INT64), left, right, location,
                          out);
    TRY(bind_unify(b, &left, &right, location, "-"));
    return bind_call2(b, EXPR_TIMESTAMP_DIFFERENCE, type_make(TYPE_INTERVAL), left, right, location,
                      out);
}

/* A literal beside a time is an interval, but of a difference, which is between two of a type. */
static status read_time_literals(binder *b, bool is_minus, expr **left, expr **right,
                                 int32_t location)
{
    expr **literal = bind_is_literal(*left) ? left : bind_is_literal(*right) ? right : NULL;
    if (!literal)
        return STATUS_OK;
    const expr *other = literal == left ? *right : *left;
    bool is_same = is_minus;
    if (!type_is_time(other->type) && other->type.id != TYPE_INTERVAL)
        return STATUS_OK;
    data_type type = is_same ? other->type : type_make(TYPE_INTERVAL);
    status st = bind_coerce(b, *literal, type, location, "operand", literal);
    int32_t days;
    if (st && !is_same && date_parse((*literal)->constant.text, (*literal)->constant.bytes, &days))
        return status_hint(st, "write DATE or TIMESTAMP in front of it");
    return st;
}

/* With times of a day: one and an interval are one, else they count as the intervals since midnight. */
static status clock_arithmetic(binder *b, const char *name, expr **left, expr **right,
                               int32_t location, bool *out_done, expr **out)
{
    data_type interval = type_make(TYPE_INTERVAL);
    bool is_clock = name[0] == '+' || (name[0] == '-' && (*left)->type.id == TYPE_TIME);
    *out_done =
        is_clock && ((*left)->type.id == TYPE_INTERVAL || (*right)->type.id == TYPE_INTERVAL);
    if (!*out_done && (*left)->type.id == TYPE_TIME && (*right)->type.id == TYPE_TIME &&
        name[0] != '-')
        return no_operator(b, name, *left, *right, location);
    TRY(bind_cast(b, *left, (*left)->type.id == TYPE_TIME ? interval : (*left)->type, location,
                  left));
    TRY(bind_cast(b, *right, (*right)->type.id == TYPE_TIME ? interval : (*right)->type, location,
                  right));
    if (!*out_done)
        return STATUS_OK;
    if (name[0] == '-')
        TRY(bind_negate(b, *right, location, right));
    TRY(bind_call2(b, EXPR_INTERVAL_ADD, interval, *left, *right, location, out));
    return bind_cast(b, *out, type_make(TYPE_TIME), location, out);
}

static status time_arithmetic(binder *b, const char *name, expr *left, expr *right,
                              int32_t location, expr **out)
{
    bool is_plus = name[0] == '+', is_minus = name[0] == '-';
    if (is_plus || is_minus)
        TRY(read_time_literals(b, is_minus, &left, &right, location));
    if (left->type.id == TYPE_TIME || right->type.id == TYPE_TIME) {
        bool is_done;
        TRY(clock_arithmetic(b, name, &left, &right, location, &is_done, out));
        if (is_done)
            return STATUS_OK;
    }
    bool left_is_time = left->type.id == TYPE_DATE || operator_is_timestamp(left);
    bool right_is_time = right->type.id == TYPE_DATE || operator_is_timestamp(right);
    bool left_is_interval = left->type.id == TYPE_INTERVAL;
    bool right_is_interval = right->type.id == TYPE_INTERVAL;

    if (is_plus && (right_is_time || (right_is_interval && !left_is_time))) {
        expr *swapped = left; /* what a sum starts with does not matter */
        left = right;
        right = swapped;
        left_is_time = right_is_time;
        right_is_interval = right->type.id == TYPE_INTERVAL;
        left_is_interval = left->type.id == TYPE_INTERVAL;
        right_is_time = false;
    }
    if (is_minus && left_is_time && right_is_time)
        return difference(b, left, right, location, out);
    if ((is_plus || is_minus) && left_is_time && right_is_interval)
        return time_and_interval(b, left, right, is_minus, location, out);
    if ((is_plus || is_minus) && left->type.id == TYPE_DATE && type_is_integer(right->type))
        return date_and_days(b, left, right, is_minus, location, out);
    if ((is_plus || is_minus) && left_is_interval && right_is_interval) {
        if (is_minus)
            TRY(bind_negate(b, right, location, &right));
        return bind_call2(b, EXPR_INTERVAL_ADD, left->type, left, right, location, out);
    }
    bool left_is_number = type_is_numeric(left->type) || bind_is_literal(left);
    bool right_is_number = type_is_numeric(right->type) || bind_is_literal(right);
    if (name[0] == '*' && left_is_interval && right_is_number)
        return interval_times(b, left, right, false, location, out);
    if (name[0] == '*' && right_is_interval && left_is_number)
        return interval_times(b, right, left, false, location, out);
    if (name[0] == '/' && left_is_interval && right_is_number)
        return interval_times(b, left, right, true, location, out);
    return no_operator(b, name, left, right, location);
}

/* ---- all of them ---- */

static status concatenate(binder *b, expr *left, expr *right, int32_t location, expr **out)
{
    data_type text = type_make(TYPE_VARCHAR);
    if (left->type.id != TYPE_VARCHAR && right->type.id != TYPE_VARCHAR &&
        left->type.id != TYPE_NULL && right->type.id != TYPE_NULL)
        return no_operator(b, "||", left, right, location);
    TRY(bind_cast(b, left, text, location, &left));
    TRY(bind_cast(b, right, text, location, &right));
    return bind_call2(b, EXPR_CONCAT, text, left, right, location, out);
}

static status read_number_literal(binder *b, expr **literal, const expr *other, int32_t location)
{
    if (!bind_is_literal(*literal) || !type_is_numeric(other->type))
        return STATUS_OK;
    if (other->type.id == TYPE_DECIMAL && (*literal)->type.id == TYPE_VARCHAR)
        return bind_literal_number(b, *literal, literal);
    return bind_coerce(b, *literal, other->type, location, "operand", literal);
}

/* ~, ~*, !~, !~* */
static bool is_match(const char *name)
{
    name += *name == '!';
    return !strcmp(name, "~") || !strcmp(name, "~*");
}

static status operator_match(binder *b, const char *name, expr *left, expr *right, int32_t location,
                             expr **out)
{
    data_type text = type_make(TYPE_VARCHAR);
    expr *sides[] = {left, right};
    expr_op op = name[strlen(name) - 1] == '*' ? EXPR_REGEXP_MATCH_ANY_CASE : EXPR_REGEXP_MATCH;
    for (int i = 0; i < 2; i++)
        if (sides[i]->type.id != TYPE_VARCHAR && sides[i]->type.id != TYPE_NULL)
            return no_operator(b, name, left, right, location);
    for (int i = 0; i < 2; i++)
        TRY(bind_cast(b, sides[i], text, location, &sides[i]));
    TRY(bind_call(b, op, type_make(TYPE_BOOL), sides, 2, location, out));
    return *name == '!' ? bind_call1(b, EXPR_NOT, type_make(TYPE_BOOL), *out, location, out)
                        : STATUS_OK;
}

/* ---- bits ---- */

static bool find_bits(const char *name, expr_op *out)
{
    static const struct {
        const char *name;
        expr_op op;
    } operators[] = {{"&", EXPR_BIT_AND},
                     {"|", EXPR_BIT_OR},
                     {"#", EXPR_BIT_XOR},
                     {"<<", EXPR_SHIFT_LEFT},
                     {">>", EXPR_SHIFT_RIGHT}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(name, operators[i].name)) {
            *out = operators[i].op;
            return true;
        }
    return false;
}

/* Unifies integers. A signed one that is not wider has no room for the other's values: those of 64 bits take 128, as sums do. */
static data_type bits_type(data_type left, data_type right)
{
    bool is_left = !type_is_signed(left), is_right = !type_is_signed(right);
    data_type wider = left.width >= right.width ? left : right;
    data_type with_sign = is_left ? right : left, without = is_left ? left : right;
    if (is_left == is_right)
        return wider;
    if (with_sign.width > without.width)
        return with_sign;
    return without.width < sizeof(uint64_t) ? type_make(TYPE_INT64) : type_decimal(38, 0);
}

/* A constant takes the other side's type if it fits that: as numbers without a suffix do, an integer, and beside an ubigint
 * whatever is one. */
static status adapt_bits(binder *b, expr **constant, const expr *other)
{
    data_type type = other->type;
    value v;
    bool is_number = (*constant)->type.id == TYPE_INT32 || type.id == TYPE_UINT64;
    bool is_alone =
        other->kind != EXPR_CONSTANT || type_is_signed((*constant)->type) != type_is_signed(type);
    if ((*constant)->kind != EXPR_CONSTANT || !type_is_integer(type) || !is_number || !is_alone ||
        type_equal((*constant)->type, type) || !value_cast_exact(&(*constant)->constant, type, &v))
        return STATUS_OK;
    *constant = expr_new_constant(b->memory, &v, (*constant)->position);
    return *constant ? STATUS_OK : bind_no_memory();
}

/* Literals become integers of the other side's type, NULL as well. */
static status read_bits(binder *b, expr **side, const expr *other, int32_t location)
{
    data_type type = type_is_integer(other->type) ? other->type : type_make(TYPE_INT64);
    if (!bind_is_literal(*side))
        return STATUS_OK;
    return bind_coerce(b, *side, type, location, "operand", side);
}

status bind_bits(binder *b, const char *name, expr *left, expr *right, int32_t location,
                 bool *out_done, expr **out)
{
    expr_op op;
    *out_done = find_bits(name, &op);
    if (!*out_done)
        return STATUS_OK;
    bool is_shift = op == EXPR_SHIFT_LEFT || op == EXPR_SHIFT_RIGHT;
    const expr *given = left;
    TRY(read_bits(b, &left, right, location));
    TRY(read_bits(b, &right, given, location));
    if (!is_shift) {
        TRY(adapt_bits(b, &right, left));
        TRY(adapt_bits(b, &left, right));
    }
    if (!type_is_integer(left->type) || !type_is_integer(right->type))
        return no_operator(b, name, left, right, location);
    return bind_call2(b, op, is_shift ? left->type : bits_type(left->type, right->type), left,
                      right, location, out);
}

status bind_not_bits(binder *b, expr *arg, int32_t location, expr **out)
{
    char name[TYPE_NAME_BYTES];
    TRY(read_bits(b, &arg, arg, location));
    if (!type_is_integer(arg->type))
        return bind_error(b, STATUS_KIND_INVALID, location, "operator does not exist: ~ %s",
                          type_name(arg->type, name));
    return bind_call1(b, EXPR_BIT_NOT, arg->type, arg, location, out);
}

static bool is_timelike(const expr *e)
{
    return type_is_time(e->type) || e->type.id == TYPE_INTERVAL;
}

status bind_arithmetic(binder *b, const char *name, expr *left, expr *right, int32_t location,
                       expr **out)
{
    static const struct {
        const char *name;
        expr_op op;
    } operators[] = {{"+", EXPR_ADD},
                     {"-", EXPR_SUBTRACT},
                     {"*", EXPR_MULTIPLY},
                     {"/", EXPR_DIVIDE},
                     {"%", EXPR_MODULO}};
    if (type_is_nested(left->type) || type_is_nested(right->type)) {
        bool is_list;
        TRY(bind_list_operator(b, name, left, right, location, &is_list, out));
        return is_list ? STATUS_OK : no_operator(b, name, left, right, location);
    }
    if (!strcmp(name, "||"))
        return concatenate(b, left, right, location, out);
    if (is_match(name))
        return operator_match(b, name, left, right, location, out);
    if (!strcmp(name, "~~~"))
        return bind_glob(b, left, right, location, out);
    if (!strcmp(name, "^@")) {
        data_type text = type_make(TYPE_VARCHAR);
        TRY(bind_coerce(b, left, text, location, "left side of ^@", &left));
        TRY(bind_coerce(b, right, text, location, "right side of ^@", &right));
        return bind_call2(b, EXPR_STARTS_WITH, type_make(TYPE_BOOL), left, right, location, out);
    }
    bool is_done;
    TRY(bind_bits(b, name, left, right, location, &is_done, out));
    if (is_done)
        return STATUS_OK;
    if (is_timelike(left) || is_timelike(right))
        return time_arithmetic(b, name, left, right, location, out);
    TRY(read_number_literal(b, &left, right, location));
    TRY(read_number_literal(b, &right, left, location));
    if (!type_is_numeric(left->type) || !type_is_numeric(right->type)) {
        /* NULL + NULL */
        if (left->type.id != TYPE_NULL || right->type.id != TYPE_NULL)
            return no_operator(b, name, left, right, location);
        TRY(bind_cast(b, left, type_make(TYPE_INT32), location, &left));
        TRY(bind_cast(b, right, type_make(TYPE_INT32), location, &right));
    }
    if (!strcmp(name, "^")) {
        data_type number = type_make(TYPE_DOUBLE);
        TRY(bind_cast(b, left, number, location, &left));
        TRY(bind_cast(b, right, number, location, &right));
        return bind_call2(b, EXPR_POWER, number, left, right, location, out);
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(name, operators[i].name))
            return number_arithmetic(b, operators[i].op, left, right, location, out);
    return bind_error(b, STATUS_KIND_UNSUPPORTED, location, "operator %s is not supported", name);
}
