/* iceberg_value.c - bytes and Avro values to values; transforms turned around. */
#include "lake/iceberg/iceberg_value.h"

#include "base/type/calendar.h"

static int128 little_number(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return count == 4 ? (int32_t)number : (int64_t)number;
}

static int128 big_number(const uint8_t *bytes, size_t count)
{
    uint128 number = count && bytes[0] & 0x80 ? ~(uint128)0 : 0;
    for (size_t i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return (int128)number;
}

static bool is_of_words(data_type type)
{
    return type_is_integer(type) || type_is_time(type) || type.id == TYPE_TIME;
}

static bool real_of_bytes(const uint8_t *bytes, size_t count, data_type type, value *out)
{
    float single;
    double real;
    if (count == 4) {
        memcpy(&single, bytes, sizeof single);
        real = (double)single;
    } else if (count == 8) {
        memcpy(&real, bytes, sizeof real);
    } else {
        return false;
    }
    *out = value_double(real);
    out->type = type;
    return real == real;
}

static bool text_of_bytes(arena *a, const uint8_t *bytes, size_t count, data_type type, value *out)
{
    *out = value_text(arena_copy_text(a, (const char *)bytes, count), count);
    out->type = type;
    return out->text != NULL;
}

bool iceberg_value_of_bytes(arena *a, const uint8_t *bytes, size_t count, data_type type,
                            value *out)
{
    if (type_is_text(type))
        return text_of_bytes(a, bytes, count, type, out);
    if (type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE)
        return real_of_bytes(bytes, count, type, out);
    if (type.id == TYPE_BOOL && count == 1) {
        *out = value_bool(bytes[0] != 0);
        return true;
    }
    if (type.id == TYPE_DECIMAL && count >= 1 && count <= 16) {
        *out = value_decimal(big_number(bytes, count), type);
        return true;
    }
    if (type.id == TYPE_UUID && count == 16) {
        *out = (value){.type = type,
                       .i128 = (int128)((uint128)big_number(bytes, 16) ^ (uint128)1 << 127)};
        return true;
    }
    if (!is_of_words(type) || (count != 4 && count != 8))
        return false;
    *out = (value){.type = type, .i64 = (int64_t)little_number(bytes, count)};
    return true;
}

bool iceberg_value_of_avro(arena *a, const avro_value *v, data_type type, value *out)
{
    switch (v->kind) {
    case AVRO_BOOL:
        *out = value_bool(v->number != 0);
        return type.id == TYPE_BOOL;
    case AVRO_INT:
        *out = (value){.type = type, .i64 = v->number};
        return is_of_words(type);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        *out = value_double(v->real);
        out->type = type;
        return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
    case AVRO_BYTES:
        return (type_is_text(type) || type.id == TYPE_DECIMAL || type.id == TYPE_UUID) &&
               iceberg_value_of_bytes(a, v->bytes, v->byte_count, type, out);
    default:
        return false;
    }
}

/* ---- transforms ---- */

static void raise_minimum(pq_statistics *s, const value *v)
{
    if (!s->has_min || value_compare(&s->min, v) < 0)
        s->min = *v;
    s->has_min = true;
}

static void lower_maximum(pq_statistics *s, const value *v)
{
    if (!s->has_max || value_compare(&s->max, v) > 0)
        s->max = *v;
    s->has_max = true;
}

/* Values are whole numbers in [first, last]. */
static bool narrow_to_range(pq_statistics *s, data_type type, int128 first, int128 last)
{
    if (first < INT64_MIN || last > INT64_MAX)
        return false;
    value low = {.type = type, .i64 = (int64_t)first}, high = {.type = type, .i64 = (int64_t)last};
    raise_minimum(s, &low);
    lower_maximum(s, &high);
    return true;
}

static bool first_day_of(iceberg_transform transform, int64_t number, int64_t *out)
{
    if (number < -10000000 || number > 10000000)
        return false;
    int64_t months = transform == ICEBERG_YEAR ? number * 12 : number;
    int64_t year = 1970 + (months >= 0 ? months / 12 : -((11 - months) / 12));
    int64_t month = months - (year - 1970) * 12 + 1;
    *out = calendar_from_civil((int32_t)year, (unsigned)month, 1);
    return true;
}

/* Years, months, days and hours since 1970, of a date or a timestamp. Some writers round times before 1970 up. */
static bool narrow_to_time(iceberg_transform transform, int64_t number, data_type type,
                           pq_statistics *s)
{
    int64_t first = number - (number <= 0), next = number + 1;
    int128 unit = type.id == TYPE_DATE ? 1 : type.precision == 9 ? 86400000000000 : 86400000000;
    if (number >= INT32_MAX || number <= INT32_MIN || !type_is_time(type))
        return false;
    if (transform == ICEBERG_HOUR)
        unit /= 24;
    else if (transform != ICEBERG_DAY &&
             (!first_day_of(transform, first, &first) || !first_day_of(transform, next, &next)))
        return false;
    if (!unit)
        return false;
    return narrow_to_range(s, type, first * unit, next * unit - 1);
}

/* Text begins with the partition's; numbers are at most so much more. */
static bool narrow_to_truncated(arena *a, const iceberg_field *field, const avro_value *v,
                                data_type type, pq_statistics *s)
{
    value low;
    if (!iceberg_value_of_avro(a, v, type, &low))
        return false;
    raise_minimum(s, &low);
    if (type_is_text(type) || field->parameter < 1)
        return true;
    if (type.id == TYPE_DECIMAL) {
        value high = value_decimal(value_int128(&low) + field->parameter - 1, type);
        lower_maximum(s, &high);
        return true;
    }
    return narrow_to_range(s, type, low.i64, (int128)low.i64 + field->parameter - 1);
}

bool iceberg_narrow(arena *a, const iceberg_field *field, const avro_value *v, data_type type,
                    pq_statistics *s)
{
    value exact;
    if (!v)
        return false;
    switch (field->transform) {
    case ICEBERG_IDENTITY:
        if (!iceberg_value_of_avro(a, v, type, &exact))
            return false;
        raise_minimum(s, &exact);
        lower_maximum(s, &exact);
        s->null_count = 0;
        return true;
    case ICEBERG_TRUNCATE:
        return narrow_to_truncated(a, field, v, type, s);
    case ICEBERG_YEAR:
    case ICEBERG_MONTH:
    case ICEBERG_DAY:
    case ICEBERG_HOUR:
        return v->kind == AVRO_INT && narrow_to_time(field->transform, v->number, type, s);
    default:
        return false;
    }
}

bool iceberg_number_of_bytes(const avro_value *bytes, int64_t *out)
{
    if (bytes->byte_count != 4 && bytes->byte_count != 8)
        return false;
    *out = (int64_t)little_number(bytes->bytes, bytes->byte_count);
    return true;
}

/* A bound of partitions as a value of Avro's; false: its bytes are not one. */
static bool partition_of_bytes(const iceberg_field *field, const avro_value *bytes, data_type type,
                               avro_value *out)
{
    bool is_number = field->transform != ICEBERG_IDENTITY && field->transform != ICEBERG_TRUNCATE;
    *out = *bytes;
    out->kind = AVRO_BYTES;
    if (is_number || is_of_words(type)) {
        *out = (avro_value){.kind = AVRO_INT};
        return iceberg_number_of_bytes(bytes, &out->number);
    }
    return type_is_text(type) || type.id == TYPE_DECIMAL;
}

void iceberg_narrow_between(arena *a, const iceberg_field *field, const avro_value *low,
                            const avro_value *high, data_type type, pq_statistics *s)
{
    pq_statistics first = {.null_count = -1}, last = {.null_count = -1};
    avro_value from, to;
    if (!partition_of_bytes(field, low, type, &from) ||
        !partition_of_bytes(field, high, type, &to) ||
        !iceberg_narrow(a, field, &from, type, &first) ||
        !iceberg_narrow(a, field, &to, type, &last))
        return;
    if (first.has_min)
        raise_minimum(s, &first.min);
    /* Bounds of texts may be cut. */
    if (last.has_max && !type_is_text(type))
        lower_maximum(s, &last.max);
}
