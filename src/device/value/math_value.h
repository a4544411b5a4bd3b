/* math_value.h - rounding and functions of one or two numbers: what the kernels of every device do with a
 * row. */
#ifndef PISTACHIO_DEVICE_VALUE_MATH_VALUE_H
#define PISTACHIO_DEVICE_VALUE_MATH_VALUE_H

#include "base/type/portable.h"
#include "device/kernels/kernel_ops.h"
#include "device/value/power_of_ten.h"

#include <math.h>
#include <stdlib.h>

/* `number` to a multiple of `unit`, which is positive. */
PORTABLE int128 math_to_unit(dev_math_op op, int128 number, int128 unit)
{
    int128 rest = number % unit, below = number - rest;
    switch (op) {
    case DEV_MATH_ROUND: /* units go up to 10^38: 128 bits do not hold two of them */
        if (rest > 0)
            return rest >= unit - rest ? below + unit : below;
        return -rest >= unit + rest ? below - unit : below;
    case DEV_MATH_FLOOR:
        return rest < 0 ? below - unit : below;
    case DEV_MATH_CEIL:
        return rest > 0 ? below + unit : below;
    default:
        return below;
    }
}

/* unit: what is rounded to; one: the number 1. */
PORTABLE int128 math_of_integer(dev_math_op op, int128 number, int128 unit, int128 one)
{
    if (op == DEV_MATH_ABS)
        return number < 0 ? -number : number;
    if (op == DEV_MATH_SIGN)
        return number > 0 ? one : number < 0 ? -one : 0;
    return math_to_unit(op, number, unit);
}

/* Half away from zero at a decimal digit. Shifting the point by powers of ten is exact enough only
 * while the number has digits there; beyond that it is whole already. */
PORTABLE double math_round_at(double number, int32_t digits, bool truncates)
{
    if (digits == 0)
        return truncates ? trunc(number) : round(number);
    if (!isfinite(number) || digits > POWER_OF_TEN_MAX)
        return number;
    if (digits < -POWER_OF_TEN_MAX)
        return 0;
    double power = powers_of_ten[abs(digits)];
    double shifted = digits > 0 ? number * power : number / power;
    if (!isfinite(shifted) || fabs(shifted) >= 0x1p53)
        return digits > 0 ? number : shifted * power;
    shifted = truncates ? trunc(shifted) : round(shifted);
    return digits > 0 ? shifted / power : shifted * power;
}

/* digits: of rounding; y: of functions of two numbers. */
PORTABLE double math_of_double(dev_math_op op, int32_t digits, double x, double y)
{
    switch (op) {
    case DEV_MATH_ROUND:
        return math_round_at(x, digits, false);
    case DEV_MATH_TRUNC:
        return math_round_at(x, digits, true);
    case DEV_MATH_FLOOR:
        return floor(x);
    case DEV_MATH_CEIL:
        return ceil(x);
    case DEV_MATH_ABS:
        return fabs(x);
    case DEV_MATH_SIGN:
        return x > 0 ? 1 : x < 0 ? -1 : 0; /* of NaN and -0 as well */
    case DEV_MATH_SQRT:
        return sqrt(x);
    case DEV_MATH_LN:
        return log(x);
    case DEV_MATH_LOG10:
        return log10(x);
    case DEV_MATH_EXP:
        return exp(x);
    case DEV_MATH_LOG2:
        return log2(x);
    case DEV_MATH_CBRT:
        return cbrt(x);
    case DEV_MATH_DEGREES:
        return x * DEGREES_PER_RADIAN;
    case DEV_MATH_RADIANS:
        return x / DEGREES_PER_RADIAN;
    case DEV_MATH_SIN:
        return sin(x);
    case DEV_MATH_COS:
        return cos(x);
    case DEV_MATH_TAN:
        return tan(x);
    case DEV_MATH_COT:
        return 1 / tan(x);
    case DEV_MATH_ASIN:
        return asin(x);
    case DEV_MATH_ACOS:
        return acos(x);
    case DEV_MATH_ATAN:
        return atan(x);
    case DEV_MATH_SINH:
        return sinh(x);
    case DEV_MATH_COSH:
        return cosh(x);
    case DEV_MATH_TANH:
        return tanh(x);
    case DEV_MATH_ASINH:
        return asinh(x);
    case DEV_MATH_ACOSH:
        return acosh(x);
    case DEV_MATH_ATANH:
        return atanh(x);
    case DEV_MATH_ATAN2:
        return atan2(x, y);
    default:
        return pow(x, y);
    }
}

/* Is x outside what the function is defined for? */
PORTABLE bool math_is_outside(dev_math_op op, double x, double y)
{
    switch (op) {
    case DEV_MATH_SQRT:
        return x < 0;
    case DEV_MATH_LN:
    case DEV_MATH_LOG10:
    case DEV_MATH_LOG2:
        return x <= 0;
    case DEV_MATH_ASIN:
    case DEV_MATH_ACOS:
    case DEV_MATH_ATANH:
        return x < -1 || x > 1;
    case DEV_MATH_ACOSH:
        return x < 1;
    case DEV_MATH_SIN:
    case DEV_MATH_COS:
    case DEV_MATH_TAN:
    case DEV_MATH_COT:
        return isinf(x);
    case DEV_MATH_POWER:
        return (x == 0 && y < 0) || (x < 0 && y != floor(y));
    default:
        return false;
    }
}

#endif
