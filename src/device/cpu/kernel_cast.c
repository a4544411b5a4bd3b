/* kernel_cast.c - casts among numbers, booleans and times.
 *
 * In two steps over blocks that stay in the first-level cache: the values are loaded as int64,
 * int128 or double, and stored as what is asked for, so that n kinds of sources and m of targets
 * need n + m loops. The commonest casts have a loop of their own. */
#include "device/cpu/kernel.h"
#include "device/value/cast_value.h"

#include <math.h>

#define BLOCK 512

typedef cast_number_arguments arguments;

typedef enum carrier { CARRY_INT64, CARRY_INT128, CARRY_DOUBLE } carrier;

typedef union block {
    int64_t i64[BLOCK];
    int128 i128[BLOCK];
    double f64[BLOCK];
} block;

static carrier carrier_of(data_type type)
{
    if (type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE)
        return CARRY_DOUBLE;
    return type.width == 16 || type.id == TYPE_UINT64 ? CARRY_INT128 : CARRY_INT64;
}

#define LOAD(member, ctype)                                                                        \
    do {                                                                                           \
        const ctype *values = (const ctype *)a->values + from;                                     \
        for (size_t i = 0; i < rows; i++)                                                          \
            b->member[i] = values[i];                                                              \
    } while (0)

static void cast_load(const arguments *a, size_t from, size_t rows, block *b)
{
    switch (a->from.id) {
    case TYPE_BOOL:
        for (size_t i = 0; i < rows; i++)
            b->i64[i] = kernel_bit(a->values, from + i);
        break;
    case TYPE_INT8:
        LOAD(i64, int8_t);
        break;
    case TYPE_INT16:
        LOAD(i64, int16_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        LOAD(i64, int32_t);
        break;
    case TYPE_UINT8:
        LOAD(i64, uint8_t);
        break;
    case TYPE_UINT16:
        LOAD(i64, uint16_t);
        break;
    case TYPE_UINT32:
        LOAD(i64, uint32_t);
        break;
    case TYPE_UINT64:
        LOAD(i128, uint64_t);
        break;
    case TYPE_FLOAT:
        LOAD(f64, float);
        break;
    case TYPE_DOUBLE:
        LOAD(f64, double);
        break;
    default:
        if (a->from.width == 16)
            LOAD(i128, int128);
        else
            LOAD(i64, int64_t);
    }
}

/* False where the product does not even fit 128 bits. */
static inline bool scale_one(int128 *number, const cast_scaling *s)
{
    if (cast_is_infinite(*number, s))
        return cast_infinite(number, s);
    if (s->modulo) {
        int128 rest = *number % s->modulo;
        *number = rest < 0 ? rest + s->modulo : rest;
    }
    if (s->multiply != 1 && __builtin_mul_overflow(*number, s->multiply, number))
        return false;
    if (s->divide != 1)
        *number = cast_divide(*number, s->divide, s->rounds_down);
    return true;
}

static void cast_store(const arguments *a, size_t row, int128 number)
{
    switch (a->to.width) {
    case 0: {
        uint64_t *bits = a->out, bit = (uint64_t)1 << (row % 64);
        bits[row / 64] = number ? bits[row / 64] | bit : bits[row / 64] & ~bit;
        break;
    }
    case 1:
        ((uint8_t *)a->out)[row] = (uint8_t)number;
        break;
    case 2:
        ((uint16_t *)a->out)[row] = (uint16_t)number;
        break;
    case 4:
        ((uint32_t *)a->out)[row] = (uint32_t)number;
        break;
    case 8:
        ((uint64_t *)a->out)[row] = (uint64_t)number;
        break;
    default:
        ((int128 *)a->out)[row] = number;
    }
}

/* The nearest integer, ties to even, of number * 10^scale; false: far out of range, or NaN. */
static bool whole_number(double number, data_type to, double power, int128 *out)
{
    double scaled = to.id == TYPE_DECIMAL ? round(number * power) : nearbyint(number);
    if (!(fabs(scaled) < 0x1p127))
        return false;
    *out = (int128)scaled;
    return true;
}

/* To an integer, decimal, boolean or time, one by one. False: row *failed does not fit. */
static bool store_exact(const arguments *a, size_t from, size_t rows, const block *b,
                        size_t *failed)
{
    int128 low, high;
    carrier source = carrier_of(a->from);
    cast_scaling s = cast_scaling_of(a->from, a->to);
    double power = (double)ten_to_128(a->to.scale);
    cast_bounds(a->to, &low, &high);
    for (size_t i = 0; i < rows; i++) {
        int128 number = 0;
        bool fits;
        if (source == CARRY_DOUBLE && a->to.id == TYPE_BOOL) {
            number = b->f64[i] != 0;
            fits = true;
        } else if (source == CARRY_DOUBLE) {
            fits = whole_number(b->f64[i], a->to, power, &number);
        } else {
            number = source == CARRY_INT128 ? b->i128[i] : b->i64[i];
            fits = scale_one(&number, &s);
        }
        if (__builtin_expect(!fits || number < low || number > high, 0)) {
            if (kernel_is_valid(a->validity, from + i)) {
                *failed = from + i;
                return false;
            }
            number = 0;
        }
        cast_store(a, from + i, number);
    }
    return true;
}

/* Infinity from a finite double is an overflow of float. */
static bool store_float(const arguments *a, size_t from, size_t rows, const block *b,
                        size_t *failed)
{
    carrier source = carrier_of(a->from);
    float *out = (float *)a->out + from;
    for (size_t i = 0; i < rows; i++) {
        if (source != CARRY_DOUBLE) {
            out[i] =
                decimal_to_float(source == CARRY_INT128 ? b->i128[i] : b->i64[i], a->from.scale);
            continue;
        }
        out[i] = (float)b->f64[i];
        if (isinf(out[i]) && isfinite(b->f64[i]) && kernel_is_valid(a->validity, from + i)) {
            *failed = from + i;
            return false;
        }
    }
    return true;
}

static void store_double(const arguments *a, size_t from, size_t rows, const block *b)
{
    carrier source = carrier_of(a->from);
    double *out = (double *)a->out + from;
    for (size_t i = 0; i < rows; i++)
        out[i] =
            source == CARRY_DOUBLE
                ? b->f64[i]
                : decimal_to_double(source == CARRY_INT128 ? b->i128[i] : b->i64[i], a->from.scale);
}

static bool store_real(const arguments *a, size_t from, size_t rows, const block *b, size_t *failed)
{
    if (a->to.id == TYPE_FLOAT)
        return store_float(a, from, rows, b, failed);
    store_double(a, from, rows, b);
    return true;
}

/* Narrow decimals: of up to 2^53 the division is exact enough (decimal_real.c), blocks with others
 * are done over. */
static void decimals_to_doubles(const arguments *a, size_t count)
{
    const int64_t limit = (int64_t)1 << 53, *values = a->values;
    double power = (double)ten_to_128(a->from.scale), *out = a->out;
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t to = count - from < BLOCK ? count : from + BLOCK;
        uint64_t any = 0;
        for (size_t i = from; i < to; i++) {
            any |= (uint64_t)((uint64_t)values[i] + (uint64_t)limit > 2 * (uint64_t)limit);
            out[i] = (double)values[i] / power;
        }
        if (__builtin_expect(any != 0, 0))
            for (size_t i = from; i < to; i++)
                out[i] = decimal_to_double(values[i], a->from.scale);
    }
}

