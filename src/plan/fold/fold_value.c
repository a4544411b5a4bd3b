/* fold_value.c - casts of single values. */

#include "plan/fold/fold_value.h"

#include "base/text/blob_text.h"
#include "base/text/uuid_text.h"
#include "device/value/cast_value.h"

#include <math.h>

#define DAY_MICROSECONDS ((int64_t)86400 * 1000000)

static bool fold_value_is_timestamp(type_id id)
{
    return id == TYPE_TIMESTAMP || id == TYPE_TIMESTAMP_TZ;
}

bool type_can_cast(data_type from, data_type to)
{
    if (from.id == TYPE_NULL || from.id == to.id)
        return true;
    if (from.id == TYPE_VARCHAR || to.id == TYPE_VARCHAR)
        return to.id != TYPE_NULL;
    if (type_is_numeric(from) && type_is_numeric(to))
        return true;
    if (from.id == TYPE_BOOL || to.id == TYPE_BOOL)
        return type_is_integer(from) || type_is_integer(to);
    if (fold_value_is_timestamp(from.id))
        return fold_value_is_timestamp(to.id) || to.id == TYPE_DATE || to.id == TYPE_TIME;
    return from.id == TYPE_DATE && fold_value_is_timestamp(to.id);
}

/* ---- integers and decimals, as unscaled numbers ---- */

static int128 integer_max(type_id id)
{
    switch (id) {
    case TYPE_INT8:
        return INT8_MAX;
    case TYPE_INT16:
        return INT16_MAX;
    case TYPE_INT32:
        return INT32_MAX;
    case TYPE_INT64:
        return INT64_MAX;
    case TYPE_UINT8:
        return UINT8_MAX;
    case TYPE_UINT16:
        return UINT16_MAX;
    case TYPE_UINT32:
        return UINT32_MAX;
    default:
        return UINT64_MAX;
    }
}

static bool fold_value_fits(int128 number, data_type to)
{
    if (to.id == TYPE_DECIMAL)
        return number < power_of_ten(to.precision) && number > -power_of_ten(to.precision);
    int128 max = integer_max(to.id);
    return number <= max && number >= (type_is_signed(to) ? -max - 1 : 0);
}

static bool fold_value_is_exact_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL;
}

static value exact_value(int128 number, data_type type)
{
    if (type.id == TYPE_DECIMAL)
        return value_decimal(number, type);
    value v = value_int(type.id, (int64_t)number);
    if (!type_is_signed(type))
        v.u64 = (uint64_t)number;
    return v;
}

/* `number` of scale `from` at scale `to`, rounded half away from zero. */
static bool rescale(int128 number, unsigned from, unsigned to, int128 *out, bool *out_exact)
{
    *out_exact = true;
    if (to >= from)
        return !__builtin_mul_overflow(number, power_of_ten(to - from), out);
    int128 unit = power_of_ten(from - to), rest = number % unit;
    *out = number / unit;
    *out_exact = rest == 0;
    if (rest >= (unit + 1) / 2 || -rest >= (unit + 1) / 2)
        *out += number < 0 ? -1 : 1;
    return true;
}

data_type value_decimal_type(const value *v)
{
    int128 number = value_int128(v);
    unsigned digits = 1, scale = v->type.scale;
    while (digits < 38 && (number >= power_of_ten(digits) || number <= -power_of_ten(digits)))
        digits++;
    return type_decimal(digits < scale ? scale : digits, scale);
}

static double fold_value_as_double(const value *v)
{
    if (v->type.id == TYPE_FLOAT || v->type.id == TYPE_DOUBLE)
        return v->f64;
    return decimal_to_double(value_int128(v), v->type.scale);
}

/* ---- failures ---- */

static status no_fit(const value *v, data_type to)
{
    char text[INTERVAL_TEXT_BYTES], name[TYPE_NAME_BYTES];
    value_format(v, text, sizeof text);
    return status_new(STATUS_KIND_DATA, "%s does not fit %s", text, type_name(to, name));
}

static status no_parse(const value *v, data_type to)
{
    char name[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_DATA, "\"%.*s\" is not a value of type %s",
                      v->bytes > 80 ? 80 : (int)v->bytes, v->text, type_name(to, name));
}

/* ---- from text ---- */

