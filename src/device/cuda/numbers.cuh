/* numbers.cuh - types of values: one switch for all kernels, sums and products that are checked. */
#ifndef PISTACHIO_DEVICE_CUDA_NUMBERS_CUH
#define PISTACHIO_DEVICE_CUDA_NUMBERS_CUH

#include "base/type/portable.h"
#include "device/cuda/kernel.cuh"

/* Runs the statements with `number` the type in which integers, decimals, dates and times are kept. */
#define WITH_INTEGER(type, ...)                                                                    \
    switch ((type).id) {                                                                           \
    case TYPE_INT8: {                                                                              \
        typedef int8_t number;                                                                     \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_UINT8: {                                                                             \
        typedef uint8_t number;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_INT16: {                                                                             \
        typedef int16_t number;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_UINT16: {                                                                            \
        typedef uint16_t number;                                                                   \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_INT32:                                                                               \
    case TYPE_DATE: {                                                                              \
        typedef int32_t number;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_UINT32: {                                                                            \
        typedef uint32_t number;                                                                   \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case TYPE_UINT64: {                                                                            \
        typedef uint64_t number;                                                                   \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    default:                                                                                       \
        if ((type).width == 16) {                                                                  \
            typedef int128 number;                                                                 \
            __VA_ARGS__                                                                            \
        } else {                                                                                   \
            typedef int64_t number;                                                                \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Moved by one instruction: values of 16 bytes lie at such addresses. */
typedef struct alignas(16) kernel_pair {
    uint64_t low, high;
} kernel_pair;

/* Runs the statements with `bytes` a type of so many bytes, 1 to 16. */
#define WITH_WIDTH(width, ...)                                                                     \
    switch (width) {                                                                               \
    case 1: {                                                                                      \
        typedef uint8_t bytes;                                                                     \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case 2: {                                                                                      \
        typedef uint16_t bytes;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case 4: {                                                                                      \
        typedef uint32_t bytes;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    case 8: {                                                                                      \
        typedef uint64_t bytes;                                                                    \
        __VA_ARGS__                                                                                \
    } break;                                                                                       \
    default: {                                                                                     \
        typedef kernel_pair bytes;                                                                 \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    }

/* Returns the bytes of so many values in memory. */
DEVICE uint64_t type_values_bytes_of(data_type type, uint64_t rows)
{
    return type.width ? rows * type.width : (rows + 63) / 64 * 8;
}

/* An integer-like value of at most 8 bytes; unsigned ones of 8 as they are. */
DEVICE int64_t kernel_load_integer(data_type type, const void *values, uint64_t i)
{
    WITH_INTEGER(type, return (int64_t)((const number *)values)[i];)
}

/* ---- several rows a thread: kernel_first_row ---- */

template <class T>
DEVICE void kernel_load_rows(const void *values, uint64_t stride, uint64_t first, uint64_t count,
                             uint64_t *out)
{
    uint64_t at = first * stride;
    unsigned rows = kernel_rows_left(first, count);
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        out[k] = k * CUDA_WARP < rows ? ((const T *)values)[at + k * CUDA_WARP * stride] : 0;
}

/* Values of 1 to 8 bytes as they lie there, with zeros in front of them: 0 behind the count. Nothing is done
 * with one before all are on their way. */
DEVICE void kernel_load_words(unsigned width, const void *values, uint64_t stride, uint64_t first,
                              uint64_t count, uint64_t *out)
{
    if (width == 1)
        kernel_load_rows<uint8_t>(values, stride, first, count, out);
    else if (width == 2)
        kernel_load_rows<uint16_t>(values, stride, first, count, out);
    else if (width == 4)
        kernel_load_rows<uint32_t>(values, stride, first, count, out);
    else
        kernel_load_rows<uint64_t>(values, stride, first, count, out);
}

/* The integer-like value of such a word: what kernel_load_integer gives. */
DEVICE int64_t kernel_word_integer(data_type type, uint64_t word)
{
    bool is_short = type.id == TYPE_INT8 || type.id == TYPE_INT16 || type.id == TYPE_INT32 ||
                    type.id == TYPE_DATE;
    unsigned above = is_short ? 64 - 8 * type.width : 0;
    return (int64_t)(word << above) >> above;
}

DEVICE float kernel_word_float(uint64_t word)
{
    uint32_t bits = (uint32_t)word;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

DEVICE double kernel_word_double(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* ---- how numbers compare ---- */

/* NaN is equal to itself and above everything. */
template <class T> DEVICE bool kernel_number_less(T x, T y)
{
    return x < y || (y != y && x == x);
}

template <class T> DEVICE bool kernel_number_equal(T x, T y)
{
    return x == y || (x != x && y != y);
}

/* Every comparison is "less" or "equal", perhaps swapped or inverted. */
template <class T> DEVICE bool kernel_number_compare(uint8_t op, T x, T y)
{
    switch (op) {
    case DEV_COMPARE_EQ:
        return kernel_number_equal(x, y);
    case DEV_COMPARE_NE:
        return !kernel_number_equal(x, y);
    case DEV_COMPARE_LT:
        return kernel_number_less(x, y);
    case DEV_COMPARE_LE:
        return !kernel_number_less(y, x);
    case DEV_COMPARE_GT:
        return kernel_number_less(y, x);
    default:
        return !kernel_number_less(x, y);
    }
}

/* True: *out is not the sum, or product. */
DEVICE bool kernel_add_overflows(int64_t x, int64_t y, int64_t *out)
{
    *out = (int64_t)((uint64_t)x + (uint64_t)y);
    return ((x ^ *out) & (y ^ *out)) < 0;
}

DEVICE bool kernel_add_overflows(int32_t x, int32_t y, int32_t *out)
{
    int64_t sum = (int64_t)x + y;
    *out = (int32_t)sum;
    return *out != sum;
}

DEVICE bool kernel_subtract_overflows(int64_t x, int64_t y, int64_t *out)
{
    *out = (int64_t)((uint64_t)x - (uint64_t)y);
    return ((x ^ y) & (x ^ *out)) < 0;
}

DEVICE bool kernel_multiply_overflows(int64_t x, int64_t y, int64_t *out)
{
    int128 product = (int128)x * y;
    *out = (int64_t)product;
    return product != *out;
}

DEVICE bool kernel_add_overflows(int128 x, int128 y, int128 *out)
{
    *out = (int128)((uint128)x + (uint128)y);
    return ((x ^ *out) & (y ^ *out)) < 0;
}

DEVICE uint128 kernel_magnitude(int128 x)
{
    return x < 0 ? 0 - (uint128)x : (uint128)x;
}

DEVICE bool kernel_too_long(int128 x)
{
    return x >= TEN_TO_38 || x <= -TEN_TO_38;
}

/* Products of decimals: below 10^38 or an overflow. */
DEVICE bool kernel_multiply_overflows(int128 x, int128 y, int128 *out)
{
    uint128 left = kernel_magnitude(x), right = kernel_magnitude(y);
    uint64_t left_high = (uint64_t)(left >> 64), right_high = (uint64_t)(right >> 64);
    *out = (int128)((uint128)x * (uint128)y);
    if (left_high && right_high)
        return true;
    uint128 cross = left_high ? (uint128)left_high * (uint64_t)right
                              : (uint128)right_high * (uint64_t)left;
    uint128 low = (uint128)(uint64_t)left * (uint64_t)right;
    return (cross >> 63) != 0 || ((low >> 64) + cross) >> 63 != 0 || kernel_too_long(*out);
}

DEVICE int128 kernel_shuffle_down(int128 value, unsigned step)
{
    uint64_t low = __shfl_down_sync(ALL_LANES, (uint64_t)(uint128)value, step);
    uint64_t high = __shfl_down_sync(ALL_LANES, (uint64_t)((uint128)value >> 64), step);
    return (int128)((uint128)high << 64 | low);
}

#endif
