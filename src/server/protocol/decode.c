/* decode.c - see decode.h. */
#include "server/protocol/decode.h"

#include "base/text/uuid_text.h"
#include "base/type/calendar.h"
#include "base/type/pg_type.h"
#include "server/engine.h"

#define EPOCH_DAYS 10957 /* from 1970-01-01 to 2000-01-01, where PostgreSQL's dates begin */
#define EPOCH_MICROSECONDS ((int64_t)EPOCH_DAYS * 86400000000)
#define DAY_MICROSECONDS INT64_C(86400000000)

data_type decode_type(uint32_t oid)
{
    static const struct {
        uint16_t oid;
        uint8_t id;
    } types[] = {
        {PG_BOOL, TYPE_BOOL},           {PG_BYTEA, TYPE_BLOB},
        {PG_INT8, TYPE_INT64},          {PG_INT2, TYPE_INT16},
        {PG_INT4, TYPE_INT32},          {PG_OID, TYPE_INT64},
        {PG_FLOAT4, TYPE_FLOAT},        {PG_FLOAT8, TYPE_DOUBLE},
        {PG_DATE, TYPE_DATE},           {PG_TIME, TYPE_TIME},
        {PG_TIMESTAMP, TYPE_TIMESTAMP}, {PG_TIMESTAMPTZ, TYPE_TIMESTAMP_TZ},
        {PG_INTERVAL, TYPE_INTERVAL},   {PG_UUID, TYPE_UUID},
        {PG_TEXT, TYPE_VARCHAR},        {PG_VARCHAR, TYPE_VARCHAR},
        {PG_BPCHAR, TYPE_VARCHAR},      {PG_NAME, TYPE_VARCHAR},
        {PG_CHAR, TYPE_VARCHAR},        {PG_REGPROC, TYPE_INT64},
        {PG_JSON, TYPE_VARCHAR},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].oid == oid)
            return type_make(types[i].id);
    return type_make(TYPE_NULL); /* a numeric's digits are its value's */
}

static status is_wrong(const char *what)
{
    return status_new(STATUS_KIND_DATA, "the value is not %s", what);
}

status decode_end(const wire_reader *reader, uint32_t oid)
{
    const pg_type_entry *type = pg_type_find(oid);
    if (!reader->is_broken && reader->at == reader->end)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "the value has %s bytes than one of type %s",
                      reader->is_broken ? "fewer" : "more", type ? type->sql_name : "unknown");
}

/* ---- numeric ---- */

/* Makes a decimal of as many digits as the number has. */
static status make_decimal(int128 number, unsigned scale, value *out)
{
    unsigned digits = 1;
    while (digits < 39 && (number >= power_of_ten(digits) || -number >= power_of_ten(digits)))
        digits++;
    if (digits > 38 || scale > 38)
        return is_wrong("a decimal of at most 38 digits");
    *out = value_decimal(number, type_decimal(digits > scale ? digits : scale ? scale : 1, scale));
    return STATUS_OK;
}

/* Reads the exponent of ten at the end of a number, within what a decimal can have; 0: there is none. */
static int read_exponent(const char *at, const char *end)
{
    int exponent = 0;
    bool is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && *at >= '0' && *at <= '9' && exponent < 1000; at++)
        exponent = exponent * 10 + (*at - '0');
    return is_negative ? -exponent : exponent;
}

/* Returns how many decimals a number needs that is written with a point, an exponent, or both. */
static int count_decimals(const char *text, size_t bytes)
{
    const char *end = text + bytes, *point = memchr(text, '.', bytes),
               *at = point ? point + 1 : text;
    int digits = 0;
    for (; at < end && *at != 'e' && *at != 'E'; at++)
        digits += point && *at >= '0' && *at <= '9';
    digits -= at < end ? read_exponent(at + 1, end) : 0;
    return digits > 0 ? digits : 0;
}

static status decode_numeric_text(const char *text, size_t bytes, value *out)
{
    int scale = count_decimals(text, bytes);
    int128 number;
    if (scale > 38 || !decimal_parse(text, bytes, (unsigned)scale, &number))
        return is_wrong("a decimal of at most 38 digits");
    return make_decimal(number, (unsigned)scale, out);
}

/* Adds a digit to the base 10,000, of which the last `cut` decimal digits are left out. False: the number is too large. */
static bool add_digit(int128 *number, unsigned digit, int cut)
{
    int128 unit = power_of_ten((unsigned)cut);
    return !__builtin_mul_overflow(*number, power_of_ten((unsigned)(4 - cut)), number) &&
           !__builtin_add_overflow(*number, digit / unit, number);
}

/* Reads digits whose first one counts 10,000 ^ weight, as a number with so many decimals. */
static bool read_numeric(wire_reader *reader, unsigned count, int weight, unsigned scale,
                         int128 *out)
{
    int exponent = 4 * weight + (int)scale; /* of ten, by which a digit counts in *out */
    *out = 0;
    for (unsigned i = 0; i < count; i++, exponent -= 4) {
        unsigned digit = wire_read_16(reader);
        int cut = exponent < 0 ? -exponent : 0;
        if (digit > 9999 || (cut < 4 && !add_digit(out, digit, cut)))
            return false;
    }
    if (!*out)
        return true;
    exponent += 4; /* what the last digit counted */
    return exponent <= 0 ||
           (exponent <= 38 && !__builtin_mul_overflow(*out, power_of_ten((unsigned)exponent), out));
}

#define NUMERIC_POSITIVE 0x0000
#define NUMERIC_NEGATIVE 0x4000

