/* kernel_narrow_sum.c - sums of values of 1, 2 and 4 bytes, 64 rows at a time. */
#include "device/cpu/kernel.h"

#if defined __AVX512BW__
#include <immintrin.h>

/* Words of 64 rows after which sums of 32 bits of two-byte values are put into wider ones: 2 * 2 * 65,535 a word. */
#define WORDS_OF_HALVES 8192

static uint64_t sum_words_uint8_t(const uint8_t *values, const uint64_t *validity, size_t words)
{
    __m512i sum = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w++) {
        uint64_t mask = validity ? validity[w] : UINT64_MAX;
        __m512i x = _mm512_maskz_loadu_epi8(mask, values + w * 64);
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(x, _mm512_setzero_si512()));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

/* Adds the 16-bit values of a register in pairs, as 32-bit ones. */
static __m512i add_halves(__m512i sum, __m512i x)
{
    __m512i low = _mm512_and_si512(x, _mm512_set1_epi32(0xffff));
    return _mm512_add_epi32(sum, _mm512_add_epi32(low, _mm512_srli_epi32(x, 16)));
}

/* Adds the 32-bit values of a register in pairs, as 64-bit ones. */
static __m512i add_words(__m512i sum, __m512i x)
{
    __m512i low = _mm512_and_si512(x, _mm512_set1_epi64(0xffffffff));
    return _mm512_add_epi64(sum, _mm512_add_epi64(low, _mm512_srli_epi64(x, 32)));
}

static uint64_t sum_words_uint16_t(const uint16_t *values, const uint64_t *validity, size_t words)
{
    __m512i sum = _mm512_setzero_si512();
    for (size_t first = 0; first < words; first += WORDS_OF_HALVES) {
        size_t end = words - first < WORDS_OF_HALVES ? words : first + WORDS_OF_HALVES;
        __m512i part = _mm512_setzero_si512();
        for (size_t w = first; w < end; w++) {
            uint64_t mask = validity ? validity[w] : UINT64_MAX;
            const uint16_t *at = values + w * 64;
            part = add_halves(part, _mm512_maskz_loadu_epi16((__mmask32)mask, at));
            part = add_halves(part, _mm512_maskz_loadu_epi16((__mmask32)(mask >> 32), at + 32));
        }
        sum = add_words(sum, part);
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

static uint64_t sum_words_uint32_t(const uint32_t *values, const uint64_t *validity, size_t words)
{
    __m512i sum = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w++) {
        uint64_t mask = validity ? validity[w] : UINT64_MAX;
        for (int part = 0; part < 4; part++)
            sum = add_words(sum, _mm512_maskz_loadu_epi32((__mmask16)(mask >> part * 16),
                                                          values + w * 64 + part * 16));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}
#define WHOLE_WORDS(count, validity) ((count) / 64)
#elif defined __AVX2__
#include <immintrin.h>

/* Words of 64 rows after which 32-bit sums of two-byte values go into wider ones: 8 * 65,535 a word. NULLs are left to the loop
 * of rows. */
#define WORDS_OF_HALVES 8192

static uint64_t add_narrow_lanes(__m256i sum)
{
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i_u *)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static __m256i load(const void *values)
{
    return _mm256_loadu_si256(values);
}

static uint64_t sum_words_uint8_t(const uint8_t *values, const uint64_t *validity, size_t words)
{
    __m256i zero = _mm256_setzero_si256(), sums[2] = {zero, zero};
    (void)validity;
    for (size_t w = 0; w < words; w++)
        for (int part = 0; part < 2; part++)
            sums[part] = _mm256_add_epi64(sums[part],
                                          _mm256_sad_epu8(load(values + w * 64 + part * 32), zero));
    return add_narrow_lanes(_mm256_add_epi64(sums[0], sums[1]));
}

static __m256i add_halves(__m256i sum, __m256i x)
{
    __m256i low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
    return _mm256_add_epi32(sum, _mm256_add_epi32(low, _mm256_srli_epi32(x, 16)));
}

static __m256i add_words(__m256i sum, __m256i x)
{
    __m256i low = _mm256_and_si256(x, _mm256_set1_epi64x(0xffffffff));
    return _mm256_add_epi64(sum, _mm256_add_epi64(low, _mm256_srli_epi64(x, 32)));
}

static uint64_t sum_words_uint16_t(const uint16_t *values, const uint64_t *validity, size_t words)
{
    __m256i sum = _mm256_setzero_si256();
    (void)validity;
    for (size_t first = 0; first < words; first += WORDS_OF_HALVES) {
        size_t end = words - first < WORDS_OF_HALVES ? words : first + WORDS_OF_HALVES;
        __m256i part = _mm256_setzero_si256();
        for (const uint16_t *at = values + first * 64; at < values + end * 64; at += 16)
            part = add_halves(part, load(at));
        sum = add_words(sum, part);
    }
    return add_narrow_lanes(sum);
}

static uint64_t sum_words_uint32_t(const uint32_t *values, const uint64_t *validity, size_t words)
{
    __m256i sum = _mm256_setzero_si256();
    (void)validity;
    for (const uint32_t *at = values; at < values + words * 64; at += 8)
        sum = add_words(sum, load(at));
    return add_narrow_lanes(sum);
}
#define WHOLE_WORDS(count, validity) ((validity) ? 0 : (count) / 64)
#else
#define WHOLE_WORDS(count, validity) ((size_t)0)
#define sum_words_uint8_t(values, validity, words) ((uint64_t)(words))
#define sum_words_uint16_t(values, validity, words) ((uint64_t)(words))
#define sum_words_uint32_t(values, validity, words) ((uint64_t)(words))
#endif

#define SUM_OF(type)                                                                               \
    static uint64_t sum_##type(const type *values, const uint64_t *validity, size_t count)         \
    {                                                                                              \
        size_t whole = WHOLE_WORDS(count, validity), done = whole * 64;                            \
        uint64_t sum = sum_words_##type(values, validity, whole);                                  \
        if (!validity)                                                                             \
            for (size_t i = done; i < count; i++)                                                  \
                sum += values[i];                                                                  \
        else                                                                                       \
            for (size_t i = done; i < count; i++)                                                  \
                sum += kernel_bit(validity, i) ? values[i] : 0;                                    \
        return sum;                                                                                \
    }
SUM_OF(uint8_t)
SUM_OF(uint16_t)
SUM_OF(uint32_t)
#undef SUM_OF

static uint64_t count_narrow_valid(const uint64_t *validity, size_t count)
{
    uint64_t valid = 0;
    for (size_t w = 0; w * 64 < count; w++)
        valid += (uint64_t)__builtin_popcountll(validity[w] & kernel_word_mask(count, w));
    return valid;
}

void ISA_(narrow_sum)(const narrow_sum_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t sum = a->width == 1   ? sum_uint8_t(a->values, a->validity, count)
                   : a->width == 2 ? sum_uint16_t(a->values, a->validity, count)
                                   : sum_uint32_t(a->values, a->validity, count);
    uint64_t valid = a->validity ? count_narrow_valid(a->validity, count) : count;
    int128 origin = (int128)((uint128)a->origin_high << 64 | a->origin_low);
    *a->sum += origin * (int128)valid + sum;
}
