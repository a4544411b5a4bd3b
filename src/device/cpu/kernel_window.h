/* kernel_window.h - a short table that lies in two registers, looked up there. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_WINDOW_H
#define PISTACHIO_DEVICE_CPU_KERNEL_WINDOW_H

#include "device/cpu/kernel.h"

#if defined __AVX512F__
#include <immintrin.h>

typedef struct window {
    __m512i low, high;
} window;

/* `count` numbers (1 to 32 of 4 bytes, 1 to 16 of 8), and no byte behind them. */
static inline window load_window_4(const uint32_t *base, uint64_t count)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << count) - 1);
    return (window){_mm512_maskz_loadu_epi32((__mmask16)mask, base),
                    _mm512_maskz_loadu_epi32((__mmask16)(mask >> 16), base + 16)};
}

static inline window load_window_8(const uint64_t *base, uint64_t count)
{
    uint32_t mask = ((uint32_t)1 << count) - 1;
    return (window){_mm512_maskz_loadu_epi64((__mmask8)mask, base),
                    _mm512_maskz_loadu_epi64((__mmask8)(mask >> 8), base + 8)};
}

/* Looks places up: only their lowest 5 bits count, or 4, so that ROW_NULL finds something of no use. */
static inline __m512i look_up_4(window w, __m512i places)
{
    return _mm512_permutex2var_epi32(w.low, places, w.high);
}

static inline __m512i look_up_8(window w, __m256i places)
{
    return _mm512_permutex2var_epi64(w.low, _mm512_cvtepu32_epi64(places), w.high);
}
#endif

#endif
