/* kernel_arithmetic.c - + - * / % on integers, floats and decimals.
 *
 * Checked kernels compute blocks of rows without branches, gathering whether anything overflowed;
 * only a block in which something did is looked at again, for the first valid row at fault. */
#include "device/cpu/kernel.h"
#include "device/kernels/kernel_ops.h"

#include <float.h>
#include <math.h>

#define BLOCK 1024

typedef arithmetic_arguments arguments;

/* Runs LOOP(x, y) with the operands as expressions of i. */
#define OPERANDS(left_type, right_type, LOOP)                                                      \
    do {                                                                                           \
        const left_type *left = a->left;                                                           \
        const right_type *right = a->right;                                                        \
        left_type first = left[0];                                                                 \
        right_type second = right[0];                                                              \
        if (a->left_stride && a->right_stride) {                                                   \
            LOOP(left[i], right[i])                                                                \
        } else if (a->left_stride) {                                                               \
            LOOP(left[i], second)                                                                  \
        } else {                                                                                   \
            LOOP(first, right[i])                                                                  \
        }                                                                                          \
    } while (0)

/* Result OP(x, y) of rows where FAILED(x, y) is not true; else `code` is reported. Both see x and y
 * as `wide`, the result as r. */
#define OR_FAIL(wide, code, OP, FAILED, x_row, y_row)                                              \
    for (size_t from = 0; from < count; from += BLOCK) {                                           \
        size_t to = count - from < BLOCK ? count : from + BLOCK;                                   \
        wide any = 0;                                                                              \
        for (size_t i = from; i < to; i++) {                                                       \
            wide x = (x_row), y = (y_row), r = OP(x, y);                                           \
            any |= FAILED(x, y, r);                                                                \
            out[i] = r;                                                                            \
        }                                                                                          \
        if (__builtin_expect(any != 0, 0))                                                         \
            for (size_t i = from; i < to; i++) {                                                   \
                wide x = (x_row), y = (y_row), r = OP(x, y);                                       \
                if (FAILED(x, y, r) && kernel_is_valid(a->validity, i)) {                          \
                    kernel_fail(a->error, code, a->location, i);                                   \
                    return;                                                                        \
                }                                                                                  \
            }                                                                                      \
    }

#define PLAIN(wide, OP, x_row, y_row)                                                              \
    for (size_t i = 0; i < count; i++) {                                                           \
        wide x = (x_row), y = (y_row);                                                             \
        out[i] = OP(x, y);                                                                         \
    }

/* ---- 32 bits, in 64 ---- */

#define ADD(x, y) ((x) + (y))
#define SUBTRACT(x, y) ((x) - (y))
#define MULTIPLY(x, y) ((x) * (y))
#define NOT_32(x, y, r) ((r) != (int32_t)(r))
#define ADD_32(x, y) OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, ADD, NOT_32, x, y)
#define SUBTRACT_32(x, y) OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, SUBTRACT, NOT_32, x, y)
#define MULTIPLY_32(x, y) OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, MULTIPLY, NOT_32, x, y)
/* Division: the quotient of a zero divisor is not asked for. */
#define DIVIDE_32(x, y)                                                                            \
    for (size_t i = 0; i < count; i++) {                                                           \
        int64_t divisor = (y), quotient = divisor ? (x) / divisor : 0;                             \
        if (__builtin_expect(!divisor || quotient > INT32_MAX, 0) &&                               \
            kernel_is_valid(a->validity, i)) {                                                     \
            kernel_fail(a->error, divisor ? DEV_ERROR_OVERFLOW : DEV_ERROR_DIVISION_BY_ZERO,       \
                        a->location, i);                                                           \
            return;                                                                                \
        }                                                                                          \
        out[i] = (int32_t)quotient;                                                                \
    }
