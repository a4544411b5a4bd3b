/* kernel_parquet_plain.c - PLAIN values of every physical type, and dense values spread to rows. */
#include "device/cpu/kernel.h"

/* The numbers of pq_physical and pq_conversion. */
enum { BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED };
enum { CONVERT_NONE, CONVERT_BIG, CONVERT_INT96, CONVERT_MILLIS, CONVERT_NANOS, CONVERT_HALF };

#define CONVERT(source_type, target_type, expression)                                              \
    do {                                                                                           \
        target_type *out = a->out;                                                                 \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            source_type x;                                                                         \
            memcpy(&x, values + i * sizeof x, sizeof x);                                           \
            out[i] = (target_type)(expression);                                                    \
        }                                                                                          \
    } while (0)

static void convert_int32(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    switch (a->type.width) {
    case 1:
        CONVERT(int32_t, int8_t, x);
        break;
    case 2:
        CONVERT(int32_t, int16_t, x);
        break;
    case 4:
        memcpy(a->out, values, count * 4);
        break;
    case 8:
        if (a->conversion == CONVERT_MILLIS)
            CONVERT(int32_t, int64_t, (int64_t)x * 1000);
        else
            CONVERT(int32_t, int64_t, x);
        break;
    default:
        CONVERT(int32_t, int128, x);
    }
}

/* Like the other conversions below: false when a value does not fit the type. */
static bool convert_int64(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    int64_t most = INT64_MAX;
    if (a->conversion == CONVERT_MILLIS) {
        uint64_t outside = 0;
        most /= 1000;
        CONVERT(int64_t, int64_t, (outside |= x > most || x < -most, (uint64_t)x * 1000));
        return !outside;
    }
    if (a->conversion == CONVERT_NANOS)
        CONVERT(int64_t, int64_t, x / 1000);
    else if (a->type.width == 16)
        CONVERT(int64_t, int128, x);
    else
        memcpy(a->out, values, count * 8);
    return true;
}

/* Julian day 2440588 is 1970-01-01; nanoseconds of the day come first. */
static bool convert_int96(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    int64_t *out = a->out;
    bool is_outside = false;
    for (uint64_t i = 0; i < count; i++) {
        int64_t nanoseconds, microseconds;
        int32_t day;
        memcpy(&nanoseconds, values + i * 12, 8);
        memcpy(&day, values + i * 12 + 8, 4);
        is_outside |= __builtin_mul_overflow((int64_t)day - 2440588, 86400000000, &microseconds);
        is_outside |= __builtin_add_overflow(microseconds, nanoseconds / 1000, &out[i]);
    }
    return !is_outside;
}

/* The bytes in front of the last 16 may only repeat the sign. */
static bool big_endian(const uint8_t *bytes, uint32_t length, int128 *out)
{
    uint8_t sign = length && bytes[0] & 0x80 ? 0xff : 0;
    uint128 number = sign ? ~(uint128)0 : 0;
    bool is_outside = false;
    for (uint32_t i = 0; i < length; i++) {
        is_outside |= i + 16 < length && bytes[i] != sign;
        number = number << 8 | bytes[i];
    }
    *out = (int128)number;
    return !is_outside && (number >> 127 != 0) == (sign != 0);
}

static bool store_decimal(void *out, uint64_t i, uint8_t width, const uint8_t *bytes,
                          uint32_t length)
{
    int128 number;
    bool fits = big_endian(bytes, length, &number);
    if (width == 16) {
        ((int128 *)out)[i] = number;
        return fits;
    }
    ((int64_t *)out)[i] = (int64_t)number;
    return fits && number == (int64_t)number;
}

static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31, bits;
    uint32_t fraction = half & 1023;
    float result;
    if (exponent == 31) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        result = (float)fraction / 16777216.0f;
        return sign ? -result : result;
    }
    memcpy(&result, &bits, sizeof result);
    return result;
}