/* Loops of their own: widening and scaling that cannot fail, and numbers to double. */
#define CONVERT(from_type, to_type, expression)                                                    \
    do {                                                                                           \
        const from_type *values = a->values;                                                       \
        to_type *out = a->out;                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = (expression);                                                                 \
        return true;                                                                               \
    } while (0)

static bool cast_common(const arguments *a, size_t count)
{
    bool exact = a->to.id != TYPE_FLOAT && a->to.id != TYPE_DOUBLE && a->from.id != TYPE_UINT64;
    cast_scaling s = cast_scaling_of(a->from, a->to);
    bool only_multiplies = s.divide == 1 && !s.modulo && s.multiply <= INT64_MAX;
    bool from_32 = a->from.id == TYPE_INT32 || a->from.id == TYPE_DATE;
    bool from_64 = carrier_of(a->from) == CARRY_INT64 && a->from.width == 8;
    if (a->to.id == TYPE_DOUBLE && !a->from.scale) {
        if (a->from.id == TYPE_INT32)
            CONVERT(int32_t, double, values[i]);
        if (from_64)
            CONVERT(int64_t, double, (double)values[i]);
    }
    if (a->to.id == TYPE_DOUBLE && from_64) {
        decimals_to_doubles(a, count);
        return true;
    }
    if (a->is_checked || !exact || !only_multiplies)
        return false;
    int64_t factor = (int64_t)s.multiply;
    if (from_32 && a->to.width == 8)
        CONVERT(int32_t, int64_t, (int64_t)((uint64_t)(int64_t)values[i] * (uint64_t)factor));
    if (from_32 && a->to.width == 16)
        CONVERT(int32_t, int128, (int128)values[i] * factor);
    if (from_64 && a->to.width == 8)
        CONVERT(int64_t, int64_t, (int64_t)((uint64_t)values[i] * (uint64_t)factor));
    if (from_64 && a->to.width == 16)
        CONVERT(int64_t, int128, (int128)values[i] * factor);
    if (from_64 && a->to.width == 4)
        CONVERT(int64_t, int32_t, (int32_t)((uint64_t)values[i] * (uint64_t)factor));
    if (a->from.width == 16 && a->to.width == 8)
        CONVERT(int128, int64_t, (int64_t)((uint64_t)values[i] * (uint64_t)factor));
    if (a->from.width == 16 && a->to.width == 16)
        CONVERT(int128, int128, (int128)((uint128)values[i] * (uint128)factor));
    return false;
}

void ISA_(cast_number)(const arguments *a)
{
    size_t count = kernel_count(a->count);
    if (cast_common(a, count))
        return;
    bool is_real = a->to.id == TYPE_FLOAT || a->to.id == TYPE_DOUBLE;
    if (!a->to.width)
        memset(a->out, 0, bitmap_bytes(count));
    for (size_t from = 0; from < count; from += BLOCK) {
        block b;
        size_t rows = count - from < BLOCK ? count - from : BLOCK, failed = 0;
        cast_load(a, from, rows, &b);
        bool fits = is_real ? store_real(a, from, rows, &b, &failed)
                            : store_exact(a, from, rows, &b, &failed);
        if (!fits) {
            kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, failed);
            return;
        }
    }
}
