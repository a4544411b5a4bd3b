/* value.c - a value on the host: making, comparing, printing. */
#include "base/type/type.h"

#include "base/text/blob_text.h"
#include "base/text/number_text.h"
#include "base/text/uuid_text.h"

#include <assert.h>
#include <math.h>

value value_null(data_type type)
{
    return (value){.type = type, .is_null = true};
}

value value_bool(bool boolean)
{
    return (value){.type = type_make(TYPE_BOOL), .boolean = boolean};
}

value value_int(type_id id, int64_t number)
{
    return (value){.type = type_make(id), .i64 = number};
}

value value_double(double number)
{
    return (value){.type = type_make(TYPE_DOUBLE), .f64 = number};
}

value value_text(const char *text, size_t bytes)
{
    return (value){.type = type_make(TYPE_VARCHAR), .text = text, .bytes = bytes};
}

value value_decimal(int128 unscaled, data_type type)
{
    value v = {.type = type};
    if (type.width == 16)
        v.i128 = unscaled;
    else
        v.i64 = (int64_t)unscaled;
    return v;
}

static bool value_is_unsigned(data_type type)
{
    return type.id >= TYPE_UINT8 && type.id <= TYPE_UINT64;
}

int128 value_int128(const value *v)
{
    assert(!v->is_null);
    if (v->type.id == TYPE_BOOL)
        return v->boolean;
    if (v->type.width == 16)
        return v->i128;
    return value_is_unsigned(v->type) ? (int128)v->u64 : (int128)v->i64;
}

static int compare_double(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* A month counts 30 days and a day 24 hours, as in PostgreSQL. */
static int128 value_interval_weight(interval_value i)
{
    return ((int128)i.months * 30 + i.days) * 86400000000 + i.microseconds;
}

int value_compare(const value *a, const value *b)
{
    assert(!a->is_null && !b->is_null && a->type.id == b->type.id);
    switch (a->type.id) {
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return compare_double(a->f64, b->f64);
    case TYPE_INTERVAL: {
        int128 left = value_interval_weight(a->interval),
               right = value_interval_weight(b->interval);
        return (left > right) - (left < right);
    }
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        size_t shared = a->bytes < b->bytes ? a->bytes : b->bytes;
        int order = shared ? memcmp(a->text, b->text, shared) : 0;
        return order ? (order > 0) - (order < 0) : (a->bytes > b->bytes) - (a->bytes < b->bytes);
    }
    default: {
        int128 left = value_int128(a), right = value_int128(b);
        return (left > right) - (left < right);
    }
    }
}

/* Copies what fits with a closing NUL; returns what was needed. */
static size_t value_put_text(const char *from, size_t bytes, char *text, size_t room)
{
    if (room > 0) {
        size_t copied = bytes < room ? bytes : room - 1;
        if (copied)
            memcpy(text, from, copied);
        text[copied] = '\0';
    }
    return bytes;
}

static size_t put_blob(const value *v, char *text, size_t room)
{
    size_t pairs = room > 3 ? (room - 3) / 2 : 0;
    pairs = pairs < v->bytes ? pairs : v->bytes;
    if (room < 3) {
        value_put_text("\\x", 2, text, room);
    } else {
        blob_format(v->text, pairs, text);
        text[2 + 2 * pairs] = '\0';
    }
    return 2 + 2 * v->bytes;
}

size_t value_format(const value *v, char *text, size_t room)
{
    char small[INTERVAL_TEXT_BYTES];
    if (v->is_null)
        return value_put_text("", 0, text, room);
    size_t length;
    switch (v->type.id) {
    case TYPE_VARCHAR:
        return value_put_text(v->text, v->bytes, text, room);
    case TYPE_BLOB:
        return put_blob(v, text, room);
    case TYPE_NULL:
        return value_put_text("", 0, text, room);
    case TYPE_BOOL:
        return value_put_text(v->boolean ? "true" : "false", v->boolean ? 4 : 5, text, room);
    case TYPE_FLOAT:
        length = float_format((float)v->f64, small);
        break;
    case TYPE_DOUBLE:
        length = double_format(v->f64, small);
        break;
    case TYPE_DATE:
        length = date_format((int32_t)v->i64, small);
        break;
    case TYPE_TIME:
        length = time_format(v->i64, small);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        length =
            timestamp_format(v->i64, v->type.precision, v->type.id == TYPE_TIMESTAMP_TZ, small);
        break;
    case TYPE_INTERVAL:
        length = interval_format(v->interval, small);
        break;
    case TYPE_UUID:
        length = uuid_format_text(v->i128, small);
        break;
    default:
        length = int128_format(value_int128(v), v->type.scale, small);
        break;
    }
    return value_put_text(small, length, text, room);
}

bool bool_parse(const char *text, size_t bytes, bool *out)
{
    return boolean_parse(text, bytes, out);
}
