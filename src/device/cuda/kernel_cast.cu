/* kernel_cast.cu - casts among numbers, booleans and times; a thread a row.
 *
 * A value is loaded as a whole number of 128 bits or a double, scaled, and stored. */
#include "device/cast_value.h"
#include "device/cuda/numbers.cuh"

#include <float.h>
#include <math.h>

DEVICE bool is_real(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
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
        *number = cast_divide(*number, s.divide, s.rounds_down);
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
    double power = rounded((uint128)ten_to_128(a.to.scale), DBL_MANT_DIG, 0);
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
        fits = scale_number(out, cast_scaling_of(a.from, a.to));
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
