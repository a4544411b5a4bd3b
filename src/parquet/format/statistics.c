/* statistics.c - bounds as files store them to values, and which of them can be trusted.
 *
 * Files have an old pair of bounds, ordered as signed bytes or numbers whatever the type, and a new
 * pair in the order that column_orders declares. The old one is used where the type's order is that
 * of signed numbers. Bounds that no value can have (NaN, a number too large for its type) are dropped.
 *
 * Statistics that contradict each other are dropped together: nobody knows which of them is wrong. */
#include "parquet/format/statistics.h"

#include "base/text/utf8.h"
#include "base/text/uuid_text.h"

#include <math.h>

static int128 big_endian(const uint8_t *bytes, uint32_t length)
{
    uint128 number = length && bytes[0] & 0x80 ? ~(uint128)0 : 0;
    for (uint32_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return (int128)number;
}

static double statistics_half_value(const uint8_t *bytes)
{
    unsigned half = bytes[0] | (unsigned)bytes[1] << 8;
    unsigned exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                      : ldexp(fraction, -24);
    return half >> 15 ? -magnitude : magnitude;
}

/* A column of 8 bits is stored in 32: a bound beyond the type's range bounds none of its values. */
static bool fits_type(const value *v)
{
    if (v->type.id == TYPE_DECIMAL) {
        int128 end = power_of_ten(v->type.precision), number = value_int128(v);
        return number < end && number > -end;
    }
    if (!type_is_integer(v->type) || v->type.width == 8)
        return true;
    unsigned rest = 64 - v->type.width * 8u;
    return type_is_signed(v->type) ? v->i64 == (int64_t)((uint64_t)v->i64 << rest) >> rest
                                   : !((uint64_t)v->i64 >> v->type.width * 8u);
}

static bool statistics_set_double(value *out, double number)
{
    out->f64 = number;
    return !isnan(number);
}

static bool set_number(const pq_leaf *leaf, int64_t number, value *out)
{
    switch (leaf->conversion) {
    case PQ_CONVERT_MILLIS:
        if (__builtin_mul_overflow(number, 1000, &number))
            return false;
        break;
    case PQ_CONVERT_NANOS:
        number /= 1000;
        break;
    default:
        break;
    }
    if (leaf->type.id == TYPE_DECIMAL)
        *out = value_decimal(number, leaf->type);
    else if (leaf->type.id == TYPE_UINT8 || leaf->type.id == TYPE_UINT16 ||
             leaf->type.id == TYPE_UINT32)
        out->i64 = (uint32_t)number;
    else
        out->i64 = number;
    return fits_type(out);
}

static bool set_bytes(arena *a, const pq_leaf *leaf, const uint8_t *bytes, uint32_t length,
                      value *out)
{
    if (leaf->conversion == PQ_CONVERT_HALF)
        return length == 2 && statistics_set_double(out, statistics_half_value(bytes));
    if (leaf->conversion >= PQ_CONVERT_INTERVAL) /* intervals have no order in files */
        return false;
    if (leaf->conversion == PQ_CONVERT_UUID) {
        if (length != UUID_BYTES)
            return false;
        out->i128 = uuid_of_bytes(bytes);
        return true;
    }
    if (leaf->conversion == PQ_CONVERT_BIG) {
        bool is_fixed = leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
        if (length < 1 || length > 16 || (is_fixed && length != leaf->type_length))
            return false;
        int128 number = big_endian(bytes, length);
        *out = value_decimal(number, leaf->type);
        return value_int128(out) == number && fits_type(out);
    }
    char *copy = arena_copy_text(a, (const char *)bytes, length);
    out->text = copy;
    out->bytes = length;
    return copy != NULL;
}

bool pq_bound_value(arena *a, const pq_leaf *leaf, const uint8_t *bytes, uint32_t length,
                    value *out)
{
    *out = (value){.type = leaf->type};
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    switch (leaf->physical) {
    case PQ_BOOLEAN:
        out->boolean = length == 1 && bytes[0];
        return length == 1;
    case PQ_INT32:
        if (length != sizeof i32)
            return false;
        memcpy(&i32, bytes, sizeof i32);
        return set_number(leaf, i32, out);
    case PQ_INT64:
        if (length != sizeof i64)
            return false;
        memcpy(&i64, bytes, sizeof i64);
        return set_number(leaf, i64, out);
    case PQ_FLOAT:
        if (length != sizeof f32)
            return false;
        memcpy(&f32, bytes, sizeof f32);
        return statistics_set_double(out, (double)f32);
    case PQ_DOUBLE:
        if (length != sizeof f64)
            return false;
        memcpy(&f64, bytes, sizeof f64);
        return statistics_set_double(out, f64);
    case PQ_BYTE_ARRAY:
        return set_bytes(a, leaf, bytes, length, out);
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return length <= leaf->type_length && set_bytes(a, leaf, bytes, length, out);
    default: /* INT96 has no order */
        return false;
    }
}

static bool statistics_is_unsigned(data_type type)
{
    return type.id >= TYPE_UINT8 && type.id <= TYPE_UINT64;
}

bool pq_needs_column_order(const pq_leaf *leaf)
{
    return statistics_is_unsigned(leaf->type) || leaf->physical == PQ_BYTE_ARRAY ||
           leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
}

typedef struct stored_bound {
    const uint8_t *bytes; /* NULL: none */
    uint32_t length;
    int is_exact; /* -1: the file does not say */
} stored_bound;

static void read_bound(thrift_reader *r, const thrift_field *field, stored_bound *bound)
{
    bound->bytes = thrift_binary(r, field, &bound->length);
}

/* Only text is ever cut, by writers that may not say so. What is not UTF-8 is not read as it is stored. */
static bool statistics_is_exact(const pq_leaf *leaf, const stored_bound *bound)
{
    if (leaf->type.id == TYPE_VARCHAR &&
        utf8_valid_bytes((const char *)bound->bytes, bound->length) < bound->length)
        return false;
    return bound->is_exact < 0 ? leaf->physical != PQ_BYTE_ARRAY : bound->is_exact;
}

static void set_bounds(arena *a, const pq_leaf *leaf, const stored_bound *min,
                       const stored_bound *max, pq_statistics *out)
{
    out->has_min = min->bytes && pq_bound_value(a, leaf, min->bytes, min->length, &out->min);
    out->has_max = max->bytes && pq_bound_value(a, leaf, max->bytes, max->length, &out->max);
    /* A bound that is not a value, as NaN, makes the other one worthless as well. */
    if ((min->bytes && !out->has_min) || (max->bytes && !out->has_max))
        out->has_min = out->has_max = false;
    out->is_min_exact = out->has_min && statistics_is_exact(leaf, min);
    out->is_max_exact = out->has_max && statistics_is_exact(leaf, max);
}

static void statistics_forget(pq_statistics *s)
{
    *s = (pq_statistics){.null_count = -1, .distinct_count = -1};
}

/* Returns whether two pairs of bounds say the same. */
static bool statistics_are_equal(const pq_statistics *one, const pq_statistics *other)
{
    return one->has_min == other->has_min && one->has_max == other->has_max &&
           (!one->has_min || !value_compare(&one->min, &other->min)) &&
           (!one->has_max || !value_compare(&one->max, &other->max));
}

/* Returns whether two bounds have the same bytes. */
static bool bounds_are_same(const stored_bound *one, const stored_bound *other)
{
    return one->bytes && other->bytes && one->length == other->length &&
           !memcmp(one->bytes, other->bytes, one->length);
}

void pq_statistics_read(arena *a, thrift_reader *r, const thrift_field *field, const pq_leaf *leaf,
                        pq_statistics *out)
{
    stored_bound min = {.is_exact = -1}, max = min, old_min = min, old_max = min;
    statistics_forget(out);
    thrift_field f = {0};
    if (!thrift_enter(r, field))
        return;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            read_bound(r, &f, &old_max);
            break;
        case 2:
            read_bound(r, &f, &old_min);
            break;
        case 3:
            out->null_count = thrift_int(r, &f);
            break;
        case 4:
            out->distinct_count = thrift_int(r, &f);
            break;
        case 5:
            read_bound(r, &f, &max);
            break;
        case 6:
            read_bound(r, &f, &min);
            break;
        case 7:
            max.is_exact = thrift_bool(r, &f);
            break;
        case 8:
            min.is_exact = thrift_bool(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
    if (r->is_broken)
        return;
    bool has_new = min.bytes || max.bytes, has_old = old_min.bytes || old_max.bytes;
    if (has_new || pq_needs_column_order(leaf))
        set_bounds(a, leaf, &min, &max, out);
    else
        set_bounds(a, leaf, &old_min, &old_max, out);
    bool may_differ = !bounds_are_same(&min, &old_min) || !bounds_are_same(&max, &old_max);
    if (has_new && has_old && may_differ && !pq_needs_column_order(leaf)) {
        pq_statistics old;
        set_bounds(a, leaf, &old_min, &old_max, &old);
        if (!statistics_are_equal(out, &old))
            statistics_forget(out);
    }
}

/* ---- contradictions ---- */

void pq_statistics_forget_bounds(pq_statistics *s)
{
    s->has_min = s->has_max = s->is_min_exact = s->is_max_exact = false;
}

bool pq_statistics_agree(const pq_leaf *leaf, const pq_statistics *s, uint64_t value_count)
{
    uint64_t nulls = s->null_count < 0 ? 0 : (uint64_t)s->null_count;
    bool has_bound = s->has_min || s->has_max;
    if (nulls > value_count || (nulls && !leaf->max_definition))
        return false;
    /* A list that is empty counts as a value and, for some writers, not as a NULL. */
    if (has_bound && s->null_count >= 0 && nulls == value_count && !leaf->max_repetition)
        return false;
    return !s->has_min || !s->has_max || value_compare(&s->min, &s->max) <= 0;
}

/* Returns whether both bounds are values of the column, and not one value. */
static bool has_several(const pq_statistics *s)
{
    return s->has_min && s->has_max && s->is_min_exact && s->is_max_exact &&
           value_compare(&s->min, &s->max) < 0;
}

void pq_statistics_settle(const pq_leaf *leaf, uint64_t value_count, pq_statistics *s)
{
    if (s->null_count < 0)
        s->null_count = -1;
    if (!pq_statistics_agree(leaf, s, value_count)) {
        statistics_forget(s);
        return;
    }
    uint64_t values = value_count - (s->null_count < 0 ? 0 : (uint64_t)s->null_count);
    if (s->distinct_count < 0 || (uint64_t)s->distinct_count > values ||
        (values && s->null_count >= 0 && !s->distinct_count) ||
        (s->distinct_count == 1 && has_several(s)))
        s->distinct_count = -1;
}
