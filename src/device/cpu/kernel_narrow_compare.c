/* kernel_narrow_compare.c - conditions on values of 1, 2 and 4 bytes, a block at a time: whether all of a block's values
 * pass, or none does, its least and its greatest value may say. */
#include "device/cpu/kernel.h"
#include "device/cpu/kernel_pack.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

#define BLOCK_WORDS (DEV_NARROW_BLOCK / 64)

/* ---- bounds ---- */

#define BOUNDS_OF(type)                                                                            \
    static void bounds_##type(const type *values, size_t count, type *out)                         \
    {                                                                                              \
        for (size_t first = 0; first < count; first += DEV_NARROW_BLOCK) {                         \
            size_t left = count - first < DEV_NARROW_BLOCK ? count - first : DEV_NARROW_BLOCK;     \
            type least = values[first], greatest = values[first];                                  \
            for (size_t i = first; i < first + left; i++) {                                        \
                least = values[i] < least ? values[i] : least;                                     \
                greatest = values[i] > greatest ? values[i] : greatest;                            \
            }                                                                                      \
            *out++ = least;                                                                        \
            *out++ = greatest;                                                                     \
        }                                                                                          \
    }
BOUNDS_OF(uint8_t)
BOUNDS_OF(uint16_t)
BOUNDS_OF(uint32_t)
#undef BOUNDS_OF

void ISA_(narrow_bounds)(const narrow_bounds_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        bounds_uint8_t(a->values, count, a->out);
    else if (a->width == 2)
        bounds_uint16_t(a->values, count, a->out);
    else
        bounds_uint32_t(a->values, count, a->out);
}

/* ---- between ---- */

/* One unsigned comparison: value - low <= high - low. */
#define BETWEEN_ROWS(type)                                                                         \
    static void between_rows_##type(const type *values, size_t count, type low, type high,         \
                                    uint64_t *out)                                                 \
    {                                                                                              \
        type span = (type)(high - low);                                                            \
        KERNEL_PACK_ROWS(count, 0, out, (type)(values[i] - low) <= span)                           \
    }
BETWEEN_ROWS(uint8_t)
BETWEEN_ROWS(uint16_t)
BETWEEN_ROWS(uint32_t)
#undef BETWEEN_ROWS

#if defined __AVX512BW__
#define BETWEEN(type, lanes, set1, sub, less_equal)                                                \
    static void between_##type(const type *values, size_t count, type low, type high,              \
                               uint64_t *out)                                                      \
    {                                                                                              \
        __m512i least = set1(low), span = set1((type)(high - low));                                \
        size_t words = count / 64;                                                                 \
        for (size_t w = 0; w < words; w++) {                                                       \
            uint64_t word = 0;                                                                     \
            for (int part = 0; part < 64 / lanes; part++) {                                        \
                __m512i x = _mm512_loadu_si512(values + w * 64 + part * lanes);                    \
                word |= (uint64_t)less_equal(sub(x, least), span) << (part * lanes);               \
            }                                                                                      \
            out[w] = word;                                                                         \
        }                                                                                          \
        if (count % 64)                                                                            \
            between_rows_##type(values + words * 64, count % 64, low, high, out + words);          \
    }
#define SET1_8(x) _mm512_set1_epi8((char)(x))
#define SET1_16(x) _mm512_set1_epi16((short)(x))
#define SET1_32(x) _mm512_set1_epi32((int)(x))
BETWEEN(uint8_t, 64, SET1_8, _mm512_sub_epi8, _mm512_cmple_epu8_mask)
BETWEEN(uint16_t, 32, SET1_16, _mm512_sub_epi16, _mm512_cmple_epu16_mask)
BETWEEN(uint32_t, 16, SET1_32, _mm512_sub_epi32, _mm512_cmple_epu32_mask)
#else
#define between_uint8_t between_rows_uint8_t
#define between_uint16_t between_rows_uint16_t
#define between_uint32_t between_rows_uint32_t
#endif

static void fill_words(uint64_t *words, size_t count, bool bit)
{
    for (size_t w = 0; w * 64 < count; w++)
        words[w] = bit ? kernel_word_mask(count, w) : 0;
}

/* Writes a block's bits, or adds them to those that are there. */
static void give_words(const narrow_between_arguments *a, const uint64_t *words, size_t count,
                       uint64_t *out)
{
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = a->is_outside ? ~words[w] & kernel_word_mask(count, w) : words[w];
        out[w] = a->adds ? out[w] | word : word;
    }
}

