/* kernel_over.h - inside the kernels of window functions: how values of each type compare. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_OVER_H
#define PISTACHIO_DEVICE_CPU_KERNEL_OVER_H

#include "device/cpu/kernel.h"

#define OVER_INLINE static inline __attribute__((always_inline))

/* Below zero: value i of left comes before value j of right. NaN comes last and equals itself. */
typedef int over_compare(const void *left, size_t i, const void *right, size_t j);

#define OVER_COMPARE_NUMBERS(ctype)                                                                \
    OVER_INLINE int over_compare_##ctype(const void *left, size_t i, const void *right, size_t j)  \
    {                                                                                              \
        ctype a = ((const ctype *)left)[i], b = ((const ctype *)right)[j];                         \
        return (a > b) - (a < b);                                                                  \
    }
OVER_COMPARE_NUMBERS(int8_t)
OVER_COMPARE_NUMBERS(int16_t)
OVER_COMPARE_NUMBERS(int32_t)
OVER_COMPARE_NUMBERS(int64_t)
OVER_COMPARE_NUMBERS(int128)
OVER_COMPARE_NUMBERS(uint8_t)
OVER_COMPARE_NUMBERS(uint16_t)
OVER_COMPARE_NUMBERS(uint32_t)
OVER_COMPARE_NUMBERS(uint64_t)
#undef OVER_COMPARE_NUMBERS

OVER_INLINE int over_order(double a, double b)
{
    if (a != a || b != b)
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

OVER_INLINE int over_compare_float(const void *left, size_t i, const void *right, size_t j)
{
    return over_order((double)((const float *)left)[i], (double)((const float *)right)[j]);
}

OVER_INLINE int over_compare_double(const void *left, size_t i, const void *right, size_t j)
{
    return over_order(((const double *)left)[i], ((const double *)right)[j]);
}

OVER_INLINE int over_compare_bits(const void *left, size_t i, const void *right, size_t j)
{
    return kernel_bit(left, i) - kernel_bit(right, j);
}

OVER_INLINE int128 over_interval(const interval_value *v)
{
    return ((int128)v->months * 30 + v->days) * 86400000000 + v->microseconds;
}

OVER_INLINE int over_compare_interval(const void *left, size_t i, const void *right, size_t j)
{
    int128 a = over_interval((const interval_value *)left + i);
    int128 b = over_interval((const interval_value *)right + j);
    return (a > b) - (a < b);
}

OVER_INLINE int over_compare_text(const void *left, size_t i, const void *right, size_t j)
{
    const string_view *a = (const string_view *)left + i, *b = (const string_view *)right + j;
    uint32_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = common ? memcmp(kernel_string_data(a), kernel_string_data(b), common) : 0;
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* function(a, compare) with the comparison of the type. */
#define OVER_BY_TYPE(of, function, a)                                                              \
    do {                                                                                           \
        switch ((of).id) {                                                                         \
        case TYPE_BOOL:                                                                            \
            function(a, over_compare_bits);                                                        \
            break;                                                                                 \
        case TYPE_INT8:                                                                            \
            function(a, over_compare_int8_t);                                                      \
            break;                                                                                 \
        case TYPE_INT16:                                                                           \
            function(a, over_compare_int16_t);                                                     \
            break;                                                                                 \
        case TYPE_INT32:                                                                           \
        case TYPE_DATE:                                                                            \
            function(a, over_compare_int32_t);                                                     \
            break;                                                                                 \
        case TYPE_UINT8:                                                                           \
            function(a, over_compare_uint8_t);                                                     \
            break;                                                                                 \
        case TYPE_UINT16:                                                                          \
            function(a, over_compare_uint16_t);                                                    \
            break;                                                                                 \
        case TYPE_UINT32:                                                                          \
            function(a, over_compare_uint32_t);                                                    \
            break;                                                                                 \
        case TYPE_UINT64:                                                                          \
            function(a, over_compare_uint64_t);                                                    \
            break;                                                                                 \
        case TYPE_FLOAT:                                                                           \
            function(a, over_compare_float);                                                       \
            break;                                                                                 \
        case TYPE_DOUBLE:                                                                          \
            function(a, over_compare_double);                                                      \
            break;                                                                                 \
        case TYPE_INTERVAL:                                                                        \
            function(a, over_compare_interval);                                                    \
            break;                                                                                 \
        case TYPE_VARCHAR:                                                                         \
        case TYPE_BLOB:                                                                            \
            function(a, over_compare_text);                                                        \
            break;                                                                                 \
        default:                                                                                   \
            if ((of).width == 16)                                                                  \
                function(a, over_compare_int128);                                                  \
            else                                                                                   \
                function(a, over_compare_int64_t);                                                 \
        }                                                                                          \
    } while (0)

#endif
