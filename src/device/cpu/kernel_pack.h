/* kernel_pack.h - from one truth value a byte to one a bit. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_PACK_H
#define PISTACHIO_DEVICE_CPU_KERNEL_PACK_H

#include "device/cpu/kernel.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

/* Bit i is bytes[i], which is 0 or 1. */
static inline uint64_t kernel_pack(const uint8_t *bytes)
{
#if defined __AVX512BW__
    __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
#elif defined __AVX2__
    __m256i low = _mm256_loadu_si256((const __m256i *)bytes);
    __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + 32));
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, 7));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 7));
    return first | (uint64_t)second << 32;
#else
    uint64_t word = 0, eight;
    for (int i = 0; i < 8; i++) {
        memcpy(&eight, bytes + i * 8, 8);
        /* Gathers the lowest bit of each byte in the topmost byte. */
        word |= (eight * 0x0102040810204080ull >> 56) << (i * 8);
    }
    return word;
#endif
}

/* For each row i < count: bit i of out is (condition), which uses i; flip inverts all. */
#define KERNEL_PACK_ROWS(count, flip, out, condition)                                              \
    for (size_t pack_word_ = 0; pack_word_ * 64 < (count); pack_word_++) {                         \
        uint8_t pack_bytes_[64] = {0};                                                             \
        size_t pack_from_ = pack_word_ * 64;                                                       \
        if ((count)-pack_from_ >= 64) {                                                            \
            for (size_t pack_row_ = 0; pack_row_ < 64; pack_row_++) {                              \
                size_t i = pack_from_ + pack_row_;                                                 \
                pack_bytes_[pack_row_] = (condition);                                              \
            }                                                                                      \
        } else {                                                                                   \
            for (size_t i = pack_from_; i < (count); i++)                                          \
                pack_bytes_[i - pack_from_] = (condition);                                         \
        }                                                                                          \
        (out)[pack_word_] =                                                                        \
            (kernel_pack(pack_bytes_) ^ (flip)) & kernel_word_mask((count), pack_word_);           \
    }

#endif
