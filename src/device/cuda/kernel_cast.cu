/* kernel_cast.cu - casts among numbers, booleans and times; a thread a row.
 *
 * A value is loaded as a whole number of 128 bits or a double, scaled, and stored: what scales and
 * what fits is as device/cpu/kernel_cast.c says. */
#include "base/calendar.h"
#include "device/cuda/numbers.cuh"

#include <float.h>
#include <math.h>

DEVICE bool is_real(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

DEVICE bool is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

DEVICE bool is_time(data_type type)
{
    return type.id == TYPE_DATE || type.id == TYPE_TIME || is_timestamp(type);
}

DEVICE bool is_number(data_type type)
{
    return type.id >= TYPE_INT8 && type.id <= TYPE_DECIMAL;
}

/* number * multiply / divide, rounded half away from zero (times: down). */
typedef struct cast_scaling {
    int128 multiply, divide, modulo;
    bool rounds_down;
} cast_scaling;

DEVICE int128 units_a_day(data_type type)
{
    if (type.id == TYPE_DATE)
        return 1;
    return type.precision == 9 ? (int128)CALENDAR_DAY * 1000 : CALENDAR_DAY;
}

DEVICE cast_scaling scaling_of(data_type from, data_type to)
{
    cast_scaling s = {1, 1, 0, false};
    if (is_number(from) && is_number(to)) {
        if (to.scale >= from.scale)
            s.multiply = kernel_ten_to((unsigned)(to.scale - from.scale));
        else
            s.divide = kernel_ten_to((unsigned)(from.scale - to.scale));
    } else if (is_timestamp(from) && to.id == TYPE_TIME) {
        s.modulo = units_a_day(from);
        s.divide = from.precision == 9 ? 1000 : 1;
        s.rounds_down = true;
    } else if (is_time(from) && is_time(to)) {
        int128 source = units_a_day(from), target = units_a_day(to);
        if (target >= source)
            s.multiply = target / source;
        else
            s.divide = source / target;
        s.rounds_down = true;
    }
    return s;
}

DEVICE void cast_bounds(data_type type, int128 *low, int128 *high)
{
    if (type.id == TYPE_BOOL || type.id == TYPE_DECIMAL) {
        *high = kernel_ten_to(type.id == TYPE_BOOL ? 38 : type.precision) - (type.id != TYPE_BOOL);
        *low = -*high;
        if (type.id == TYPE_DECIMAL && type.width == 8 && *high > INT64_MAX) {
            *low = INT64_MIN;
            *high = INT64_MAX;
        }
    } else if (type.id == TYPE_TIME) {
        *low = 0;
        *high = CALENDAR_DAY;
    } else {
        bool is_unsigned = type.id == TYPE_UINT8 || type.id == TYPE_UINT16 ||
                           type.id == TYPE_UINT32 || type.id == TYPE_UINT64;
        *high = ((int128)1 << (type.width * 8 - !is_unsigned)) - 1;
        *low = is_unsigned ? 0 : -*high - 1;
    }
}

DEVICE int128 divide_rounded(int128 number, int128 divisor, bool rounds_down)
{
    int128 quotient = number / divisor, rest = number % divisor;
    if (rounds_down)
        return rest < 0 ? quotient - 1 : quotient;
    if (rest > 0)
        return rest >= divisor - rest ? quotient + 1 : quotient;
    return -rest >= divisor + rest ? quotient - 1 : quotient;
}

/* False where the product does not even fit 10^38. */
DEVICE bool scale_number(int128 *number, cast_scaling s)
{
    if (s.modulo) {
        int128 rest = *number % s.modulo;
        *number = rest < 0 ? rest + s.modulo : rest;
    }
    if (s.multiply != 1 && kernel_multiply_overflows(*number, s.multiply, number))
        return false;
    if (s.divide != 1)
        *number = divide_rounded(*number, s.divide, s.rounds_down);
    return true;
}

/* ---- to floats: base/decimal_real.c ---- */

#define EXACT_DIGITS ((int128)1 << DBL_MANT_DIG)
#define EXACT_POWER 22
#define QUOTIENT_BITS 64
#define STEP_BITS 38

DEVICE uint128 long_quotient(uint128 magnitude, unsigned scale, int *exponent)
{
    uint128 divisor = 1;
    for (unsigned i = 0; i < scale; i++)
        divisor *= 5;
    uint128 quotient = magnitude / divisor, rest = magnitude % divisor;
    *exponent = -(int)scale;
    while (rest && !(quotient >> QUOTIENT_BITS)) {
        rest <<= STEP_BITS;
        quotient = quotient << STEP_BITS | rest / divisor;
        rest %= divisor;
        *exponent -= STEP_BITS;
    }
    return rest ? quotient | 1 : quotient;
}

/* To `digits` binary digits, ties to even; the number's last bit stands for all that follow. The
 * conversions of 128 bits that compilers bring need not round. */
DEVICE double rounded(uint128 number, int digits, int exponent)
{
    int bits = 0;
    for (uint128 rest = number; rest; rest >>= 1)
        bits++;
    /* Below the least normal float fewer digits are left. */
    if (digits == FLT_MANT_DIG && bits + exponent < FLT_MIN_EXP)
        digits -= FLT_MIN_EXP - (bits + exponent);
    int drop = bits - digits;
    if (drop > 0 && drop < 128) {
        uint128 half = (uint128)1 << (drop - 1), rest = number & (2 * half - 1);
        number >>= drop;
        number += rest > half || (rest == half && (number & 1));
        exponent += drop;
    } else if (drop >= 128) {
        return 0;
    }
    return ldexp((double)(uint64_t)number, exponent);
}

DEVICE double exact_power(unsigned scale)
{
    double power = 1;
    while (scale-- > 0)
        power *= 10;
    return power;
}

DEVICE double decimal_to_real(int128 unscaled, unsigned scale, int digits)
{
    uint128 magnitude = kernel_magnitude(unscaled);
    int exponent = 0;
    if (digits == DBL_MANT_DIG && magnitude <= (uint128)EXACT_DIGITS && scale <= EXACT_POWER)
        return (double)(int64_t)unscaled / exact_power(scale);
    uint128 quotient = scale ? long_quotient(magnitude, scale, &exponent) : magnitude;
    double number = rounded(quotient, digits, exponent);
    return unscaled < 0 ? -number : number;
}

/* ---- a row ---- */

DEVICE int128 load_exact(data_type type, const void *values, uint64_t i)
{
    if (type.id == TYPE_BOOL)
        return kernel_bit((const uint64_t *)values, i);
    WITH_INTEGER(type, return (int128)((const number *)values)[i];)
}

DEVICE double load_real(data_type type, const void *values, uint64_t i)
{
    return type.id == TYPE_FLOAT ? (double)((const float *)values)[i]
                                 : ((const double *)values)[i];
}

/* False: it does not fit. */
DEVICE bool exact_from_real(const cast_number_arguments &a, uint64_t i, int128 *out)
{
    double x = load_real(a.from, a.values, i);
    if (a.to.id == TYPE_BOOL) {
        *out = x != 0;
        return true;
    }
    double power = rounded((uint128)kernel_ten_to(a.to.scale), DBL_MANT_DIG, 0);
    double scaled = a.to.id == TYPE_DECIMAL ? round(x * power) : nearbyint(x);
    if (!(fabs(scaled) < 0x1p127))
        return false;
    *out = (int128)scaled;
    return true;
}

DEVICE bool cast_exact(const cast_number_arguments &a, uint64_t i, int128 *out)
{
    int128 low, high;
    bool fits;
    if (is_real(a.from)) {
        fits = exact_from_real(a, i, out);
    } else {
        *out = load_exact(a.from, a.values, i);
        fits = scale_number(out, scaling_of(a.from, a.to));
    }
    cast_bounds(a.to, &low, &high);
    fits = fits && *out >= low && *out <= high;
    *out = fits ? *out : 0;
    return fits;
}

DEVICE bool cast_real(const cast_number_arguments &a, uint64_t i)
{
    if (a.to.id == TYPE_DOUBLE) {
        ((double *)a.out)[i] =
            is_real(a.from) ? load_real(a.from, a.values, i)
                            : decimal_to_real(load_exact(a.from, a.values, i), a.from.scale,
                                              DBL_MANT_DIG);
        return true;
    }
    float *out = (float *)a.out + i;
    if (!is_real(a.from)) {
        *out = (float)decimal_to_real(load_exact(a.from, a.values, i), a.from.scale, FLT_MANT_DIG);
        return true;
    }
    double x = load_real(a.from, a.values, i);
    *out = (float)x;
    return !(isinf(*out) && isfinite(x));
}

KERNEL_TOGETHER(cast_number)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    int128 result = 0;
    bool fits = true;
    if (i < count)
        fits = is_real(a.to) ? cast_real(a, i) : cast_exact(a, i, &result);
    if (!fits && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    if (a.to.width == 0) {
        kernel_write_bit((uint64_t *)a.out, i, count, result != 0);
    } else if (i < count && a.to.width == 16) {
        ((int128 *)a.out)[i] = result;
    } else if (i < count && !is_real(a.to)) {
        WITH_WIDTH(a.to.width, memcpy((bytes *)a.out + i, &result,
                                      sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
    }
}