#define MODULO_32(x, y)                                                                            \
    for (size_t i = 0; i < count; i++) {                                                           \
        int64_t divisor = (y);                                                                     \
        if (__builtin_expect(!divisor, 0) && kernel_is_valid(a->validity, i)) {                    \
            kernel_fail(a->error, DEV_ERROR_DIVISION_BY_ZERO, a->location, i);                     \
            return;                                                                                \
        }                                                                                          \
        out[i] = divisor ? (int32_t)((x) % divisor) : 0;                                           \
    }

/* Remainders by one divisor other than 0, 1 and -1, by doubles, which vectors have: half a divisor more keeps the quotient of a
 * multiple from being rounded down, and lies far above what rounding changes. */
static void modulo_by(const int32_t *left, int32_t divisor, size_t count, int32_t *out)
{
    double inverse = 1.0 / divisor, half = fabs(inverse) / 2, sign = divisor < 0 ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        double quotient = left[i] * inverse + sign * copysign(half, left[i]);
        out[i] = (int32_t)((uint32_t)left[i] - (uint32_t)(int32_t)quotient * (uint32_t)divisor);
    }
}

static void arithmetic_32(const arguments *a, size_t count)
{
    int32_t *out = a->out;
    int32_t divisor = a->right_stride ? 0 : *(const int32_t *)a->right;
    if (a->op == DEV_MODULO && a->left_stride && (divisor > 1 || divisor < -1)) {
        modulo_by(a->left, divisor, count, out);
        return;
    }
    switch (a->op) {
    case DEV_ADD:
        OPERANDS(int32_t, int32_t, ADD_32);
        break;
    case DEV_SUBTRACT:
        OPERANDS(int32_t, int32_t, SUBTRACT_32);
        break;
    case DEV_MULTIPLY:
        OPERANDS(int32_t, int32_t, MULTIPLY_32);
        break;
    case DEV_DIVIDE:
        OPERANDS(int32_t, int32_t, DIVIDE_32);
        break;
    default:
        OPERANDS(int32_t, int32_t, MODULO_32);
    }
}

/* ---- 64 bits: unsigned arithmetic wraps, and signs tell an overflow ---- */

#define WRAP_ADD(x, y) ((int64_t)((uint64_t)(x) + (uint64_t)(y)))
#define WRAP_SUBTRACT(x, y) ((int64_t)((uint64_t)(x) - (uint64_t)(y)))
#define WRAP_MULTIPLY(x, y) ((int64_t)((uint64_t)(x) * (uint64_t)(y)))
#define ADD_FAILED(x, y, r) ((((x) ^ (r)) & ((y) ^ (r))) < 0)
#define SUBTRACT_FAILED(x, y, r) ((((x) ^ (y)) & ((x) ^ (r))) < 0)
#define MULTIPLY_FAILED(x, y, r)                                                                   \
    ({                                                                                             \
        int64_t product_ = (r);                                                                    \
        __builtin_mul_overflow((x), (y), &product_);                                               \
    })
#define ADD_64(x, y) PLAIN(int64_t, WRAP_ADD, x, y)
#define SUBTRACT_64(x, y) PLAIN(int64_t, WRAP_SUBTRACT, x, y)
#define MULTIPLY_64(x, y) PLAIN(int64_t, WRAP_MULTIPLY, x, y)
#define CHECKED_ADD_64(x, y) OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, WRAP_ADD, ADD_FAILED, x, y)
#define CHECKED_SUBTRACT_64(x, y)                                                                  \
    OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, WRAP_SUBTRACT, SUBTRACT_FAILED, x, y)
#define CHECKED_MULTIPLY_64(x, y)                                                                  \
    OR_FAIL(int64_t, DEV_ERROR_OVERFLOW, WRAP_MULTIPLY, MULTIPLY_FAILED, x, y)
#define DIVIDE_64(x, y)                                                                            \
    for (size_t i = 0; i < count; i++) {                                                           \
        int64_t dividend = (x), divisor = (y);                                                     \
        bool fails = !divisor || (divisor == -1 && dividend == INT64_MIN);                         \
        if (__builtin_expect(fails, 0) && kernel_is_valid(a->validity, i)) {                       \
            kernel_fail(a->error, divisor ? DEV_ERROR_OVERFLOW : DEV_ERROR_DIVISION_BY_ZERO,       \
                        a->location, i);                                                           \
            return;                                                                                \
        }                                                                                          \
        out[i] = fails ? 0 : dividend / divisor;                                                   \
    }
