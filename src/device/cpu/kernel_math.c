/* kernel_math.c - rounding and functions of one or two numbers. */
#include "device/cpu/kernel.h"
#include "device/kernel_ops.h"

#include <math.h>
#include <stdlib.h>

#define DECIMAL_DIGITS_MAX 38

static int128 ten_to(unsigned exponent)
{
    int128 power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* `number` to a multiple of `unit`, which is positive. */
static inline int128 to_unit(dev_math_op op, int128 number, int128 unit)
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

static inline int128 integer_result(dev_math_op op, int128 number, int128 unit, int128 one)
{
    if (op == DEV_MATH_ABS)
        return number < 0 ? -number : number;
    if (op == DEV_MATH_SIGN)
        return number > 0 ? one : number < 0 ? -one : 0;
    return to_unit(op, number, unit);
}

/* Integers and decimals: what to round to is a power of ten of units of the last digit. */
#define EXACT(ctype, minimum, maximum)                                                             \
    do {                                                                                           \
        const ctype *values = a->left;                                                             \
        ctype *out = a->out;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            int128 r = integer_result(op, values[i * a->left_stride], unit, one);                  \
            if (__builtin_expect(r < (minimum) || r > (maximum), 0) &&                             \
                kernel_is_valid(a->validity, i)) {                                                 \
                kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, i);                         \
                return;                                                                            \
            }                                                                                      \
            out[i] = (ctype)r;                                                                     \
        }                                                                                          \
    } while (0)

static void math_exact(const math_arguments *a, size_t count)
{
    dev_math_op op = (dev_math_op)a->op;
    int32_t digits = op == DEV_MATH_FLOOR || op == DEV_MATH_CEIL ? 0 : a->digits;
    int64_t dropped = (int64_t)a->type.scale - digits;
    int128 one = ten_to(a->type.scale), limit = ten_to(DECIMAL_DIGITS_MAX);
    /* A whole number of 10^38 units has a digit less once its zeros behind the point go, which is
     * what comes next. */
    bool is_whole = op == DEV_MATH_FLOOR || op == DEV_MATH_CEIL || op == DEV_MATH_ROUND;
    if (!is_whole || !a->type.scale)
        limit--;
    /* Units of 10^39 and more are beyond twice what a number can be: zero is the nearest. */
    bool is_far = dropped > DECIMAL_DIGITS_MAX;
    if (is_far && op == DEV_MATH_ROUND)
        op = DEV_MATH_TRUNC;
    int128 unit = ten_to(dropped < 0 ? 0 : is_far ? DECIMAL_DIGITS_MAX : (unsigned)dropped);
    switch (a->type.id) {
    case TYPE_INT8:
        EXACT(int8_t, INT8_MIN, INT8_MAX);
        break;
    case TYPE_INT16:
        EXACT(int16_t, INT16_MIN, INT16_MAX);
        break;
    case TYPE_INT32:
        EXACT(int32_t, INT32_MIN, INT32_MAX);
        break;
    case TYPE_UINT8:
        EXACT(uint8_t, 0, UINT8_MAX);
        break;
    case TYPE_UINT16:
        EXACT(uint16_t, 0, UINT16_MAX);
        break;
    case TYPE_UINT32:
        EXACT(uint32_t, 0, UINT32_MAX);
        break;
    case TYPE_UINT64:
        EXACT(uint64_t, 0, UINT64_MAX);
        break;
    default:
        if (a->type.width == 16)
            EXACT(int128, -limit, limit);
        else
            EXACT(int64_t, INT64_MIN, INT64_MAX);
    }
}

/* Half away from zero at a decimal digit. Shifting the point by powers of ten is exact enough only
 * while the number has digits there; beyond that it is whole already. */
static double round_at(double number, int32_t digits, bool truncates)
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

static double double_result(const math_arguments *a, double x, double y)
{
    switch ((dev_math_op)a->op) {
    case DEV_MATH_ROUND:
        return round_at(x, a->digits, false);
    case DEV_MATH_TRUNC:
        return round_at(x, a->digits, true);
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
static bool is_outside(dev_math_op op, double x, double y)
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

static void math_double(const math_arguments *a, size_t count)
{
    const double *values = a->left;
    double *out = a->out;
    for (size_t i = 0; i < count; i++) {
        double x = values[i * a->left_stride], y = a->right ? a->right[i * a->right_stride] : 0;
        double r = double_result(a, x, y);
        bool overflows = isinf(r) && isfinite(x) && isfinite(y);
        if (__builtin_expect(overflows || is_outside((dev_math_op)a->op, x, y), 0) &&
            kernel_is_valid(a->validity, i)) {
            bool outside = is_outside((dev_math_op)a->op, x, y);
            kernel_fail(a->error, outside ? DEV_ERROR_ARGUMENT : DEV_ERROR_OVERFLOW, a->location,
                        i);
            return;
        }
        out[i] = r;
    }
}

static void math_float(const math_arguments *a, size_t count)
{
    const float *values = a->left;
    float *out = a->out;
    for (size_t i = 0; i < count; i++)
        out[i] = (float)double_result(a, (double)values[i * a->left_stride], 0);
}

void ISA_(math)(const math_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->type.id == TYPE_DOUBLE)
        math_double(a, count);
    else if (a->type.id == TYPE_FLOAT)
        math_float(a, count);
    else
        math_exact(a, count);
}
