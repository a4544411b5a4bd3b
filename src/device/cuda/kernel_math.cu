/* kernel_math.cu - rounding and functions of one or two numbers; a thread a row. */
#include "device/cuda/numbers.cuh"

#include <math.h>
#include <stdlib.h>

#define DECIMAL_DIGITS_MAX 38

/* `number` to a multiple of `unit`, which is positive. */
DEVICE int128 to_unit(dev_math_op op, int128 number, int128 unit)
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

DEVICE int128 integer_result(dev_math_op op, int128 number, int128 unit, int128 one)
{
    if (op == DEV_MATH_ABS)
        return number < 0 ? -number : number;
    if (op == DEV_MATH_SIGN)
        return number > 0 ? one : number < 0 ? -one : 0;
    return to_unit(op, number, unit);
}

/* Half away from zero at a decimal digit. Shifting the point by powers of ten is exact enough only
 * while the number has digits there; beyond that it is whole already. */
DEVICE double round_at(double number, int32_t digits, bool truncates)
{
    if (digits == 0)
        return truncates ? trunc(number) : round(number);
    if (!isfinite(number) || digits > 330)
        return number;
    if (digits < -330)
        return 0;
    double power = pow(10, abs(digits));
    double shifted = digits > 0 ? number * power : number / power;
    if (!isfinite(shifted) || fabs(shifted) >= 0x1p53)
        return digits > 0 ? number : shifted * power;
    shifted = truncates ? trunc(shifted) : round(shifted);
    return digits > 0 ? shifted / power : shifted * power;
}

DEVICE double double_result(const math_arguments &a, double x, double y)
{
    switch ((dev_math_op)a.op) {
    case DEV_MATH_ROUND:
        return round_at(x, a.digits, false);
    case DEV_MATH_TRUNC:
        return round_at(x, a.digits, true);
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
DEVICE bool is_outside(dev_math_op op, double x, double y)
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

/* What the result must lie between. */
DEVICE void math_bounds(const math_arguments &a, int128 *low, int128 *high)
{
    bool is_unsigned = a.type.id == TYPE_UINT8 || a.type.id == TYPE_UINT16 ||
                       a.type.id == TYPE_UINT32 || a.type.id == TYPE_UINT64;
    if (a.type.width == 16) {
        *high = kernel_ten_to(DECIMAL_DIGITS_MAX);
        /* A whole number of 10^38 units has a digit less once its zeros behind the point go. */
        bool is_whole =
            a.op == DEV_MATH_FLOOR || a.op == DEV_MATH_CEIL || a.op == DEV_MATH_ROUND;
        if (!is_whole || !a.type.scale)
            *high -= 1;
        *low = -*high;
        return;
    }
    *high = ((int128)1 << (a.type.width * 8 - !is_unsigned)) - 1;
    *low = is_unsigned ? 0 : -*high - 1;
}

DEVICE void math_exact(const math_arguments &a, uint64_t i)
{
    dev_math_op op = (dev_math_op)a.op;
    int32_t digits = op == DEV_MATH_FLOOR || op == DEV_MATH_CEIL ? 0 : a.digits;
    int64_t dropped = (int64_t)a.type.scale - digits;
    int128 one = kernel_ten_to(a.type.scale), low, high, value = 0;
    /* Units of 10^39 and more are beyond twice what a number can be: zero is the nearest. */
    bool is_far = dropped > DECIMAL_DIGITS_MAX;
    if (is_far && op == DEV_MATH_ROUND)
        op = DEV_MATH_TRUNC;
    int128 unit = kernel_ten_to(dropped < 0 ? 0 : is_far ? DECIMAL_DIGITS_MAX : (unsigned)dropped);
    math_bounds(a, &low, &high);
    uint64_t from = i * a.left_stride;
    WITH_INTEGER(a.type, value = (int128)((const number *)a.left)[from];)
    int128 result = integer_result(op, value, unit, one);
    if ((result < low || result > high) && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    if (a.type.width == 16) {
        ((int128 *)a.out)[i] = result;
    } else {
        WITH_WIDTH(a.type.width, memcpy((bytes *)a.out + i, &result,
                                        sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
    }
}

DEVICE void math_double(const math_arguments &a, uint64_t i)
{
    double x = ((const double *)a.left)[i * a.left_stride];
    double y = a.right ? a.right[i * a.right_stride] : 0, r = double_result(a, x, y);
    bool outside = is_outside((dev_math_op)a.op, x, y);
    bool overflows = isinf(r) && isfinite(x) && isfinite(y);
    if ((overflows || outside) && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, outside ? DEV_ERROR_ARGUMENT : DEV_ERROR_OVERFLOW, a.location, i);
    ((double *)a.out)[i] = r;
}

KERNEL_ALONE(math)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    if (a.type.id == TYPE_DOUBLE)
        math_double(a, i);
    else if (a.type.id == TYPE_FLOAT)
        ((float *)a.out)[i] =
            (float)double_result(a, (double)((const float *)a.left)[i * a.left_stride], 0);
    else
        math_exact(a, i);
}