#define BETWEEN_BLOCKS(type)                                                                       \
    static void blocks_##type(const narrow_between_arguments *a, size_t count)                     \
    {                                                                                              \
        const type *values = a->values, *bounds = a->bounds;                                       \
        type low = (type)a->low, high = (type)a->high;                                             \
        for (size_t first = 0; first < count; first += DEV_NARROW_BLOCK) {                         \
            size_t left = count - first < DEV_NARROW_BLOCK ? count - first : DEV_NARROW_BLOCK;     \
            const type *range = bounds ? bounds + first / DEV_NARROW_BLOCK * 2 : NULL;             \
            uint64_t words[BLOCK_WORDS];                                                           \
            if (range && (range[0] > high || range[1] < low))                                      \
                fill_words(words, left, false);                                                    \
            else if (range && range[0] >= low && range[1] <= high)                                 \
                fill_words(words, left, true);                                                     \
            else                                                                                   \
                between_##type(values + first, left, low, high, words);                            \
            give_words(a, words, left, a->out + first / 64);                                       \
        }                                                                                          \
    }
BETWEEN_BLOCKS(uint8_t)
BETWEEN_BLOCKS(uint16_t)
BETWEEN_BLOCKS(uint32_t)
#undef BETWEEN_BLOCKS

void ISA_(narrow_between)(const narrow_between_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        blocks_uint8_t(a, count);
    else if (a->width == 2)
        blocks_uint16_t(a, count);
    else
        blocks_uint32_t(a, count);
}

/* ---- in a set ---- */

#define IN_ROWS(type)                                                                              \
    static void in_rows_##type(const type *values, size_t count, const uint64_t *set,              \
                               uint64_t rows, uint64_t *out)                                       \
    {                                                                                              \
        KERNEL_PACK_ROWS(count, 0, out,                                                            \
                         values[i] < rows && kernel_bit(set, values[i] < rows ? values[i] : 0))    \
    }
IN_ROWS(uint8_t)
IN_ROWS(uint16_t)
IN_ROWS(uint32_t)
#undef IN_ROWS

#if defined __AVX512BW__
/* A set of 256 bits as bytes: the byte that value / 8 numbers is found among the first or the last 16, its bit by another
 * table. */
static void in_bytes(const uint8_t *values, size_t words, const uint64_t set[4], uint64_t *out)
{
    __m512i lower = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i_u *)set));
    __m512i upper = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i_u *)(set + 2)));
    __m512i bits = _mm512_set1_epi64((long long)0x8040201008040201);
    for (size_t w = 0; w < words; w++) {
        __m512i x = _mm512_loadu_si512(values + w * 64);
        __m512i number = _mm512_and_si512(_mm512_srli_epi16(x, 3), _mm512_set1_epi8(0x0f));
        __m512i byte = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(lower, number),
                                                _mm512_movepi8_mask(x), upper, number);
        __m512i bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(x, _mm512_set1_epi8(7)));
        out[w] = _mm512_test_epi8_mask(byte, bit);
    }
}
#elif defined __AVX2__
static inline uint32_t in_bytes_half(const uint8_t *values, __m256i lower, __m256i upper)
{
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i x = _mm256_loadu_si256((const __m256i_u *)values);
    __m256i number = _mm256_and_si256(_mm256_srli_epi16(x, 3), _mm256_set1_epi8(0x0f));
    __m256i byte = _mm256_blendv_epi8(_mm256_shuffle_epi8(lower, number),
                                      _mm256_shuffle_epi8(upper, number), x);
    __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(x, _mm256_set1_epi8(7)));
    __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(none);
}

/* Looks up 32 values at a time. */
static void in_bytes(const uint8_t *values, size_t words, const uint64_t set[4], uint64_t *out)
{
    __m256i lower = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)set));
    __m256i upper = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)(set + 2)));
    for (size_t w = 0; w < words; w++)
        out[w] = in_bytes_half(values + w * 64, lower, upper) |
                 (uint64_t)in_bytes_half(values + w * 64 + 32, lower, upper) << 32;
}
#endif

static void in_byte_rows(const narrow_in_arguments *a, size_t count)
{
    const uint8_t *values = a->values;
    size_t done = 0;
#if defined __AVX2__
    uint64_t set[4] = {0};
    for (size_t w = 0; w * 64 < a->set_rows && w < 4; w++)
        set[w] = a->set[w] & kernel_word_mask(a->set_rows, w);
    done = count / 64 * 64;
    in_bytes(values, count / 64, set, a->out);
#endif
    in_rows_uint8_t(values + done, count - done, a->set, a->set_rows, a->out + done / 64);
}

void ISA_(narrow_in)(const narrow_in_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        in_byte_rows(a, count);
    else if (a->width == 2)
        in_rows_uint16_t(a->values, count, a->set, a->set_rows, a->out);
    else
        in_rows_uint32_t(a->values, count, a->set, a->set_rows, a->out);
}