static bool convert_fixed(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    uint32_t length = a->type_length;
    bool fits = true;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *bytes = values + i * length;
        if (a->conversion == CONVERT_HALF) {
            uint16_t half;
            memcpy(&half, bytes, 2);
            ((float *)a->out)[i] = half_to_float(half);
        } else if (a->conversion == CONVERT_BIG) {
            fits &= store_decimal(a->out, i, a->type.width, bytes, length);
        } else {
            string_view view = string_view_make((const char *)bytes, length);
            if (length > STRING_INLINE_BYTES)
                view.data -= KERNEL_STRING_OFFSET;
            ((string_view *)a->out)[i] = view;
        }
    }
    return fits;
}

/* Each value is behind its length, 4 bytes. Returns how many values there are, up to count. */
static uint64_t convert_byte_array(const parquet_plain_arguments *a, const uint8_t *at,
                                   const uint8_t *end, uint64_t count)
{
    string_view *views = a->out;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t length;
        if (end - at < 4)
            return i;
        memcpy(&length, at, 4);
        at += 4;
        if (length > (uint64_t)(end - at))
            return i;
        if (a->conversion == CONVERT_BIG) {
            if (!store_decimal(a->out, i, a->type.width, at, length))
                return i;
        } else {
            string_view view = string_view_make((const char *)at, length);
            if (length > STRING_INLINE_BYTES)
                view.data -= KERNEL_STRING_OFFSET;
            views[i] = view;
        }
        at += length;
    }
    return count;
}

static const uint8_t stored_bytes[] = {
    [INT32] = 4, [INT64] = 8, [INT96] = 12, [FLOAT] = 4, [DOUBLE] = 8};

void ISA_(parquet_plain)(const parquet_plain_arguments *a)
{
    uint64_t count = a->words[0], start = a->words[1];
    uint64_t left = start <= a->page_bytes ? a->page_bytes - start : 0, needed = 0;
    const uint8_t *values = a->page + start;
    if (a->physical == BOOLEAN)
        needed = (count + 7) / 8;
    else if (a->physical == FIXED)
        needed = count * a->type_length;
    else if (a->physical != BYTE_ARRAY)
        needed = count * stored_bytes[a->physical];
    bool is_right = needed <= left;
    if (is_right) {
        switch (a->physical) {
        case BOOLEAN:
            memcpy(a->out, values, needed);
            break;
        case INT32:
            convert_int32(a, values, count);
            break;
        case INT64:
            is_right = convert_int64(a, values, count);
            break;
        case INT96:
            is_right = convert_int96(a, values, count);
            break;
        case FIXED:
            is_right = convert_fixed(a, values, count);
            break;
        case BYTE_ARRAY:
            is_right = convert_byte_array(a, values, values + left, count) == count;
            break;
        default:
            memcpy(a->out, values, needed);
        }
    }
    if (!is_right) {
        memset(a->out, 0, a->type.width ? count * a->type.width : (count + 7) / 8);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, start);
    }
}

#define SPREAD(type)                                                                               \
    do {                                                                                           \
        const type *dense = a->dense;                                                              \
        type *out = (type *)a->out + a->row_at;                                                    \
        size_t next = 0;                                                                           \
        for (uint32_t i = 0; i < a->row_count; i++)                                                \
            out[i] = kernel_bit(a->validity, a->row_at + i) ? dense[next++] : (type)fill;          \
    } while (0)

void ISA_(parquet_spread)(const parquet_spread_arguments *a)
{
    uint64_t fill = a->fill_low;
    switch (a->width) {
    case 0: {
        const uint64_t *dense = a->dense;
        uint64_t *out = a->out;
        size_t next = 0;
        for (uint64_t row = a->row_at; row < a->row_at + a->row_count; row++) {
            bool bit = kernel_bit(a->validity, row) && kernel_bit(dense, next++);
            uint64_t mask = (uint64_t)1 << (row % 64);
            out[row / 64] = bit ? out[row / 64] | mask : out[row / 64] & ~mask;
        }
        break;
    }
    case 1:
        SPREAD(uint8_t);
        break;
    case 2:
        SPREAD(uint16_t);
        break;
    case 4:
        SPREAD(uint32_t);
        break;
    case 8:
        SPREAD(uint64_t);
        break;
    default:
        SPREAD(uint128);
    }
}