#define MODULO_64(x, y)                                                                            \
    for (size_t i = 0; i < count; i++) {                                                           \
        int64_t divisor = (y);                                                                     \
        if (__builtin_expect(!divisor, 0) && kernel_is_valid(a->validity, i)) {                    \
            kernel_fail(a->error, DEV_ERROR_DIVISION_BY_ZERO, a->location, i);                     \
            return;                                                                                \
        }                                                                                          \
        out[i] = divisor == 0 || divisor == -1 ? 0 : (int64_t)((x) % divisor);                     \
    }

static void arithmetic_64(const arguments *a, size_t count)
{
    int64_t *out = a->out;
    switch (a->op) {
    case DEV_ADD:
        if (a->is_checked)
            OPERANDS(int64_t, int64_t, CHECKED_ADD_64);
        else
            OPERANDS(int64_t, int64_t, ADD_64);
        break;
    case DEV_SUBTRACT:
        if (a->is_checked)
            OPERANDS(int64_t, int64_t, CHECKED_SUBTRACT_64);
        else
            OPERANDS(int64_t, int64_t, SUBTRACT_64);
        break;
    case DEV_MULTIPLY:
        if (a->is_checked)
            OPERANDS(int64_t, int64_t, CHECKED_MULTIPLY_64);
        else
            OPERANDS(int64_t, int64_t, MULTIPLY_64);
        break;
    case DEV_DIVIDE:
        OPERANDS(int64_t, int64_t, DIVIDE_64);
        break;
    default:
        OPERANDS(int64_t, int64_t, MODULO_64);
    }
}

/* A result known to fit 64 bits needs only the operands' lower halves. */
static void arithmetic_128_to_64(const arguments *a, size_t count)
{
    int64_t *out = a->out;
    const int64_t *left = a->left, *right = a->right;
    size_t left_stride = a->left_stride * a->left_width / 8u;
    size_t right_stride = a->right_stride * a->right_width / 8u;
    if (a->op == DEV_ADD)
        PLAIN(int64_t, WRAP_ADD, left[i * left_stride], right[i * right_stride])
    else if (a->op == DEV_SUBTRACT)
        PLAIN(int64_t, WRAP_SUBTRACT, left[i * left_stride], right[i * right_stride])
    else
        PLAIN(int64_t, WRAP_MULTIPLY, left[i * left_stride], right[i * right_stride])
}

/* ---- 128 bits: decimals of up to 38 digits ---- */

#define DECIMAL_LIMIT ((int128)0x4b3b4ca85a86c47aull << 64 | 0x098a224000000000ull) /* 10^38 */
_Static_assert(DECIMAL_LIMIT / 1000000000000000000 / 1000000000000000000 == 100, "10^38");

#define WRAP_ADD_128(x, y) ((int128)((uint128)(x) + (uint128)(y)))
#define WRAP_SUBTRACT_128(x, y) ((int128)((uint128)(x) - (uint128)(y)))
#define WRAP_MULTIPLY_128(x, y) ((int128)((uint128)(x) * (uint128)(y)))
/* A sum of two numbers below 10^38 is below 2 * 10^38: where it leaves 128 bits it comes back with
 * the other sign and beyond 1.4 * 10^38, so it is too long as well. */
#define TOO_LONG(x, y, r) ((r) >= DECIMAL_LIMIT || (r) <= -DECIMAL_LIMIT)
#define PRODUCT_TOO_LONG(x, y, r)                                                                  \
    ({                                                                                             \
        int128 product_ = (r);                                                                     \
        __builtin_mul_overflow((x), (y), &product_) || TOO_LONG(x, y, product_);                   \
    })
