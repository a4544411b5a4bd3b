/* kernel_gather.c - values, bits and row numbers at row numbers.
 *
 * With AVX-512 a base that fits in a few registers (a short dictionary, and which of its entries a
 * condition takes) is looked up there, and row numbers that lie close to each other, as those of a
 * filter that most rows pass, are one permuted load. For the rest plain loads are faster than
 * gather instructions (Zen 5, 8 bytes: 0.28 and 0.47 ns). */
#include "device/cpu/kernel_window.h"

#define BLOCK_ROWS 65536 /* more than a chunk of the CPU has */

#if defined __AVX512F__
/* ---- row numbers ---- */

/* For 16 rows, none of them ROW_NULL. */
static inline void gather_4(const uint32_t *base, const uint32_t *index, uint32_t *out)
{
    uint32_t span = index[15] - index[0];
    if (span < 32) {
        __m512i first = _mm512_set1_epi32((int)index[0]);
        __m512i places = _mm512_sub_epi32(_mm512_loadu_si512(index), first);
        if (_mm512_cmple_epu32_mask(places, _mm512_set1_epi32((int)span)) == UINT16_MAX) {
            window w = load_window_4(base + index[0], span + 1);
            _mm512_storeu_si512(out, look_up_4(w, places));
            return;
        }
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++)
        out[i] = base[index[i]];
}

/* For 8 rows. */
static inline void gather_8(const uint64_t *base, const uint32_t *index, uint64_t *out)
{
    uint32_t span = index[7] - index[0];
    if (span < 16) {
        __m256i first = _mm256_set1_epi32((int)index[0]);
        __m256i places = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)index), first);
        if (_mm256_cmple_epu32_mask(places, _mm256_set1_epi32((int)span)) == UINT8_MAX) {
            window w = load_window_8(base + index[0], span + 1);
            _mm512_storeu_si512(out, look_up_8(w, places));
            return;
        }
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        out[i] = base[index[i]];
}
#endif

/* ---- values ---- */

/* From the first row that vectors did not take. */
#define GATHER(type, first)                                                                        \
    do {                                                                                           \
        const type *base = a->base;                                                                \
        type *out = a->out;                                                                        \
        if (!a->index_has_nulls) {                                                                 \
            for (size_t i = (first); i < count; i++)                                               \
                out[i] = base[index[i]];                                                           \
        } else {                                                                                   \
            for (size_t i = (first); i < count; i++)                                               \
                out[i] = index[i] == ROW_NULL ? (type){0} : base[index[i]];                        \
        }                                                                                          \
    } while (0)

#if defined __AVX512F__
/* Values of 8 bytes from `windows` (1 or 4) windows that hold all of the base; returns how many. */
static inline __attribute__((always_inline)) size_t
gather_short_8(const uint64_t *base, size_t base_rows, unsigned windows, const uint32_t *index,
               size_t count, uint64_t *out)
{
    window w[4];
    size_t i = 0, left = base_rows;
    for (unsigned k = 0; k < windows; k++) {
        size_t here = left < 16 ? left : 16;
        w[k] = load_window_8(base + k * 16, here);
        left -= here;
    }
    for (; i + 8 <= count; i += 8) {
        __m256i places = _mm256_loadu_si256((const __m256i *)(index + i));
        __m512i found = look_up_8(w[0], places);
        if (windows > 1) {
            __mmask8 odd = _mm256_test_epi32_mask(places, _mm256_set1_epi32(16));
            __mmask8 upper = _mm256_test_epi32_mask(places, _mm256_set1_epi32(32));
            found = _mm512_mask_blend_epi64(odd, found, look_up_8(w[1], places));
            __m512i others =
                _mm512_mask_blend_epi64(odd, look_up_8(w[2], places), look_up_8(w[3], places));
            found = _mm512_mask_blend_epi64(upper, found, others);
        }
        _mm512_storeu_si512(out + i, found);
    }
    return i;
}
#endif

