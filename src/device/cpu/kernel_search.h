/* kernel_search.h - finding a short text in a longer one.
 *
 * The first, the middle and the last byte of the needle are compared at 32 or 64 positions at once;
 * only where all agree is the rest looked at (after W. Mula, "SIMD-friendly algorithms for
 * substring searching"; with two bytes, words of English pass often enough for branches to be
 * mispredicted). Reads up to 63 bytes past the text, which device memory allows. If many positions pass and long
 * needles are compared in vain, the rest is searched in linear time. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_SEARCH_H
#define PISTACHIO_DEVICE_CPU_KERNEL_SEARCH_H

#include "device/cpu/kernel.h"
#include "device/value/text_search.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

#define KERNEL_NOT_FOUND TEXT_SEARCH_NONE
/* Bytes that may be compared in vain, and how many more for each byte of text. */
#define KERNEL_SEARCH_VAIN 4096
#define KERNEL_SEARCH_VAIN_SHARE 4

#if defined __AVX512BW__
#define KERNEL_SEARCH_LANES 64
/* Which of the positions have the needle's three bytes. */
static inline uint64_t kernel_search_mask(const char *at, const char *needle, size_t middle,
                                          size_t last)
{
    uint64_t mask = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(needle[0]));
    mask = _mm512_mask_cmpeq_epi8_mask(mask, _mm512_loadu_si512(at + last),
                                       _mm512_set1_epi8(needle[last]));
    return _mm512_mask_cmpeq_epi8_mask(mask, _mm512_loadu_si512(at + middle),
                                       _mm512_set1_epi8(needle[middle]));
}
#elif defined __AVX2__
#define KERNEL_SEARCH_LANES 32
static inline __m256i kernel_search_equal(const char *at, char c)
{
    return _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)at), _mm256_set1_epi8(c));
}

static inline uint64_t kernel_search_mask(const char *at, const char *needle, size_t middle,
                                          size_t last)
{
    __m256i all = _mm256_and_si256(kernel_search_equal(at, needle[0]),
                                   kernel_search_equal(at + last, needle[last]));
    all = _mm256_and_si256(all, kernel_search_equal(at + middle, needle[middle]));
    return (uint32_t)_mm256_movemask_epi8(all);
}
#endif

/* From the position on. */
static __attribute__((noinline, unused)) size_t kernel_search_rest(const char *text, size_t bytes,
                                                                   const char *needle,
                                                                   size_t needle_bytes, size_t from)
{
    text_needle n = text_needle_of(needle, needle_bytes);
    size_t found = text_search_linear(text + from, bytes - from, &n);
    return found == TEXT_SEARCH_NONE ? KERNEL_NOT_FOUND : from + found;
}

/* Returns where `needle` begins in `text` first. */
static inline size_t kernel_search(const char *text, size_t bytes, const char *needle,
                                   size_t needle_bytes)
{
    if (!needle_bytes)
        return 0;
    if (needle_bytes > bytes)
        return KERNEL_NOT_FOUND;
#if defined KERNEL_SEARCH_LANES
    size_t positions = bytes - needle_bytes + 1;
    size_t last = needle_bytes - 1, middle = needle_bytes / 2, vain = 0;
    for (size_t at = 0; at < positions; at += KERNEL_SEARCH_LANES) {
        uint64_t mask = kernel_search_mask(text + at, needle, middle, last);
        if (positions - at < KERNEL_SEARCH_LANES)
            mask &= ((uint64_t)1 << (positions - at)) - 1;
        for (; mask; mask &= mask - 1) {
            size_t found = at + (size_t)__builtin_ctzll(mask);
            if (needle_bytes <= 3 || !memcmp(text + found + 1, needle + 1, needle_bytes - 2))
                return found;
            vain += needle_bytes;
            if (vain > KERNEL_SEARCH_VAIN + KERNEL_SEARCH_VAIN_SHARE * found)
                return kernel_search_rest(text, bytes, needle, needle_bytes, found + 1);
        }
    }
    return KERNEL_NOT_FOUND;
#else
    const char *found = memmem(text, bytes, needle, needle_bytes);
    return found ? (size_t)(found - text) : KERNEL_NOT_FOUND;
#endif
}

#endif