#define ADD_128(x, y) PLAIN(int128, WRAP_ADD_128, x, y)
#define SUBTRACT_128(x, y) PLAIN(int128, WRAP_SUBTRACT_128, x, y)
#define MULTIPLY_128(x, y) PLAIN(int128, WRAP_MULTIPLY_128, x, y)
#define CHECKED_ADD_128(x, y) OR_FAIL(int128, DEV_ERROR_OVERFLOW, WRAP_ADD_128, TOO_LONG, x, y)
#define CHECKED_SUBTRACT_128(x, y)                                                                 \
    OR_FAIL(int128, DEV_ERROR_OVERFLOW, WRAP_SUBTRACT_128, TOO_LONG, x, y)
#define CHECKED_MULTIPLY_128(x, y)                                                                 \
    OR_FAIL(int128, DEV_ERROR_OVERFLOW, WRAP_MULTIPLY_128, PRODUCT_TOO_LONG, x, y)
#define DIVIDE_128(x, y)                                                                           \
    for (size_t i = 0; i < count; i++) {                                                           \
        int128 divisor = (y);                                                                      \
        if (__builtin_expect(!divisor, 0) && kernel_is_valid(a->validity, i)) {                    \
            kernel_fail(a->error, DEV_ERROR_DIVISION_BY_ZERO, a->location, i);                     \
            return;                                                                                \
        }                                                                                          \
        out[i] = divisor == -1 ? (int128)(0 - (uint128)(x)) : divisor ? (x) / divisor : 0;         \
    }
#define MODULO_128(x, y)                                                                           \
    for (size_t i = 0; i < count; i++) {                                                           \
        int128 divisor = (y);                                                                      \
        if (__builtin_expect(!divisor, 0) && kernel_is_valid(a->validity, i)) {                    \
            kernel_fail(a->error, DEV_ERROR_DIVISION_BY_ZERO, a->location, i);                     \
            return;                                                                                \
        }                                                                                          \
        out[i] = divisor == 0 || divisor == -1 ? 0 : (x) % divisor;                                \
    }
#define WIDTHS(LOOP)                                                                               \
    do {                                                                                           \
        if (a->left_width == 8 && a->right_width == 8)                                             \
            OPERANDS(int64_t, int64_t, LOOP);                                                      \
        else if (a->left_width == 8)                                                               \
            OPERANDS(int64_t, int128, LOOP);                                                       \
        else if (a->right_width == 8)                                                              \
            OPERANDS(int128, int64_t, LOOP);                                                       \
        else                                                                                       \
            OPERANDS(int128, int128, LOOP);                                                        \
    } while (0)

static void arithmetic_128(const arguments *a, size_t count)
{
    int128 *out = a->out;
    switch (a->op) {
    case DEV_ADD:
        if (a->is_checked)
            WIDTHS(CHECKED_ADD_128);
        else
            WIDTHS(ADD_128);
        break;
    case DEV_SUBTRACT:
        if (a->is_checked)
            WIDTHS(CHECKED_SUBTRACT_128);
        else
            WIDTHS(SUBTRACT_128);
        break;
    case DEV_MULTIPLY:
        if (a->is_checked)
            WIDTHS(CHECKED_MULTIPLY_128);
        else
            WIDTHS(MULTIPLY_128);
        break;
    case DEV_DIVIDE:
        WIDTHS(DIVIDE_128);
        break;
    default:
        WIDTHS(MODULO_128);
    }
}

/* ---- floats ---- */

#define DIVIDE(x, y) ((x) / (y))
/* Infinity from finite numbers is an overflow. Blocks in which a result is infinite, or NaN, are
 * looked at again. */