static status decode_numeric(wire_reader *reader, value *out)
{
    unsigned count = wire_read_16(reader);
    int weight = (int16_t)wire_read_16(reader);
    unsigned sign = wire_read_16(reader), scale = wire_read_16(reader);
    int128 number;
    if (sign != NUMERIC_POSITIVE && sign != NUMERIC_NEGATIVE)
        return is_wrong("a finite number");
    if (scale > 38 || weight > 10 || weight < -11 ||
        !read_numeric(reader, count, weight, scale, &number))
        return is_wrong("a decimal of at most 38 digits");
    return make_decimal(sign == NUMERIC_NEGATIVE ? -number : number, scale, out);
}

/* ---- other binary forms ---- */

static uint64_t read_64(wire_reader *reader)
{
    uint64_t high = wire_read_32(reader);
    return high << 32 | wire_read_32(reader);
}

static double read_double(wire_reader *reader)
{
    uint64_t bits = read_64(reader);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static float decode_read_float(wire_reader *reader)
{
    uint32_t bits = wire_read_32(reader);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static status decode_read_date(wire_reader *reader, value *out)
{
    int32_t days = (int32_t)wire_read_32(reader);
    bool is_infinite = days == INT32_MAX || days == INT32_MIN;
    out->i64 = !is_infinite ? (int64_t)days + EPOCH_DAYS : days < 0 ? -INT32_MAX : INT32_MAX;
    return is_infinite || out->i64 < INT32_MAX ? STATUS_OK : is_wrong("a date in range");
}

static status decode_read_timestamp(wire_reader *reader, value *out)
{
    int64_t microseconds = (int64_t)read_64(reader);
    if (microseconds == INT64_MAX || microseconds == INT64_MIN) {
        out->i64 = microseconds < 0 ? -INT64_MAX : INT64_MAX;
        return STATUS_OK;
    }
    if (__builtin_add_overflow(microseconds, EPOCH_MICROSECONDS, &out->i64) ||
        calendar_is_infinite(out->i64))
        return is_wrong("a timestamp in range");
    return STATUS_OK;
}

static status decode_read_time(wire_reader *reader, value *out)
{
    out->i64 = (int64_t)read_64(reader);
    bool is_one = out->i64 >= 0 && out->i64 <= DAY_MICROSECONDS;
    return is_one ? STATUS_OK : is_wrong("a time of day");
}

static status read_uuid(wire_reader *reader, value *out)
{
    const char *bytes = wire_read_bytes(reader, UUID_BYTES);
    if (bytes)
        out->i128 = uuid_of_bytes((const uint8_t *)bytes);
    return STATUS_OK;
}

/* Reads a value of the type into *out, whose type is set. */
static status read_value(wire_reader *reader, uint32_t oid, value *out)
{
    switch (oid) {
    case PG_BOOL:
        out->boolean = wire_read_byte(reader);
        return STATUS_OK;
    case PG_INT2:
        out->i64 = (int16_t)wire_read_16(reader);
        return STATUS_OK;
    case PG_INT4:
        out->i64 = (int32_t)wire_read_32(reader);
        return STATUS_OK;
    case PG_OID:
    case PG_REGPROC:
        out->i64 = wire_read_32(reader);
        return STATUS_OK;
    case PG_INT8:
        out->i64 = (int64_t)read_64(reader);
        return STATUS_OK;
    case PG_FLOAT4:
        out->f64 = (double)decode_read_float(reader);
        return STATUS_OK;
    case PG_FLOAT8:
        out->f64 = read_double(reader);
        return STATUS_OK;
    case PG_DATE:
        return decode_read_date(reader, out);
    case PG_TIME:
        return decode_read_time(reader, out);
    case PG_TIMESTAMP:
    case PG_TIMESTAMPTZ:
        return decode_read_timestamp(reader, out);
    case PG_INTERVAL:
        out->interval.microseconds = (int64_t)read_64(reader);
        out->interval.days = (int32_t)wire_read_32(reader);
        out->interval.months = (int32_t)wire_read_32(reader);
        return STATUS_OK;
    default: /* PG_UUID */
        return read_uuid(reader, out);
    }
}

static status decode_binary(uint32_t oid, const char *bytes, size_t count, value *out)
{
    wire_reader reader = {.at = bytes, .end = bytes + count};
    data_type type = decode_type(oid);
    if (type_is_text(type) || oid == PG_UNKNOWN || !oid) {
        *out = value_text(bytes, count);
        out->type = type_make(type.id == TYPE_BLOB ? TYPE_BLOB : TYPE_VARCHAR);
        return STATUS_OK;
    }
    *out = (value){.type = type};
    if (oid != PG_NUMERIC && type.id == TYPE_NULL)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "binary values of type %u are not supported", (unsigned)oid),
                           "send the value as text");
    TRY(oid == PG_NUMERIC ? decode_numeric(&reader, out) : read_value(&reader, oid, out));
    return decode_end(&reader, oid);
}

/* ---- text ---- */

static status decode_text(uint32_t oid, const char *text, size_t bytes, value *out)
{
    data_type type = decode_type(oid);
    if (oid == PG_NUMERIC)
        return decode_numeric_text(text, bytes, out);
    if (type.id == TYPE_NULL || type_is_text(type)) {
        *out = value_text(text, bytes);
        return STATUS_OK;
    }
    char name[TYPE_NAME_BYTES + 8];
    if (value_parse(text, bytes, type, out))
        return STATUS_OK;
    memcpy(name, "a ", 3);
    type_name(type, name + 2);
    return is_wrong(name);
}

status decode_value(uint32_t oid, encode_format format, const char *bytes, size_t count, value *out)
{
    return format == ENCODE_BINARY ? decode_binary(oid, bytes, count, out)
                                   : decode_text(oid, bytes, count, out);
}
