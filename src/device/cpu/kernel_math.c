/* kernel_math.c - rounding and functions of one or two numbers. */
#include "device/cpu/kernel.h"
#include "device/value/math_value.h"

#define DECIMAL_DIGITS_MAX 38

/* Integers and decimals: what to round to is a power of ten of units of the last digit. */
#define EXACT(ctype, minimum, maximum)                                                             \
    do {                                                                                           \
        const ctype *values = a->left;                                                             \
        ctype *out = a->out;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            int128 r = math_of_integer(op, values[i * a->left_stride], unit, one);                 \
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
    int128 one = ten_to_128(a->type.scale), limit = ten_to_128(DECIMAL_DIGITS_MAX);
    /* A whole number of 10^38 units has a digit less once its zeros behind the point go, which is
     * what comes next. */
    bool is_whole = op == DEV_MATH_FLOOR || op == DEV_MATH_CEIL || op == DEV_MATH_ROUND;
    if (!is_whole || !a->type.scale)
        limit--;
    /* Units of 10^39 and more are beyond twice what a number can be: zero is the nearest. */
    bool is_far = dropped > DECIMAL_DIGITS_MAX;
    if (is_far && op == DEV_MATH_ROUND)
        op = DEV_MATH_TRUNC;
    int128 unit = ten_to_128(dropped < 0 ? 0 : is_far ? DECIMAL_DIGITS_MAX : (unsigned)dropped);
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

static void math_double(const math_arguments *a, size_t count)
{
    const double *values = a->left;
    double *out = a->out;
    for (size_t i = 0; i < count; i++) {
        double x = values[i * a->left_stride], y = a->right ? a->right[i * a->right_stride] : 0;
        double r = math_of_double((dev_math_op)a->op, a->digits, x, y);
        bool overflows = isinf(r) && isfinite(x) && isfinite(y);
        if (__builtin_expect(overflows || math_is_outside((dev_math_op)a->op, x, y), 0) &&
            kernel_is_valid(a->validity, i)) {
            bool outside = math_is_outside((dev_math_op)a->op, x, y);
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
        out[i] = (float)math_of_double((dev_math_op)a->op, a->digits,
                                       (double)values[i * a->left_stride], 0);
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