static status cast_text_number(const value *v, data_type to, value *out)
{
    int128 number;
    if (to.id == TYPE_DECIMAL) {
        double any;
        if (!decimal_parse(v->text, v->bytes, to.scale, &number))
            return double_parse(v->text, v->bytes, &any) ? no_fit(v, to) : no_parse(v, to);
    } else if (!int128_parse(v->text, v->bytes, &number)) {
        return no_parse(v, to);
    }
    if (!fold_value_fits(number, to))
        return no_fit(v, to);
    *out = exact_value(number, to);
    return STATUS_OK;
}

static status cast_text_blob(arena *a, const value *v, value *out)
{
    char *data = arena_alloc(a, v->bytes + 1);
    if (!data)
        return status_no_memory("constant", v->bytes + 1);
    *out = (value){.type = type_make(TYPE_BLOB), .text = data};
    if (!blob_parse(v->text, v->bytes, data, &out->bytes))
        return status_hint(no_parse(v, out->type), BLOB_TEXT_HINT);
    return STATUS_OK;
}

static status cast_text(arena *a, const value *v, data_type to, value *out)
{
    bool is_parsed;
    int32_t days;
    float single;
    *out = (value){.type = to};
    if (fold_value_is_exact_number(to))
        return cast_text_number(v, to, out);
    switch (to.id) {
    case TYPE_BOOL:
        is_parsed = bool_parse(v->text, v->bytes, &out->boolean);
        break;
    case TYPE_FLOAT:
        is_parsed = float_parse(v->text, v->bytes, &single);
        out->f64 = is_parsed ? (double)single : 0;
        break;
    case TYPE_DOUBLE:
        is_parsed = double_parse(v->text, v->bytes, &out->f64);
        break;
    case TYPE_DATE:
        is_parsed = date_parse(v->text, v->bytes, &days);
        out->i64 = is_parsed ? days : 0;
        break;
    case TYPE_TIME:
        is_parsed = time_parse(v->text, v->bytes, &out->i64);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        is_parsed =
            timestamp_parse(v->text, v->bytes, to.precision, to.id == TYPE_TIMESTAMP_TZ, &out->i64);
        break;
    case TYPE_INTERVAL:
        is_parsed = interval_parse(v->text, v->bytes, &out->interval);
        break;
    case TYPE_UUID:
        is_parsed = uuid_parse_text(v->text, v->bytes, &out->i128);
        break;
    default:
        return cast_text_blob(a, v, out);
    }
    return is_parsed ? STATUS_OK : no_parse(v, to);
}

/* ---- to text ---- */

static status cast_to_text(arena *a, const value *v, value *out)
{
    size_t bytes = value_format(v, NULL, 0);
    char *text = arena_alloc(a, bytes + 1);
    if (!text)
        return status_no_memory("constant", bytes + 1);
    value_format(v, text, bytes + 1);
    *out = value_text(text, bytes);
    return STATUS_OK;
}

/* ---- times ---- */

static int64_t ticks_per_day(data_type timestamp)
{
    return timestamp.precision == 9 ? DAY_MICROSECONDS * 1000 : DAY_MICROSECONDS;
}

