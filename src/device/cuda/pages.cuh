/* pages.cuh - inside the kernels of page decoding: runs, unaligned numbers, byte arrays.
 *
 * A block has a page. What must be read in order, headers of runs, each thread reads for itself: the
 * same bytes at the same time cost no more than once. */
#ifndef PISTACHIO_DEVICE_CUDA_PAGES_CUH
#define PISTACHIO_DEVICE_CUDA_PAGES_CUH

#include "base/text/uuid_text.h"
#include "device/cuda/numbers.cuh"
#include "device/kernels/parquet_numbers.h"
#include "device/value/parquet_runs.h"
#include "device/value/wide_decimal.h"

/* Words where they lie at their addresses: a page's values begin anywhere. */
DEVICE uint64_t load_bytes(const uint8_t *at, unsigned bytes)
{
    uint64_t number = 0;
    if ((uintptr_t)at % 4 == 0 && bytes % 4 == 0 && bytes) {
        const uint32_t *words = (const uint32_t *)at;
        return bytes == 4 ? words[0] : words[0] | (uint64_t)words[1] << 32;
    }
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

/* Unpacks by bytes, none of them after the last. */
DEVICE uint64_t unpack_bytes(const uint8_t *packed, uint64_t bytes, uint64_t bit, unsigned width)
{
    uint64_t first = bit / 8, last = (bit + width + 7) / 8, word = 0;
    unsigned shift = bit % 8;
    for (uint64_t i = first; i < last && i < bytes && i < first + 8; i++)
        word |= (uint64_t)packed[i] << (8 * (i - first));
    word >>= shift;
    if (last > first + 8 && first + 8 < bytes)
        word |= (uint64_t)packed[first + 8] << (64 - shift);
    return word;
}

/* `width` bits (at most 64) from bit `bit` on of so many bytes: of the one to three words that they
 * lie in, where all of these belong to the bytes. */
DEVICE uint64_t unpack(const uint8_t *packed, uint64_t bytes, uint64_t bit, unsigned width)
{
    uint64_t start = (uint64_t)(uintptr_t)packed * 8 + bit, word;
    const uint32_t *words = (const uint32_t *)(uintptr_t)(start / 32 * 4);
    unsigned shift = start % 32, count = (shift + width + 31) / 32;
    if ((const uint8_t *)words < packed || (const uint8_t *)(words + count) > packed + bytes) {
        word = unpack_bytes(packed, bytes, bit, width);
    } else {
        word = (count ? words[0] : 0) | (count > 1 ? (uint64_t)words[1] << 32 : 0);
        word >>= shift;
        if (count > 2)
            word |= (uint64_t)words[2] << (64 - shift);
    }
    return width == 64 ? word : word & (((uint64_t)1 << width) - 1);
}

/* Finds a page's values by its words: false if they are outside the page. */
DEVICE bool page_values(const uint8_t *page, uint32_t page_bytes, const uint64_t *words,
                        const uint8_t **at, const uint8_t **end)
{
    *end = page + page_bytes;
    *at = words[1] <= page_bytes ? page + words[1] : *end;
    return words[1] <= page_bytes;
}

/* True in all threads if it is in any. `flag`: a shared word. */
DEVICE bool block_any(bool mine, uint32_t *flag)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 0;
    __syncthreads();
    if (mine)
        atomicOr(flag, 1u);
    __syncthreads();
    return *flag;
}

/* Zeroes bytes, all threads of the block together. */
DEVICE void block_zero(void *out, uint64_t bytes)
{
    for (uint64_t i = threadIdx.x; i < bytes; i += blockDim.x)
        ((uint8_t *)out)[i] = 0;
}

/* ---- values of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY ---- */

typedef struct byte_sink {
    uint8_t conversion, width; /* of the type */
    void *out;
} byte_sink;

DEVICE float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31, bits;
    uint32_t fraction = half & 1023;
    float result;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        result = (float)fraction / 16777216.0f;
        return sign ? -result : result;
    }
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Big-endian two's complement. False: more than 128 bits. */
DEVICE bool read_big_endian(const uint8_t *bytes, uint32_t length, int128 *out)
{
    uint8_t sign = length && bytes[0] & 0x80 ? 0xff : 0;
    for (; length > 16; bytes++, length--)
        if (*bytes != sign || ((bytes[1] ^ sign) & 0x80))
            return false;
    uint128 number = sign ? ~(uint128)0 : 0;
    for (uint32_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    *out = (int128)number;
    return true;
}

/* False: the value does not fit the type. */
DEVICE bool byte_sink_store(const byte_sink *sink, uint64_t i, const uint8_t *bytes, uint32_t length)
{
    if (sink->conversion == PQ_CONVERT_NONE) {
        ((kernel_view *)sink->out)[i] = kernel_view_make((const char *)bytes, length);
        return true;
    }
    if (sink->conversion == PQ_CONVERT_HALF) {
        ((float *)sink->out)[i] = half_to_float((uint16_t)load_bytes(bytes, 2));
        return true;
    }
    if (sink->conversion >= PQ_CONVERT_WIDE) {
        ((double *)sink->out)[i] =
            wide_decimal_double(bytes, length, sink->conversion - PQ_CONVERT_WIDE);
        return true;
    }
    if (sink->conversion == PQ_CONVERT_INTERVAL) {
        if (length != 12)
            return false;
        interval_value *out = (interval_value *)sink->out + i;
        out->months = (int32_t)load_bytes(bytes, 4);
        out->days = (int32_t)load_bytes(bytes + 4, 4);
        out->microseconds = (int64_t)(uint32_t)load_bytes(bytes + 8, 4) * 1000;
        return true;
    }
    int128 number = 0;
    bool is_right = read_big_endian(bytes, length, &number);
    if (sink->conversion == PQ_CONVERT_UUID)
        ((int128 *)sink->out)[i] = (int128)((uint128)number ^ UUID_SIGN);
    else if (sink->width == 16)
        ((int128 *)sink->out)[i] = number;
    else
        ((int64_t *)sink->out)[i] = (int64_t)number;
    return is_right && (sink->width == 16 || number == (int64_t)number);
}

/* The page that piece `number` of the launch is of; first: how many pieces the pages before one have. */
DEVICE const parquet_page *page_of_piece(const parquet_page *pages, uint32_t page_count,
                                         uint32_t parquet_page::*first, uint32_t number)
{
    uint32_t low = 0, high = page_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pages[middle].*first <= number)
            low = middle;
        else
            high = middle;
    }
    return &pages[low];
}

#endif
