/* checksum.c - CRC-32 by carry-less multiplication where the machine has it, else by zlib.
 *
 * A message is a polynomial over bits, its checksum the rest of a division. 16 bytes that are
 * followed by n more may be replaced, without a change of the rest, by their two halves multiplied
 * with x^(8n) modulo the divisor, added to those 16 bytes: the message is folded onto its last 16
 * bytes, four strands at a time, and only their rest is computed in the common way. After "Fast CRC
 * Computation for Generic Polynomials Using PCLMULQDQ" (Gopal and others, Intel, 2009). */
#include "codec/checksum.h"

#include <zlib.h>

static uint32_t by_tables(uint32_t before, const uint8_t *data, size_t bytes)
{
    return (uint32_t)crc32_z(before, data, bytes);
}

#if defined __x86_64__
#include <immintrin.h>

#define STRANDS 4
#define STRAND_BYTES 16
#define FOLDED_MIN ((size_t)STRANDS * STRAND_BYTES)
#define WITH_MULTIPLY __attribute__((target("pclmul,sse4.1")))

/* The word multiplied with the distance, plus what is there. */
WITH_MULTIPLY static inline __m128i checksum_fold(__m128i word, __m128i distance, __m128i there)
{
    __m128i low = _mm_clmulepi64_si128(word, distance, 0x00);
    __m128i high = _mm_clmulepi64_si128(word, distance, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

WITH_MULTIPLY static inline __m128i checksum_load(const uint8_t *data)
{
    return _mm_loadu_si128((const __m128i *)data);
}

/* x^(n+32) and x^(n-32) modulo the divisor, reflected, for n bits. */
#define BY_256_BYTES 0x1322d1430, 0x11542778a
#define BY_64_BYTES 0x1c6e41596, 0x154442bd4
#define BY_16_BYTES 0x0ccaa009e, 0x1751997d0

/* Folds the rest onto the four strands, which go before it, and all onto the last bytes. */
WITH_MULTIPLY static uint32_t checksum_finish(__m128i *strands, const uint8_t *data, size_t bytes)
{
    const __m128i by_64 = _mm_set_epi64x(BY_64_BYTES), by_16 = _mm_set_epi64x(BY_16_BYTES);
    for (; bytes >= FOLDED_MIN; data += FOLDED_MIN, bytes -= FOLDED_MIN)
        for (int i = 0; i < STRANDS; i++)
            strands[i] =
                checksum_fold(strands[i], by_64, checksum_load(data + (ptrdiff_t)i * STRAND_BYTES));
    __m128i all = strands[0];
    for (int i = 1; i < STRANDS; i++)
        all = checksum_fold(all, by_16, strands[i]);
    for (; bytes >= STRAND_BYTES; data += STRAND_BYTES, bytes -= STRAND_BYTES)
        all = checksum_fold(all, by_16, checksum_load(data));
    uint8_t last[STRAND_BYTES];
    _mm_storeu_si128((__m128i *)last, all);
    /* The bytes before are folded in: ~0 is a rest of 0. */
    return by_tables(by_tables(UINT32_MAX, last, sizeof last), data, bytes);
}

/* bytes: at least FOLDED_MIN. */
WITH_MULTIPLY static uint32_t by_folding(uint32_t before, const uint8_t *data, size_t bytes)
{
    __m128i strands[STRANDS];
    for (int i = 0; i < STRANDS; i++)
        strands[i] = checksum_load(data + (ptrdiff_t)i * STRAND_BYTES);
    strands[0] = _mm_xor_si128(strands[0], _mm_cvtsi32_si128((int)~before));
    return checksum_finish(strands, data + FOLDED_MIN, bytes - FOLDED_MIN);
}

/* Strands four times as wide. bytes: at least WIDE_MIN. */
#define WIDE_BYTES 64
#define WIDE_MIN ((size_t)STRANDS * WIDE_BYTES)
#define WITH_WIDE_MULTIPLY __attribute__((target("avx512f,vpclmulqdq,pclmul,sse4.1")))

WITH_WIDE_MULTIPLY static inline __m512i fold_wide(__m512i word, __m512i distance, __m512i there)
{
    __m512i low = _mm512_clmulepi64_epi128(word, distance, 0x00);
    __m512i high = _mm512_clmulepi64_epi128(word, distance, 0x11);
    return _mm512_ternarylogic_epi64(low, high, there, 0x96);
}

WITH_WIDE_MULTIPLY static uint32_t by_wide_folding(uint32_t before, const uint8_t *data,
                                                   size_t bytes)
{
    const __m512i by_256 = _mm512_broadcast_i32x4(_mm_set_epi64x(BY_256_BYTES));
    const __m512i by_64 = _mm512_broadcast_i32x4(_mm_set_epi64x(BY_64_BYTES));
    __m512i strands[STRANDS];
    __m128i parts[STRANDS];
    for (int i = 0; i < STRANDS; i++)
        strands[i] = _mm512_loadu_si512(data + (ptrdiff_t)i * WIDE_BYTES);
    strands[0] =
        _mm512_xor_si512(strands[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~before)));
    for (data += WIDE_MIN, bytes -= WIDE_MIN; bytes >= WIDE_MIN;
         data += WIDE_MIN, bytes -= WIDE_MIN)
        for (int i = 0; i < STRANDS; i++)
            strands[i] =
                fold_wide(strands[i], by_256, _mm512_loadu_si512(data + (ptrdiff_t)i * WIDE_BYTES));
    __m512i all = strands[0];
    for (int i = 1; i < STRANDS; i++)
        all = fold_wide(all, by_64, strands[i]);
    _mm512_storeu_si512(parts, all);
    return checksum_finish(parts, data, bytes);
}

uint32_t codec_checksum(cpu_isa isa, uint32_t before, const void *data, size_t bytes)
{
    if (bytes >= WIDE_MIN && cpu_may_multiply_wide(isa)) {
        cpu_note_use(CPU_ISA_AVX512);
        return by_wide_folding(before, data, bytes);
    }
    if (bytes >= FOLDED_MIN && cpu_may_multiply(isa)) {
        cpu_note_use(CPU_ISA_AVX2);
        return by_folding(before, data, bytes);
    }
    return by_tables(before, data, bytes);
}
#else
uint32_t codec_checksum(cpu_isa isa, uint32_t before, const void *data, size_t bytes)
{
    (void)isa;
    return by_tables(before, data, bytes);
}
#endif
