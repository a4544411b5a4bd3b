/* arithmetic.cuh - + - * / % of two values: what a kernel does with a row. */
#ifndef PISTACHIO_DEVICE_CUDA_ARITHMETIC_CUH
#define PISTACHIO_DEVICE_CUDA_ARITHMETIC_CUH

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

DEVICE dev_error_code arithmetic_of(uint8_t op, int64_t x, int64_t y, bool is_checked, int64_t *out)
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
DEVICE dev_error_code arithmetic_of_32(uint8_t op, int32_t x, int32_t y, int32_t *out)
{
    int64_t result;
    dev_error_code code = arithmetic_of(op, x, y, true, &result);
    *out = (int32_t)result;
    return code ? code : *out != result ? DEV_ERROR_OVERFLOW : DEV_ERROR_NONE;
}

DEVICE dev_error_code arithmetic_of(uint8_t op, int128 x, int128 y, bool is_checked, int128 *out)
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
DEVICE dev_error_code arithmetic_of_real(uint8_t op, T x, T y, bool is_checked, T *out)
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

#endif