/* How many values of 4 or 8 bytes were gathered by vectors. */
static size_t gather_vectors(const gather_arguments *a, size_t count)
{
    size_t i = 0;
#if defined __AVX512F__
    const uint32_t *index = a->index;
    if (a->index_has_nulls)
        return 0;
    if (a->width == 4) {
        const uint32_t *base = a->base;
        uint32_t *out = a->out;
        bool is_short = a->base_rows && a->base_rows <= 32;
        window w = load_window_4(base, is_short ? a->base_rows : 0);
        for (; is_short && i + 16 <= count; i += 16)
            _mm512_storeu_si512(out + i, look_up_4(w, _mm512_loadu_si512(index + i)));
        for (; i + 16 <= count; i += 16)
            gather_4(base, index + i, out + i);
    } else {
        const uint64_t *base = a->base;
        uint64_t *out = a->out;
        if (a->base_rows && a->base_rows <= 16)
            i = gather_short_8(base, a->base_rows, 1, index, count, out);
        else if (a->base_rows && a->base_rows <= 64)
            i = gather_short_8(base, a->base_rows, 4, index, count, out);
        for (; i + 8 <= count; i += 8)
            gather_8(base, index + i, out + i);
    }
#else
    (void)a;
    (void)count;
#endif
    return i;
}

/* ---- bits ---- */

#if defined __AVX512F__
/* Bit number rows % 32 of each word, where the row is not ROW_NULL. */
static inline __mmask16 gather_bits_of(__m512i words, __m512i rows)
{
    __m512i bits = _mm512_srlv_epi32(words, _mm512_and_si512(rows, _mm512_set1_epi32(31)));
    __mmask16 known = _mm512_cmpneq_epi32_mask(rows, _mm512_set1_epi32(-1));
    return _mm512_mask_test_epi32_mask(known, bits, _mm512_set1_epi32(1));
}

/* Bits of the base at 64 row numbers: 16 words of 32 bits at a time. */
static inline uint64_t gather_word(const uint64_t *base, const uint32_t *index)
{
    uint64_t word = 0;
    for (int part = 0; part < 4; part++) {
        __m512i rows = _mm512_loadu_si512(index + part * 16);
        __mmask16 known = _mm512_cmpneq_epi32_mask(rows, _mm512_set1_epi32(-1));
        __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), known,
                                                    _mm512_srli_epi32(rows, 5), base, 4);
        word |= (uint64_t)gather_bits_of(words, rows) << (part * 16);
    }
    return word;
}

/* Gathers from `windows` (1, 2 or 4) windows that hold all of the base. */
static inline __attribute__((always_inline)) void
gather_short_bits(const uint64_t *base, size_t base_rows, unsigned windows, const uint32_t *index,
                  size_t words, uint64_t *out)
{
    window w[4];
    size_t left = (base_rows + 31) / 32;
    for (unsigned k = 0; k < windows; k++) {
        size_t here = left < 32 ? left : 32;
        w[k] = load_window_4((const uint32_t *)base + k * 32, here);
        left -= here;
    }
    for (size_t i = 0; i < words * 4; i++) {
        __m512i rows = _mm512_loadu_si512(index + i * 16), places = _mm512_srli_epi32(rows, 5);
        __mmask16 odd = _mm512_test_epi32_mask(places, _mm512_set1_epi32(32));
        __m512i found = look_up_4(w[0], places);
        if (windows > 1)
            found = _mm512_mask_blend_epi32(odd, found, look_up_4(w[1], places));
        if (windows > 2) {
            __mmask16 upper = _mm512_test_epi32_mask(places, _mm512_set1_epi32(64));
            __m512i others =
                _mm512_mask_blend_epi32(odd, look_up_4(w[2], places), look_up_4(w[3], places));
            found = _mm512_mask_blend_epi32(upper, found, others);
        }
        ((uint16_t *)out)[i] = gather_bits_of(found, rows);
    }
}
#endif

