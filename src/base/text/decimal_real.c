/* decimal_real.c - decimals to the nearest double and float.
 *
 * Where the digits and the power of ten are both exact as doubles, one division rounds once and is
 * right (Clinger, PLDI 1990). Else the quotient is computed in integers to more bits than either
 * type has, with a last bit that says whether something was left, so that again one rounding is
 * done: 10^scale is 5^scale, which fits 89 bits, and a shift. */
#include "base/type/type.h"

#include <float.h>
#include <math.h>

#define EXACT_DIGITS ((int128)1 << DBL_MANT_DIG)
#define EXACT_POWER 22   /* 10^22 has 53 bits without its factors of two */
#define QUOTIENT_BITS 64 /* at least, unless the quotient is exact */
#define STEP_BITS 38     /* a rest below 5^38 still has room for so many */

static uint128 power_of_five(unsigned exponent)
{
    uint128 power = 1;
    while (exponent-- > 0)
        power *= 5;
    return power;
}

/* magnitude / 10^scale as *exponent and a number whose last bit stands for all that follow. */
static uint128 long_quotient(uint128 magnitude, unsigned scale, int *exponent)
{
    uint128 divisor = power_of_five(scale);
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

static bool decimal_real_is_exact(int128 unscaled, unsigned scale)
{
    return unscaled <= EXACT_DIGITS && unscaled >= -EXACT_DIGITS && scale <= EXACT_POWER;
}

static double exact_power(unsigned scale)
{
    return (double)power_of_ten(scale);
}

double decimal_to_double(int128 unscaled, unsigned scale)
{
    if (scale == 0)
        return (double)unscaled;
    if (decimal_real_is_exact(unscaled, scale))
        return (double)unscaled / exact_power(scale);
    int exponent;
    uint128 magnitude = unscaled < 0 ? -(uint128)unscaled : (uint128)unscaled;
    uint128 quotient = long_quotient(magnitude, scale, &exponent);
    double number = ldexp((double)quotient, exponent);
    return unscaled < 0 ? -number : number;
}

/* The nearest double lies halfway between two floats, or in the range of subnormal ones, where more
 * doubles do: it may have been rounded to there. */
static bool is_between_floats(double number)
{
    uint64_t bits, half = (uint64_t)1 << (DBL_MANT_DIG - FLT_MANT_DIG - 1);
    memcpy(&bits, &number, sizeof bits);
    return (bits & (2 * half - 1)) == half || fabs(number) < (double)FLT_MIN;
}

float decimal_to_float(int128 unscaled, unsigned scale)
{
    if (scale == 0)
        return (float)unscaled;
    if (unscaled == 0)
        return 0;
    if (decimal_real_is_exact(unscaled, scale)) {
        double number = (double)unscaled / exact_power(scale);
        if (!is_between_floats(number))
            return (float)number;
    }
    int exponent;
    uint128 magnitude = unscaled < 0 ? -(uint128)unscaled : (uint128)unscaled;
    uint128 quotient = long_quotient(magnitude, scale, &exponent);
    while (quotient >> DBL_MANT_DIG) { /* rounded to odd, it can be rounded again */
        quotient = quotient >> 1 | (quotient & 1);
        exponent++;
    }
    float number = (float)ldexp((double)quotient, exponent);
    return unscaled < 0 ? -number : number;
}
