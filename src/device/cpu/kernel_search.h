/* kernel_search.h - finding a short text in a longer one.
 *
 * The first and the last byte of the needle are compared at 32 or 64 positions at once; only where
 * both agree is the rest looked at (W. Mula, "SIMD-friendly algorithms for substring searching").
 * Reads up to 63 bytes past the text, which device memory allows. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_SEARCH_H
#define PISTACHIO_DEVICE_CPU_KERNEL_SEARCH_H

#include "device/cpu/kernel.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

#define KERNEL_NOT_FOUND SIZE_MAX

#if defined __AVX512BW__
#define KERNEL_SEARCH_LANES 64
static inline uint64_t kernel_search_mask(const char *at, size_t needle_bytes, char first,
                                          char last)
{
    __m512i begins = _mm512_loadu_si512(at);
    __m512i ends = _mm512_loadu_si512(at + needle_bytes - 1);
    return _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(begins, _mm512_set1_epi8(first)),
                                       ends, _mm512_set1_epi8(last));
}
#elif defined __AVX2__
#define KERNEL_SEARCH_LANES 32
static inline uint64_t kernel_search_mask(const char *at, size_t needle_bytes, char first,
                                          char last)
{
    __m256i begins = _mm256_loadu_si256((const __m256i *)at);
    __m256i ends = _mm256_loadu_si256((const __m256i *)(at + needle_bytes - 1));
    __m256i both = _mm256_and_si256(_mm256_cmpeq_epi8(begins, _mm256_set1_epi8(first)),
                                    _mm256_cmpeq_epi8(ends, _mm256_set1_epi8(last)));
    return (uint32_t)_mm256_movemask_epi8(both);
}
#endif

/* Where `needle` begins in `text` first. */
static inline size_t kernel_search(const char *text, size_t bytes, const char *needle,
                                   size_t needle_bytes)
{
    if (!needle_bytes)
        return 0;
    if (needle_bytes > bytes)
        return KERNEL_NOT_FOUND;
#if defined KERNEL_SEARCH_LANES
    size_t positions = bytes - needle_bytes + 1;
    char first = needle[0], last = needle[needle_bytes - 1];
    for (size_t at = 0; at < positions; at += KERNEL_SEARCH_LANES) {
        uint64_t mask = kernel_search_mask(text + at, needle_bytes, first, last);
        if (positions - at < KERNEL_SEARCH_LANES)
            mask &= ((uint64_t)1 << (positions - at)) - 1;
        for (; mask; mask &= mask - 1) {
            size_t found = at + (size_t)__builtin_ctzll(mask);
            if (needle_bytes <= 2 || !memcmp(text + found + 1, needle + 1, needle_bytes - 2))
                return found;
        }
    }
    return KERNEL_NOT_FOUND;
#else
    const char *found = memmem(text, bytes, needle, needle_bytes);
    return found ? (size_t)(found - text) : KERNEL_NOT_FOUND;
#endif
}

#endif
