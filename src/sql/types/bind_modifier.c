/* bind_modifier.c - casts to a type with a modifier: decimals of any scale, texts of a length, times
 * of so many decimals, intervals of some fields. */
#include "sql/types/bind_modifier.h"

#include "base/text/interval_text.h"
#include "plan/fold/fold_value.h"
#include "sql/types/bind_operator.h"
#include "sql/types/binder.h"
#include "sql/types/parameter.h"

#include <strings.h>

/* ---- decimals ---- */

/* The digits that a number has as text: 1.50 has two, 1e-3 three. */
static unsigned written_scale(const char *text, size_t bytes)
{
    int64_t digits = 0, exponent = 0;
    bool is_behind = false, is_negative = false;
    size_t i = 0;
    for (; i < bytes && (text[i] | 0x20) != 'e'; i++) {
        digits += is_behind && text[i] >= '0' && text[i] <= '9';
        is_behind = is_behind || text[i] == '.';
    }
    for (i++; i < bytes; i++) {
        is_negative = is_negative || text[i] == '-';
        if (text[i] >= '0' && text[i] <= '9' && exponent < 1000)
            exponent = exponent * 10 + text[i] - '0';
    }
    digits -= is_negative ? -exponent : exponent;
    return digits < 0 ? 0 : digits > 38 ? 38 : (unsigned)digits;
}

/* Gives the type of a decimal without modifiers: what holds the value as it is, where it can be told. */
static bool bare_decimal(const expr *arg, data_type *out)
{
    char text[DOUBLE_TEXT_BYTES];
    int128 unscaled;
    if (arg->type.id == TYPE_DECIMAL) {
        *out = arg->type;
        return true;
    }
    if (type_is_integer(arg->type))
        return bind_common_type(arg->type, type_decimal(1, 0), out);
    if (arg->kind != EXPR_CONSTANT || arg->constant.is_null)
        return false;
    const char *number = arg->constant.text;
    size_t bytes = arg->constant.bytes;
    if (arg->type.id == TYPE_DOUBLE || arg->type.id == TYPE_FLOAT) {
        bytes = value_format(&arg->constant, text, sizeof text);
        number = text;
    } else if (arg->type.id != TYPE_VARCHAR)
        return false;
    unsigned scale = written_scale(number, bytes);
    if (!decimal_parse(number, bytes, scale, &unscaled))
        return false;
    value v = value_decimal(unscaled, type_decimal(38, scale));
    *out = value_decimal_type(&v);
    return true;
}

/* numeric(3,-2): hundreds. Rounded once, from as many digits as there are. */
static status cast_to_tens(binder *b, expr *arg, data_type type, int32_t scale, int32_t location,
                           expr **out)
{
    value v = value_int(TYPE_INT64, scale);
    unsigned digits = type.precision < 38 ? 37u - type.precision : 0;
    data_type wide = type_decimal(38, digits);
    expr *count;
    if (arg->type.id == TYPE_DECIMAL || type_is_integer(arg->type))
        (void)bare_decimal(arg, &wide);
    TRY(bind_constant(b, &v, -1, &count));
    TRY(bind_cast(b, arg, wide, location, &arg));
    TRY(bind_call2(b, EXPR_ROUND, wide, arg, count, location, &arg));
    return bind_cast(b, arg, type, location, out);
}

/* numeric(2,4): below a hundredth. */
static status cast_to_fraction(binder *b, expr *arg, data_type type, int32_t precision,
                               int32_t location, expr **out)
{
    value v = value_int(TYPE_INT64, precision);
    data_type wide = type_decimal(38, type.scale);
    expr *digits;
    TRY(bind_constant(b, &v, -1, &digits));
    TRY(bind_cast(b, arg, wide, location, &arg));
    TRY(bind_call2(b, EXPR_LIMIT_DIGITS, wide, arg, digits, location, &arg));
    return bind_cast(b, arg, type, location, out);
}

/* ---- times ---- */

static status constant_number(binder *b, int64_t number, expr **out)
{
    value v = value_int(TYPE_INT64, number);
    return bind_constant(b, &v, -1, out);
}

