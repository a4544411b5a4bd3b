/* portable.h - what functions in headers are that kernels of every device have: C, C++ and CUDA C.
 *
 * Such a header says what a function computes once; C has it where its file includes it, a device in
 * its kernels. They allocate nothing, call no library but memcpy and math.h, and keep to what the three
 * languages share: no designated initializers, no compound literals, casts from void. */
#ifndef PISTACHIO_BASE_TYPE_PORTABLE_H
#define PISTACHIO_BASE_TYPE_PORTABLE_H

#include "base/type/type.h"

#ifdef __CUDACC__
#define PORTABLE static inline __device__
#define PORTABLE_TABLE static __device__ const
#else
#define PORTABLE static inline __attribute__((unused))
#define PORTABLE_TABLE static const
#endif

/* True: *out, wrapped, is not the sum, or the product. */
PORTABLE bool add_overflows_32(int32_t x, int32_t y, int32_t *out)
{
    int64_t sum = (int64_t)x + y;
    *out = (int32_t)sum;
    return *out != sum;
}

PORTABLE bool add_overflows_64(int64_t x, int64_t y, int64_t *out)
{
    *out = (int64_t)((uint64_t)x + (uint64_t)y);
    return ((x ^ *out) & (y ^ *out)) < 0;
}

PORTABLE bool multiply_overflows_64(int64_t x, int64_t y, int64_t *out)
{
    int128 product = (int128)x * y;
    *out = (int64_t)product;
    return product != *out;
}

#define TEN_TO_38 ((int128)0x4b3b4ca85a86c47aull << 64 | 0x098a224000000000ull)

/* 10^exponent, up to 18. */
PORTABLE int64_t ten_to_64(unsigned exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* 10^exponent, up to 38. */
PORTABLE int128 ten_to_128(unsigned exponent)
{
    int128 power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

#endif
