/* kernel_math.cu - rounding and functions of one or two numbers; a thread a row. */
#include "device/cuda/numbers.cuh"
#include "device/value/math_value.h"

#define DECIMAL_DIGITS_MAX 38

/* Returns the bounds that the result must lie between. */
DEVICE void math_bounds(const math_arguments &a, int128 *low, int128 *high)
{
    bool is_unsigned = a.type.id == TYPE_UINT8 || a.type.id == TYPE_UINT16 ||
                       a.type.id == TYPE_UINT32 || a.type.id == TYPE_UINT64;
    if (a.type.width == 16) {
        *high = ten_to_128(DECIMAL_DIGITS_MAX);
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
    int128 one = ten_to_128(a.type.scale), low, high, value = 0;
    /* Units of 10^39 and more are beyond twice what a number can be: zero is the nearest. */
    bool is_far = dropped > DECIMAL_DIGITS_MAX;
    if (is_far && op == DEV_MATH_ROUND)
        op = DEV_MATH_TRUNC;
    int128 unit = ten_to_128(dropped < 0 ? 0 : is_far ? DECIMAL_DIGITS_MAX : (unsigned)dropped);
    math_bounds(a, &low, &high);
    uint64_t from = i * a.left_stride;
    WITH_INTEGER(a.type, value = (int128)((const number *)a.left)[from];)
    int128 result = math_of_integer(op, value, unit, one);
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
    double y = a.right ? a.right[i * a.right_stride] : 0, r = math_of_double((dev_math_op)a.op, a.digits, x, y);
    bool outside = math_is_outside((dev_math_op)a.op, x, y);
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
            (float)math_of_double((dev_math_op)a.op, a.digits, (double)((const float *)a.left)[i * a.left_stride], 0);
    else
        math_exact(a, i);
}