static int64_t fold_value_floor_divide(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

/* Gives an infinite date or timestamp as the other. */
static bool fold_value_infinity(const value *v, data_type to, int64_t *out)
{
    cast_scaling s = cast_scaling_of(v->type, to);
    int128 number = v->i64;
    if (!cast_is_infinite(number, &s))
        return false;
    cast_infinite(&number, &s);
    *out = (int64_t)number;
    return true;
}

static status cast_time(const value *v, data_type to, value *out, bool *out_done)
{
    *out = (value){.type = to};
    if (fold_value_infinity(v, to, &out->i64)) {
        *out_done = to.id != TYPE_TIME;
    } else if (v->type.id == TYPE_DATE) {
        if (__builtin_mul_overflow(v->i64, ticks_per_day(to), &out->i64))
            return no_fit(v, to);
    } else if (to.id == TYPE_DATE) {
        out->i64 = fold_value_floor_divide(v->i64, ticks_per_day(v->type));
    } else if (fold_value_is_timestamp(to.id) && v->type.precision == to.precision) {
        out->i64 = v->i64;
    } else if (fold_value_is_timestamp(to.id) && to.precision == 9) {
        if (__builtin_mul_overflow(v->i64, (int64_t)1000, &out->i64))
            return no_fit(v, to);
    } else {
        *out_done = false;
    }
    return STATUS_OK;
}

/* ---- numbers ---- */

static status cast_to_integer_from_double(const value *v, data_type to, value *out)
{
    double rounded = rint(v->f64);
    if (!(rounded >= -0x1p64 && rounded <= 0x1p64) || !fold_value_fits((int128)rounded, to))
        return no_fit(v, to);
    *out = exact_value((int128)rounded, to);
    return STATUS_OK;
}

static status cast_to_float(const value *v, data_type to, value *out)
{
    *out = (value){.type = to};
    out->f64 = fold_value_is_exact_number(v->type)
                   ? (double)decimal_to_float(value_int128(v), v->type.scale)
                   : (double)(float)v->f64;
    return isinf(out->f64) && isfinite(v->f64) && !fold_value_is_exact_number(v->type)
               ? no_fit(v, to)
               : STATUS_OK;
}

static status fold_value_cast_number(const value *v, data_type to, value *out, bool *out_done)
{
    if (to.id == TYPE_DOUBLE) {
        *out = (value){.type = to, .f64 = fold_value_as_double(v)};
        return STATUS_OK;
    }
    if (to.id == TYPE_FLOAT)
        return cast_to_float(v, to, out);
    if (!fold_value_is_exact_number(v->type)) {
        if (to.id != TYPE_DECIMAL)
            return cast_to_integer_from_double(v, to, out);
        *out_done = false;
        return STATUS_OK;
    }
    int128 number;
    bool is_exact;
    if (!rescale(value_int128(v), v->type.scale, to.scale, &number, &is_exact) ||
        !fold_value_fits(number, to))
        return no_fit(v, to);
    *out = exact_value(number, to);
    return STATUS_OK;
}

status value_cast(arena *a, const value *v, data_type to, value *out, bool *out_done)
{
    data_type from = v->type;
    *out_done = true;
    if (v->is_null) {
        *out = value_null(to);
        return STATUS_OK;
    }
    if (type_equal(from, to) && from.width == to.width) {
        *out = *v;
        return STATUS_OK;
    }
    if (from.id == TYPE_VARCHAR)
        return cast_text(a, v, to, out);
    if (to.id == TYPE_VARCHAR)
        return cast_to_text(a, v, out);
    if (type_is_numeric(from) && type_is_numeric(to))
        return fold_value_cast_number(v, to, out, out_done);
    if (type_is_time(from) && type_is_time(to))
        return cast_time(v, to, out, out_done);
    if (to.id == TYPE_BOOL && type_is_integer(from)) {
        *out = value_bool(value_int128(v) != 0);
        return STATUS_OK;
    }
    if (from.id == TYPE_BOOL && type_is_integer(to)) {
        *out = exact_value(v->boolean, to);
        return STATUS_OK;
    }
    *out_done = false;
    return STATUS_OK;
}

bool value_cast_exact(const value *v, data_type to, value *out)
{
    if (v->is_null) {
        *out = value_null(to);
        return true;
    }
    if (type_equal(v->type, to) && v->type.width == to.width) {
        *out = *v;
        return true;
    }
    if (fold_value_is_exact_number(v->type) && fold_value_is_exact_number(to)) {
        int128 number;
        bool is_exact;
        if (!rescale(value_int128(v), v->type.scale, to.scale, &number, &is_exact) || !is_exact ||
            !fold_value_fits(number, to))
            return false;
        *out = exact_value(number, to);
        return true;
    }
    if (type_is_integer(v->type) && to.id == TYPE_DOUBLE) {
        int128 number = value_int128(v);
        *out = value_double((double)number);
        return (int128)out->f64 == number;
    }
    *out = (value){.type = to};
    if (type_is_time(v->type) && type_is_time(to) && fold_value_infinity(v, to, &out->i64))
        return to.id != TYPE_TIME;
    if (v->type.id == TYPE_DATE && fold_value_is_timestamp(to.id)) {
        *out = (value){.type = to};
        return !__builtin_mul_overflow(v->i64, ticks_per_day(to), &out->i64);
    }
    if (v->type.id == TYPE_TIMESTAMP && to.id == TYPE_DATE) {
        *out = (value){.type = to, .i64 = fold_value_floor_divide(v->i64, ticks_per_day(v->type))};
        return v->i64 % ticks_per_day(v->type) == 0;
    }
    return false;
}
