/* encode.c - see encode.h. */
#include "server/protocol/encode.h"

#include "base/text/uuid_text.h"
#include "base/type/alias_type.h"
#include "base/type/calendar.h"
#include "server/engine.h"
#include "server/protocol/encode_nested.h"

#include <stdio.h>

/* From 1970-01-01 to 2000-01-01, where PostgreSQL's dates begin. */
#define EPOCH_DAYS 10957
#define EPOCH_MICROSECONDS ((int64_t)EPOCH_DAYS * 86400000000)
/* Room for the text of a value that is not a text. */
#define VALUE_TEXT_BYTES 128

bool encode_is_null(const exec_batch_column *column, uint64_t row)
{
    return column->type.id == TYPE_NULL ||
           (column->validity && !(column->validity[row / 64] >> (row % 64) & 1));
}

static bool is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

/* Makes microseconds of nanoseconds, rounded down. */
static void cut_to_microseconds(value *v)
{
    if (!is_timestamp(v->type) || v->type.precision != 9)
        return;
    if (!calendar_is_infinite(v->i64))
        v->i64 = v->i64 / 1000 - (v->i64 % 1000 < 0);
    v->type.precision = 6;
}

/* ---- text ---- */

/* Writes \x and two digits a byte, as PostgreSQL does. */
static void write_blob_text(wire_writer *out, const string_view *view)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *data = (const unsigned char *)string_data(view);
    size_t bytes = 2 + 2 * (size_t)view->bytes;
    wire_32(out, (uint32_t)bytes);
    char *at = wire_room(out, bytes);
    if (!at)
        return;
    *at++ = '\\';
    *at++ = 'x';
    for (uint32_t i = 0; i < view->bytes; i++) {
        *at++ = digits[data[i] >> 4];
        *at++ = digits[data[i] & 15];
    }
    wire_fill(out, bytes);
}

static void write_value_text(wire_writer *out, const value *v, const zone *zone)
{
    size_t at = out->bytes.count;
    wire_32(out, 0);
    char *room = wire_room(out, VALUE_TEXT_BYTES);
    if (!room)
        return;
    size_t bytes = zone_format_value(zone, v, room, VALUE_TEXT_BYTES);
    wire_fill(out, bytes);
    wire_set_32(out, at, (uint32_t)bytes);
}

/* ---- binary ---- */

static void write_double(wire_writer *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    wire_32(out, sizeof bits);
    wire_64(out, bits);
}

static void write_float(wire_writer *out, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    wire_32(out, sizeof bits);
    wire_32(out, bits);
}

#define NUMERIC_NEGATIVE 0x4000
/* Digits to the base 10,000 of 39 decimal ones, which both sides of the point round up. */
#define NUMERIC_DIGITS_MAX 12

/* Digits to the base 10,000 of a numeric; the first counts 10,000 ^ weight. */
typedef struct numeric {
    uint16_t digits[NUMERIC_DIGITS_MAX];
    int count, weight;
} numeric;

/* Reads the number of up to four digits from `begin` to `end`, of which those that are missing behind the point are 0. */
static uint16_t encode_read_digits(const char *begin, const char *end, int wanted)
{
    unsigned digit = 0;
    for (int i = 0; i < wanted; i++)
        digit = digit * 10 + (begin + i < end ? (unsigned)(begin[i] - '0') : 0);
    return (uint16_t)digit;
}

/* Groups decimal digits by four from the point on, to both sides. */
static numeric group_digits(const char *whole, const char *point, const char *end)
{
    numeric n = {.count = 0};
    int whole_digits = (int)(point - whole), first = whole_digits % 4;
    n.weight = (whole_digits + 3) / 4 - 1;
    if (first)
        n.digits[n.count++] = encode_read_digits(whole, point, first);
    for (const char *at = whole + first; at < point; at += 4)
        n.digits[n.count++] = encode_read_digits(at, point, 4);
    for (const char *at = point + 1; at < end; at += 4)
        n.digits[n.count++] = encode_read_digits(at, end, 4);
    return n;
}

/* Takes zeros off both ends, as PostgreSQL keeps none. */
static void trim_digits(numeric *n)
{
    int leading = 0;
    while (leading < n->count && !n->digits[leading])
        leading++;
    n->count -= leading;
    n->weight -= leading;
    memmove(n->digits, n->digits + leading, (size_t)n->count * sizeof *n->digits);
    while (n->count && !n->digits[n->count - 1])
        n->count--;
    if (!n->count)
        n->weight = 0;
}

