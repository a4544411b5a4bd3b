/* cast.cuh - casts among numbers, booleans and times, of one value: a whole number of 128 bits or a
 * double is scaled, and looked at. */
#ifndef PISTACHIO_DEVICE_CUDA_CAST_CUH
#define PISTACHIO_DEVICE_CUDA_CAST_CUH

#include "device/value/cast_value.h"
#include "device/cuda/numbers.cuh"

#include <float.h>
#include <math.h>

/* False where the product does not even fit 10^38. */
DEVICE bool scale_number(int128 *number, cast_scaling s)
{
    if (cast_is_infinite(*number, &s))
        return cast_infinite(number, &s);
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

/* ---- to floats: base/text/decimal_real.c ---- */

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
DEVICE double cast_rounded(uint128 number, int digits, int exponent)
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
    double number = cast_rounded(quotient, digits, exponent);
    return unscaled < 0 ? -number : number;
}

/* ---- a value: `exact`, or of a float `real` ---- */

/* False: it does not fit. */
DEVICE bool cast_exact_from_real(data_type to, double real, int128 *out)
{
    if (to.id == TYPE_BOOL) {
        *out = real != 0;
        return true;
    }
    double power = cast_rounded((uint128)ten_to_128(to.scale), DBL_MANT_DIG, 0);
    double scaled = to.id == TYPE_DECIMAL ? round(real * power) : nearbyint(real);
    if (!(fabs(scaled) < 0x1p127))
        return false;
    *out = (int128)scaled;
    return true;
}

/* To anything but a float. */
DEVICE bool cast_to_exact(data_type from, data_type to, int128 exact, double real, int128 *out)
{
    int128 low, high;
    bool fits = true;
    *out = exact;
    if (tile_type_is_real(from))
        fits = cast_exact_from_real(to, real, out);
    else
        fits = scale_number(out, cast_scaling_of(from, to));
    cast_bounds(to, &low, &high);
    fits = fits && *out >= low && *out <= high;
    *out = fits ? *out : 0;
    return fits;
}

DEVICE double cast_to_double(data_type from, int128 exact, double real)
{
    return tile_type_is_real(from) ? real : decimal_to_real(exact, from.scale, DBL_MANT_DIG);
}

DEVICE bool cast_to_float(data_type from, int128 exact, double real, float *out)
{
    if (!tile_type_is_real(from)) {
        *out = (float)decimal_to_real(exact, from.scale, FLT_MANT_DIG);
        return true;
    }
    *out = (float)real;
    return !(isinf(*out) && isfinite(real));
}

#endif
