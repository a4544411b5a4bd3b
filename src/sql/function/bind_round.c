/* bind_round.c - round, floor, ceil, trunc, abs and sign: what is left of a number's digits. */
#include "sql/function/bind_round.h"

#include "plan/fold/fold_value.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

/* The decimal type with one more whole digit (9.9 rounds to 10) and `scale` digits. */
static data_type rounded_type(data_type type, unsigned scale)
{
    unsigned precision = (unsigned)type.precision - type.scale + scale + 1u;
    return type_decimal(precision > 38 ? 38 : precision, scale);
}

static status digits_argument(const function_call *c, int64_t *out)
{
    value v;
    *out = 0;
    if (c->count == 1)
        return STATUS_OK;
    if (c->args[1]->kind != EXPR_CONSTANT || c->args[1]->constant.is_null ||
        !value_cast_exact(&c->args[1]->constant, type_make(TYPE_INT64), &v))
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, c->tree->location,
                          "number of digits in \"%s\" must be a constant integer", c->name);
    *out = v.i64;
    if (*out < -38 || *out > 38)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "number of digits %lld in \"%s\" is out of range", (long long)*out,
                          c->name);
    return STATUS_OK;
}

status bind_round(const function_call *c, expr_op op, expr **out)
{
    int64_t digits;
    TRY(call_require_number(c, 0));
    TRY(digits_argument(c, &digits));
    expr *arg = c->args[0];
    bool is_exact = type_is_integer(arg->type) || arg->type.id == TYPE_DECIMAL;
    if (is_exact && digits >= arg->type.scale) {
        *out = arg;
        return STATUS_OK;
    }
    if (is_exact && digits >= 0) /* casts round as well */
        return bind_cast(c->b, arg, rounded_type(arg->type, (unsigned)digits), c->tree->location,
                         out);
    value v = value_int(TYPE_INT64, digits);
    expr *count;
    TRY(bind_constant(c->b, &v, -1, &count));
    if (!is_exact)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    TRY(bind_call2(c->b, op, arg->type, arg, count, c->tree->location, out));
    if (arg->type.id != TYPE_DECIMAL)
        return STATUS_OK;
    return bind_cast(c->b, *out, rounded_type(arg->type, 0), c->tree->location, out);
}

/* trunc(x, n) of a decimal: without the rest of so many digits. */
static status cut_digits(const function_call *c, expr **out)
{
    int64_t digits;
    expr *arg = c->args[0], *unit, *rest;
    int32_t location = c->tree->location;
    TRY(call_require_number(c, 0));
    arg = c->args[0];
    TRY(digits_argument(c, &digits));
    if (!type_is_integer(arg->type) && arg->type.id != TYPE_DECIMAL)
        return bind_unsupported(c->b, location, "trunc to digits of anything but a decimal is");
    *out = arg;
    if (digits >= arg->type.scale)
        return STATUS_OK;
    unsigned scale = digits > 0 ? (unsigned)digits : 0;
    value v =
        value_decimal(power_of_ten(digits < 0 ? (unsigned)-digits : 0), type_decimal(38, scale));
    v = value_decimal(value_int128(&v), value_decimal_type(&v));
    TRY(bind_constant(c->b, &v, -1, &unit));
    TRY(bind_arithmetic(c->b, "%", arg, unit, location, &rest));
    TRY(bind_arithmetic(c->b, "-", arg, rest, location, out));
    if (type_is_integer(arg->type))
        return STATUS_OK;
    unsigned whole = (unsigned)(arg->type.precision - arg->type.scale);
    return bind_cast(c->b, *out, type_decimal(whole + scale > 1 ? whole + scale : 1, scale),
                     location, out);
}

/* floor, ceil, trunc: of a decimal, without its digits behind the point. */
status bind_whole(const function_call *c, expr_op op, expr **out)
{
    if (c->count == 2)
        return cut_digits(c, out);
    TRY(call_require_number(c, 0));
    expr *arg = c->args[0];
    if (type_is_integer(arg->type) || (arg->type.id == TYPE_DECIMAL && arg->type.scale == 0)) {
        *out = arg;
        return STATUS_OK;
    }
    if (arg->type.id != TYPE_DECIMAL)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    TRY(bind_call1(c->b, op, arg->type, arg, c->tree->location, out));
    if (arg->type.id != TYPE_DECIMAL)
        return STATUS_OK;
    return bind_cast(c->b, *out, rounded_type(arg->type, 0), c->tree->location, out);
}

status bind_abs(const function_call *c, expr_op op, expr **out)
{
    TRY(call_require_number(c, 0));
    expr *arg = c->args[0];
    if (arg->type.id == TYPE_FLOAT || (op == EXPR_SIGN && arg->type.id == TYPE_DECIMAL))
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    else if (type_is_integer(arg->type) && arg->type.id != TYPE_INT64)
        TRY(bind_cast(c->b, arg,
                      arg->type.id == TYPE_UINT64
                          ? type_decimal(20, 0)
                          : type_make(arg->type.id == TYPE_UINT32 ? TYPE_INT64 : TYPE_INT32),
                      c->tree->location, &arg));
    return bind_call1(c->b, op, arg->type, arg, c->tree->location, out);
}
