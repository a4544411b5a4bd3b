/* kernel_parquet_bounds.c - whether a page's values are within what the footer says of them. */
#include "device/cpu/kernel.h"

typedef unsigned __int128 uint128;

/* Without a sign, x - minimum wraps for each x below minimum to more than the width of the range:
 * one comparison, the same for signed and unsigned types. */
#define COUNT_OUTSIDE(unsigned_type)                                                               \
    do {                                                                                           \
        const unsigned_type *values = a->values;                                                   \
        unsigned_type minimum = (unsigned_type)a->minimum;                                         \
        unsigned_type span = (unsigned_type)((unsigned_type)a->maximum - minimum), outside = 0;    \
        if (a->rows) {                                                                             \
            for (size_t i = 0; i < count; i++)                                                     \
                outside |= (unsigned_type)(values[a->rows[i]] - minimum) > span;                   \
        } else {                                                                                   \
            for (size_t i = 0; i < count; i++)                                                     \
                outside |= (unsigned_type)(values[i] - minimum) > span;                            \
        }                                                                                          \
        is_outside = outside;                                                                      \
    } while (0)

void ISA_(parquet_check_bounds)(const parquet_check_bounds_arguments *a)
{
    size_t count = a->words[0];
    bool is_outside = false;
    switch (a->type.width) {
    case 1:
        COUNT_OUTSIDE(uint8_t);
        break;
    case 2:
        COUNT_OUTSIDE(uint16_t);
        break;
    case 4:
        COUNT_OUTSIDE(uint32_t);
        break;
    case 8:
        COUNT_OUTSIDE(uint64_t);
        break;
    default:
        COUNT_OUTSIDE(uint128);
    }
    if (is_outside)
        kernel_fail(a->error, DEV_ERROR_BOUNDS, a->location, 0);
}