/* Whole words of bits; returns how many. */
static size_t gather_whole_words(const gather_arguments *a, const uint64_t *base, uint64_t *out,
                                 size_t count)
{
    size_t words = 0;
#if defined __AVX512F__
    words = count / 64;
    if (!a->base_rows || a->base_rows > 4096)
        for (size_t w = 0; w < words; w++)
            out[w] = gather_word(base, a->index + w * 64);
    else if (a->base_rows > 2048)
        gather_short_bits(base, a->base_rows, 4, a->index, words, out);
    else if (a->base_rows > 1024)
        gather_short_bits(base, a->base_rows, 2, a->index, words, out);
    else
        gather_short_bits(base, a->base_rows, 1, a->index, words, out);
#else
    (void)a;
    (void)base;
    (void)out;
    (void)count;
#endif
    return words;
}

static void kernel_gather_bits(const gather_arguments *a, const uint64_t *base, uint64_t *out,
                               size_t count)
{
    for (size_t w = gather_whole_words(a, base, out, count); w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        const uint32_t *index = a->index + w * 64;
        if (!a->index_has_nulls) {
            for (size_t i = 0; i < end; i++)
                word |= (base[index[i] / 64] >> (index[i] % 64) & 1) << i;
        } else {
            for (size_t i = 0; i < end; i++)
                if (index[i] != ROW_NULL)
                    word |= (base[index[i] / 64] >> (index[i] % 64) & 1) << i;
        }
        out[w] = word;
    }
}

static void index_validity(const gather_arguments *a, size_t count)
{
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        for (size_t i = 0; i < end; i++)
            word |= (uint64_t)(a->index[w * 64 + i] != ROW_NULL) << i;
        a->out_validity[w] = word;
    }
}

/* Values of any other width. */
static void kernel_gather_records(const gather_arguments *a, size_t count)
{
    size_t width = a->width;
    for (size_t i = 0; i < count; i++) {
        char *out = (char *)a->out + i * width;
        if (a->index[i] == ROW_NULL)
            memset(out, 0, width);
        else
            memcpy(out, (const char *)a->base + a->index[i] * width, width);
    }
}

static void kernel_gather_rows(const gather_arguments *a, size_t count)
{
    const uint32_t *index = a->index;
    switch (a->width) {
    case 0:
        kernel_gather_bits(a, a->base, a->out, count);
        break;
    case 1:
        GATHER(uint8_t, 0);
        break;
    case 2:
        GATHER(uint16_t, 0);
        break;
    case 4:
        GATHER(uint32_t, gather_vectors(a, count));
        break;
    case 8:
        GATHER(uint64_t, gather_vectors(a, count));
        break;
    case 16: {
        typedef struct pair {
            uint64_t low, high;
        } pair;
        GATHER(pair, 0);
        break;
    }
    default:
        kernel_gather_records(a, count);
    }
    if (!a->out_validity)
        return;
    if (a->base_validity)
        kernel_gather_bits(a, a->base_validity, a->out_validity, count);
    else
        index_validity(a, count);
}

/* Sorts and windows gather all of their rows by one launch. */
void ISA_(gather)(const gather_arguments *a)
{
    size_t count = kernel_count(a->count), bits = a->width ? a->width * 8 : 1;
    for (size_t i = 0; i < count && !(i && cancel_is_asked()); i += BLOCK_ROWS) {
        gather_arguments block = *a;
        block.index += i;
        block.out = (char *)a->out + i * bits / 8;
        block.out_validity = a->out_validity ? a->out_validity + i / 64 : NULL;
        kernel_gather_rows(&block, count - i < BLOCK_ROWS ? count - i : BLOCK_ROWS);
    }
}

void ISA_(gather_index)(const gather_index_arguments *a)
{
    size_t count = kernel_count(a->count), i = 0;
#if defined __AVX512F__
    for (; i + 16 <= count; i += 16) {
        __m512i rows = _mm512_loadu_si512(a->second + i);
        if (_mm512_cmpeq_epi32_mask(rows, _mm512_set1_epi32(-1)))
            for (size_t k = i; k < i + 16; k++)
                a->out[k] = a->second[k] == ROW_NULL ? ROW_NULL : a->first[a->second[k]];
        else
            gather_4(a->first, a->second + i, a->out + i);
    }
#endif
    for (; i < count; i++)
        a->out[i] = a->second[i] == ROW_NULL ? ROW_NULL : a->first[a->second[i]];
}
