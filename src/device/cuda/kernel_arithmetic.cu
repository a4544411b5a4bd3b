/* kernel_arithmetic.cu - + - * / % on integers, floats and decimals, a thread a row. */
#include "device/cuda/numbers.cuh"

#include <math.h>

/* An operation gives its result in *out, or says what failed. */

DEVICE dev_error_code divide_integers(uint8_t op, int64_t x, int64_t y, int64_t least, int64_t *out)
{
    *out = 0;
    if (!y)
        return DEV_ERROR_DIVISION_BY_ZERO;
    if (op == DEV_MODULO) {
        *out = y == -1 ? 0 : x % y;
        return DEV_ERROR_NONE;
    }
    if (y == -1 && x == least)
        return DEV_ERROR_OVERFLOW;
    *out = x / y;
    return DEV_ERROR_NONE;
}

DEVICE dev_error_code compute(uint8_t op, int64_t x, int64_t y, bool is_checked, int64_t *out)
{
    bool overflows;
    if (op == DEV_ADD)
        overflows = kernel_add_overflows(x, y, out);
    else if (op == DEV_SUBTRACT)
        overflows = kernel_subtract_overflows(x, y, out);
    else if (op == DEV_MULTIPLY)
        overflows = kernel_multiply_overflows(x, y, out);
    else
        return divide_integers(op, x, y, INT64_MIN, out);
    return is_checked && overflows ? DEV_ERROR_OVERFLOW : DEV_ERROR_NONE;
}

/* In 64 bits nothing of this overflows. */
DEVICE dev_error_code compute_32(uint8_t op, int32_t x, int32_t y, int32_t *out)
{
    int64_t result;
    dev_error_code code = compute(op, x, y, true, &result);
    *out = (int32_t)result;
    return code ? code : *out != result ? DEV_ERROR_OVERFLOW : DEV_ERROR_NONE;
}

DEVICE dev_error_code compute(uint8_t op, int128 x, int128 y, bool is_checked, int128 *out)
{
    bool overflows = false;
    if (op == DEV_ADD) {
        overflows = kernel_add_overflows(x, y, out) || kernel_too_long(*out);
    } else if (op == DEV_SUBTRACT) {
        *out = (int128)((uint128)x - (uint128)y);
        overflows = kernel_too_long(*out);
    } else if (op == DEV_MULTIPLY) {
        overflows = kernel_multiply_overflows(x, y, out);
    } else {
        *out = 0;
        if (!y)
            return DEV_ERROR_DIVISION_BY_ZERO;
        if (op == DEV_DIVIDE)
            *out = y == -1 ? (int128)(0 - (uint128)x) : x / y;
        else
            *out = y == -1 ? 0 : x % y;
    }
    return is_checked && overflows ? DEV_ERROR_OVERFLOW : DEV_ERROR_NONE;
}

template <class T>
DEVICE dev_error_code compute_real(uint8_t op, T x, T y, bool is_checked, T *out)
{
    bool is_zero = (op == DEV_DIVIDE || op == DEV_MODULO) && y == 0 && x == x;
    switch (op) {
    case DEV_ADD:
        *out = x + y;
        break;
    case DEV_SUBTRACT:
        *out = x - y;
        break;
    case DEV_MULTIPLY:
        *out = x * y;
        if (!is_checked)
            return DEV_ERROR_NONE;
        break;
    case DEV_DIVIDE:
        *out = x / y;
        break;
    default:
        *out = (T)fmod((double)x, (double)y);
        return is_zero ? DEV_ERROR_DIVISION_BY_ZERO : DEV_ERROR_NONE;
    }
    if (is_zero)
        return DEV_ERROR_DIVISION_BY_ZERO;
    return isinf(*out) && isfinite(x) && isfinite(y) ? DEV_ERROR_OVERFLOW : DEV_ERROR_NONE;
}

DEVICE int128 load_decimal(const void *values, uint8_t width, uint64_t i)
{
    return width == 16 ? ((const int128 *)values)[i] : ((const int64_t *)values)[i];
}

KERNEL_ALONE(arithmetic)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t left = i * a.left_stride, right = i * a.right_stride;
    dev_error_code code;
    if (a.type.id == TYPE_FLOAT) {
        code = compute_real(a.op, ((const float *)a.left)[left], ((const float *)a.right)[right],
                            a.is_checked, (float *)a.out + i);
    } else if (a.type.id == TYPE_DOUBLE) {
        code = compute_real(a.op, ((const double *)a.left)[left], ((const double *)a.right)[right],
                            a.is_checked, (double *)a.out + i);
    } else if (a.type.id == TYPE_INT32) {
        code = compute_32(a.op, ((const int32_t *)a.left)[left], ((const int32_t *)a.right)[right],
                          (int32_t *)a.out + i);
    } else if (a.type.width == 16) {
        code = compute(a.op, load_decimal(a.left, a.left_width, left),
                       load_decimal(a.right, a.right_width, right), a.is_checked,
                       (int128 *)a.out + i);
    } else { /* of wide operands the lower halves: the result is known to fit */
        bool is_wide = a.left_width == 16 || a.right_width == 16;
        code = compute(a.op, (int64_t)load_decimal(a.left, a.left_width, left),
                       (int64_t)load_decimal(a.right, a.right_width, right),
                       a.is_checked && !is_wide, (int64_t *)a.out + i);
    }
    if (code && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, code, a.location, i);
}