static void write_numeric(wire_writer *out, int128 number, unsigned scale)
{
    char text[INT128_TEXT_BYTES];
    size_t bytes = int128_format(number, scale, text);
    const char *whole = text + (*text == '-'), *end = text + bytes;
    const char *point = memchr(whole, '.', (size_t)(end - whole));
    numeric n = group_digits(whole, point ? point : end, end);
    trim_digits(&n);
    wire_32(out, (uint32_t)(8 + 2 * n.count));
    wire_16(out, (uint16_t)n.count);
    wire_16(out, (uint16_t)n.weight);
    wire_16(out, *text == '-' ? NUMERIC_NEGATIVE : 0);
    wire_16(out, (uint16_t)scale);
    for (int i = 0; i < n.count; i++)
        wire_16(out, n.digits[i]);
}

static void write_interval(wire_writer *out, interval_value interval)
{
    wire_32(out, 16);
    wire_64(out, (uint64_t)interval.microseconds);
    wire_32(out, (uint32_t)interval.days);
    wire_32(out, (uint32_t)interval.months);
}

static void write_uuid(wire_writer *out, int128 uuid)
{
    uint8_t bytes[UUID_BYTES];
    uuid_to_bytes(uuid, bytes);
    wire_32(out, sizeof bytes);
    wire_bytes(out, bytes, sizeof bytes);
}

static void write_16(wire_writer *out, int64_t number)
{
    wire_32(out, 2);
    wire_16(out, (uint16_t)number);
}

static void write_32(wire_writer *out, int64_t number)
{
    wire_32(out, 4);
    wire_32(out, (uint32_t)number);
}

static void write_64(wire_writer *out, int64_t number)
{
    wire_32(out, 8);
    wire_64(out, (uint64_t)number);
}

static void write_value_binary(wire_writer *out, const value *v)
{
    switch (v->type.id) {
    case TYPE_BOOL:
        wire_32(out, 1);
        wire_byte(out, v->boolean);
        break;
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_UINT8:
        write_16(out, v->i64);
        break;
    case TYPE_INT32:
    case TYPE_UINT16:
        write_32(out, v->i64);
        break;
    case TYPE_UINT64:
        write_numeric(out, (int128)v->u64, 0);
        break;
    case TYPE_FLOAT:
        write_float(out, (float)v->f64);
        break;
    case TYPE_DOUBLE:
        write_double(out, v->f64);
        break;
    case TYPE_DECIMAL:
        write_numeric(out, v->type.width == 16 ? v->i128 : v->i64, v->type.scale);
        break;
    case TYPE_DATE:
        write_32(out, v->i64 == -INT32_MAX  ? INT32_MIN
                      : v->i64 == INT32_MAX ? INT32_MAX
                                            : v->i64 - EPOCH_DAYS);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        write_64(out, v->i64 == -INT64_MAX ? INT64_MIN
                      : v->i64 == INT64_MAX
                          ? INT64_MAX
                          : (int64_t)((uint64_t)v->i64 - (uint64_t)EPOCH_MICROSECONDS));
        break;
    case TYPE_INTERVAL:
        write_interval(out, v->interval);
        break;
    case TYPE_UUID:
        write_uuid(out, v->i128);
        break;
    default: /* bigint, uinteger, time */
        write_64(out, v->i64);
    }
}

/* Writes an oid or regproc. */
static void write_identifier(wire_writer *out, const value *v, encode_format format)
{
    char text[PG_FUNCTION_BYTES];
    if (format == ENCODE_BINARY) {
        write_32(out, v->i64);
        return;
    }
    size_t bytes = type_alias_of(v->type) == ALIAS_REGPROC
                       ? pg_function_name(v->i64, text)
                       : (size_t)snprintf(text, sizeof text, "%lld", (long long)v->i64);
    wire_32(out, (uint32_t)bytes);
    wire_bytes(out, text, bytes);
}

/* ---- both ---- */

void encode_value(wire_writer *out, const exec_batch_column *column, uint64_t row,
                  encode_format format, const zone *zone)
{
    const string_view *view = &((const string_view *)column->values)[row];
    if (encode_is_null(column, row)) {
        wire_32(out, UINT32_MAX);
        return;
    }
    if (type_is_nested(column->type)) {
        encode_nested(out, column, row, format, zone);
        return;
    }
    if (column->type.id == TYPE_VARCHAR ||
        (column->type.id == TYPE_BLOB && format == ENCODE_BINARY)) {
        wire_32(out, view->bytes);
        wire_bytes(out, string_data(view), view->bytes);
        return;
    }
    if (column->type.id == TYPE_BLOB) {
        write_blob_text(out, view);
        return;
    }
    value v = api_value_at(column, row);
    if (type_alias_of(column->type)) {
        write_identifier(out, &v, format);
        return;
    }
    cut_to_microseconds(&v);
    if (format == ENCODE_BINARY) {
        write_value_binary(out, &v);
    } else if (v.type.id == TYPE_BOOL) {
        wire_32(out, 1);
        wire_byte(out, v.boolean ? 't' : 'f');
    } else {
        write_value_text(out, &v, zone);
    }
}