status bind_round_time(binder *b, expr *arg, int32_t decimals, int32_t location, expr **out)
{
    int32_t places = arg->type.precision == 9 ? 9 : 6;
    bool is_interval = arg->type.id == TYPE_INTERVAL;
    expr *unit;
    *out = arg;
    if (decimals >= places)
        return STATUS_OK;
    TRY(constant_number(b, power_of_ten_64[places - decimals], &unit));
    return bind_call2(b, is_interval ? EXPR_ROUND_INTERVAL : EXPR_ROUND_TIME, arg->type, arg, unit,
                      location, out);
}

/* ---- intervals ---- */

/* Parts that are left of an interval: whole groups of so many months, its days, whole units of time. */
static const struct cut {
    const char *field;
    int32_t months;
    bool has_days;
    int64_t unit;
} cuts[] = {
    {"microseconds", 1, true, 1},
    {"milliseconds", 1, true, 1000},
    {"second", 1, true, CALENDAR_SECOND},
    {"minute", 1, true, 60 * CALENDAR_SECOND},
    {"hour", 1, true, 3600 * CALENDAR_SECOND},
    {"day", 1, true, 0},
    {"month", 1, false, 0},
    {"quarter", 3, false, 0},
    {"year", 12, false, 0},
    {"decade", 120, false, 0},
    {"century", 1200, false, 0},
    {"millennium", 12000, false, 0},
};

status bind_cut_interval(binder *b, expr *interval, const char *field, int32_t location,
                         bool *out_done, expr **out)
{
    *out_done = false;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        expr *args[4] = {interval};
        if (strcasecmp(cuts[i].field, field))
            continue;
        TRY(constant_number(b, cuts[i].months, &args[1]));
        TRY(constant_number(b, cuts[i].has_days, &args[2]));
        TRY(constant_number(b, cuts[i].unit, &args[3]));
        *out_done = true;
        return bind_call(b, EXPR_CUT_INTERVAL, interval->type, args, 4, location, out);
    }
    return STATUS_OK;
}

/* The last of the fields. */
static const char *last_field(uint32_t fields)
{
    return fields & INTERVAL_MINUTE  ? "minute"
           : fields & INTERVAL_HOUR  ? "hour"
           : fields & INTERVAL_DAY   ? "day"
           : fields & INTERVAL_MONTH ? "month"
                                     : "year";
}

static status cast_to_interval(binder *b, expr *arg, const bind_modifier *modifier,
                               int32_t location, expr **out)
{
    data_type type = type_make(TYPE_INTERVAL);
    value v = value_null(type);
    v.is_null = false;
    bool is_done;
    if (bind_is_literal(arg) && arg->type.id == TYPE_VARCHAR &&
        interval_parse_fields(arg->constant.text, arg->constant.bytes, modifier->fields,
                              &v.interval)) {
        int32_t position = arg->position;
        bind_note_type(b, arg, type);
        TRY(bind_constant(b, &v, location, out));
        (*out)->position = position;
    } else
        TRY(bind_cast(b, arg, type, location, out));
    if (modifier->fields && !(modifier->fields & INTERVAL_SECOND))
        TRY(bind_cut_interval(b, *out, last_field(modifier->fields), location, &is_done, out));
    return modifier->decimals < 0 ? STATUS_OK
                                  : bind_round_time(b, *out, modifier->decimals, location, out);
}

/* ---- any type ---- */

/* varchar(n) cuts. */
static status cut_text(binder *b, expr *arg, int32_t length, int32_t location, expr **out)
{
    value v = value_int(TYPE_INT64, length);
    expr *count;
    TRY(bind_constant(b, &v, location, &count));
    return bind_call2(b, EXPR_LEFT, arg->type, arg, count, location, out);
}

status bind_cast_modified(binder *b, expr *arg, data_type type, const bind_modifier *modifier,
                          int32_t location, expr **out)
{
    if (modifier->is_bare)
        (void)bare_decimal(arg, &type);
    if (modifier->scale < 0)
        return cast_to_tens(b, arg, type, modifier->scale, location, out);
    if (modifier->scale > modifier->precision)
        return cast_to_fraction(b, arg, type, modifier->precision, location, out);
    if (type.id == TYPE_INTERVAL)
        return cast_to_interval(b, arg, modifier, location, out);
    TRY(bind_cast(b, arg, type, location, out));
    if (modifier->decimals >= 0)
        return bind_round_time(b, *out, modifier->decimals, location, out);
    if (modifier->length >= 0)
        TRY(cut_text(b, *out, modifier->length, location, out));
    return modifier->is_padded ? bind_call1(b, EXPR_RTRIM, type, *out, location, out) : STATUS_OK;
}