#define FLOAT_OR_FAIL(OP, x_row, y_row)                                                            \
    for (size_t from = 0; from < count; from += BLOCK) {                                           \
        size_t to = count - from < BLOCK ? count : from + BLOCK;                                   \
        word any = 0;                                                                              \
        for (size_t i = from; i < to; i++) {                                                       \
            real r = OP(x_row, y_row);                                                             \
            any |= -(word) !(__builtin_fabs(r) <= limit);                                          \
            out[i] = r;                                                                            \
        }                                                                                          \
        if (__builtin_expect(any != 0, 0))                                                         \
            for (size_t i = from; i < to; i++)                                                     \
                if (isinf(out[i]) && isfinite(x_row) && isfinite(y_row) &&                         \
                    kernel_is_valid(a->validity, i)) {                                             \
                    kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, i);                     \
                    return;                                                                        \
                }                                                                                  \
    }
#define FLOAT_ADD(x, y) FLOAT_OR_FAIL(ADD, x, y)
#define FLOAT_SUBTRACT(x, y) FLOAT_OR_FAIL(SUBTRACT, x, y)
#define FLOAT_MULTIPLY(x, y) FLOAT_OR_FAIL(MULTIPLY, x, y)
#define FLOAT_TIMES_SMALL(x, y) PLAIN(real, MULTIPLY, x, y)
/* A zero divisor fails, except of NaN. */
#define FLOAT_ZERO(x, y)                                                                           \
    for (size_t i = 0; i < count; i++)                                                             \
        is_zero |= ((y) == 0) & ((x) == (x));                                                      \
    if (is_zero)                                                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            if ((y) == 0 && (x) == (x) && kernel_is_valid(a->validity, i)) {                       \
                kernel_fail(a->error, DEV_ERROR_DIVISION_BY_ZERO, a->location, i);                 \
                return;                                                                            \
            }
#define FLOAT_DIVIDE(x, y)                                                                         \
    FLOAT_ZERO(x, y)                                                                               \
    FLOAT_OR_FAIL(DIVIDE, x, y)
#define FLOAT_MODULO(x, y)                                                                         \
    FLOAT_ZERO(x, y)                                                                               \
    for (size_t i = 0; i < count; i++)                                                             \
        out[i] = (real)fmod((x), (y));

#define FLOATS(function, type, bits, maximum)                                                      \
    static void function(const arguments *a, size_t count)                                         \
    {                                                                                              \
        typedef type real;                                                                         \
        typedef bits word;                                                                         \
        const real limit = maximum;                                                                \
        real *out = a->out;                                                                        \
        bool is_zero = false;                                                                      \
        switch (a->op) {                                                                           \
        case DEV_ADD:                                                                              \
            OPERANDS(real, real, FLOAT_ADD);                                                       \
            break;                                                                                 \
        case DEV_SUBTRACT:                                                                         \
            OPERANDS(real, real, FLOAT_SUBTRACT);                                                  \
            break;                                                                                 \
        case DEV_MULTIPLY:                                                                         \
            if (a->is_checked)                                                                     \
                OPERANDS(real, real, FLOAT_MULTIPLY);                                              \
            else                                                                                   \
                OPERANDS(real, real, FLOAT_TIMES_SMALL);                                           \
            break;                                                                                 \
        case DEV_DIVIDE:                                                                           \
            OPERANDS(real, real, FLOAT_DIVIDE);                                                    \
            break;                                                                                 \
        default:                                                                                   \
            OPERANDS(real, real, FLOAT_MODULO);                                                    \
        }                                                                                          \
    }
FLOATS(arithmetic_float, float, int32_t, FLT_MAX)
FLOATS(arithmetic_double, double, int64_t, DBL_MAX)

void ISA_(arithmetic)(const arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!count)
        return;
    switch (a->type.id) {
    case TYPE_FLOAT:
        arithmetic_float(a, count);
        break;
    case TYPE_DOUBLE:
        arithmetic_double(a, count);
        break;
    case TYPE_INT32:
        arithmetic_32(a, count);
        break;
    default:
        if (a->type.width == 16)
            arithmetic_128(a, count);
        else if (a->left_width == 16 || a->right_width == 16)
            arithmetic_128_to_64(a, count);
        else
            arithmetic_64(a, count);
    }
}
