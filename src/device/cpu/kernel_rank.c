/* kernel_rank.c - integer keys as bits of a bitmap, and the rank of a key among them. */
#include "device/cpu/kernel_keys_with.h"

#if defined __AVX512VPOPCNTDQ__
#include <immintrin.h>
#define HAS_RANK_VECTORS 1
#else
#define HAS_RANK_VECTORS 0
#endif

void ISA_(join_key_bounds)(const join_key_bounds_arguments *a)
{
    size_t count = kernel_count(a->count), valid = count;
    int64_t low = a->bounds[0], high = a->bounds[1];
    if (!a->validity) {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            int64_t key = (int64_t)keys[i];
            low = key < low ? key : low;
            high = key > high ? key : high;
        })
    } else {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            int64_t key = (int64_t)keys[i];
            if (!kernel_bit(a->validity, i)) {
                valid--;
                continue;
            }
            low = key < low ? key : low;
            high = key > high ? key : high;
        })
    }
    a->bounds[0] = low;
    a->bounds[1] = high;
    a->bounds[2] += (int64_t)valid;
}

static inline void rank_set_bits(uint64_t *bitmap, uint64_t word, uint64_t bits)
{
    if ((__atomic_load_n(&bitmap[word], __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(&bitmap[word], bits, __ATOMIC_RELAXED);
}

/* Neighbouring keys are often in the same word: it is written when another one follows. */
void ISA_(join_key_bitmap)(const join_key_bitmap_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t word = 0, bits = 0, minimum = (uint64_t)a->minimum;
    WITH_KEYS(for (size_t i = 0; i < count; i++) {
        if (!kernel_is_valid(a->validity, i))
            continue;
        uint64_t at = (uint64_t)(int64_t)keys[i] - minimum;
        if (at / 64 != word) {
            if (bits)
                rank_set_bits(a->bitmap, word, bits);
            word = at / 64;
            bits = 0;
        }
        bits |= (uint64_t)1 << (at % 64);
    })
    if (bits)
        rank_set_bits(a->bitmap, word, bits);
}

void ISA_(rank_sums)(const rank_sums_arguments *a)
{
    uint64_t total = 0;
    for (uint64_t w = 0; w < a->word_count; w++) {
        a->ranks[w] = (uint32_t)total;
        total += (uint64_t)__builtin_popcountll(a->bitmap[w]);
    }
    *a->out_total = total;
}

static inline uint32_t rank_find_rank(const rank_find_arguments *a, int64_t key)
{
    uint64_t at = (uint64_t)key - (uint64_t)a->minimum;
    if (at >= a->bits)
        return ROW_NULL;
    uint64_t word = a->bitmap[at / 64], bit = (uint64_t)1 << (at % 64);
    if (!(word & bit))
        return ROW_NULL;
    return a->ranks ? a->ranks[at / 64] + (uint32_t)__builtin_popcountll(word & (bit - 1)) : 0;
}

#if HAS_RANK_VECTORS
static inline bool has_vectors(data_type type)
{
    return type.width == 8 || type.id == TYPE_INT32 || type.id == TYPE_DATE;
}

/* Keys [i, i + 8), as 64-bit numbers. */
static inline __m512i load_keys(data_type type, const void *keys, size_t i)
{
    if (type.width == 8)
        return _mm512_loadu_si512((const int64_t *)keys + i);
    return _mm512_cvtepi32_epi64(
        _mm256_loadu_si256((const __m256i *)(const void *)((const int32_t *)keys + i)));
}

/* Which of `lanes` have their bit set. */
static inline __mmask8 test_keys(__m512i at, uint64_t bits, const uint64_t *bitmap, __m512i bit,
                                 __mmask8 lanes, __m512i *out_word)
{
    lanes = _mm512_mask_cmplt_epu64_mask(lanes, at, _mm512_set1_epi64((int64_t)bits));
    *out_word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, _mm512_srli_epi64(at, 6),
                                            bitmap, 8);
    return _mm512_mask_test_epi64_mask(lanes, *out_word, bit);
}

static inline __m512i rank_bit_of(__m512i at)
{
    return _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_and_si512(at, _mm512_set1_epi64(63)));
}

static inline size_t find_vectors(const rank_find_arguments *a, size_t count)
{
    const uint8_t *validity = (const uint8_t *)a->validity;
    __m512i none = _mm512_set1_epi64((int64_t)ROW_NULL), minimum = _mm512_set1_epi64(a->minimum);
    size_t i = 0;
    if (!has_vectors(a->type))
        return 0;
    for (; i + 8 <= count; i += 8) {
        __m512i at = _mm512_sub_epi64(load_keys(a->type, a->keys, i), minimum), word;
        __m512i bit = rank_bit_of(at), rank = _mm512_setzero_si512();
        __mmask8 found =
            test_keys(at, a->bits, a->bitmap, bit, validity ? validity[i / 8] : 0xff, &word);
        if (a->ranks) {
            __m256i before = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), found,
                                                         _mm512_srli_epi64(at, 6), a->ranks, 4);
            __m512i lower = _mm512_sub_epi64(bit, _mm512_set1_epi64(1));
            rank = _mm512_add_epi64(_mm512_cvtepu32_epi64(before),
                                    _mm512_popcnt_epi64(_mm512_and_si512(word, lower)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(a->out + i),
                            _mm512_cvtepi64_epi32(_mm512_mask_mov_epi64(none, found, rank)));
    }
    return i;
}

static inline size_t filter_vectors(const filter_bitmap_arguments *a, size_t count)
{
    __m512i minimum = _mm512_set1_epi64(a->minimum);
    uint8_t *out = (uint8_t *)a->out;
    size_t end = count / 64 * 64;
    if (!has_vectors(a->type))
        return 0;
    for (size_t i = 0; i < end; i += 8) {
        __m512i at = _mm512_sub_epi64(load_keys(a->type, a->keys, i), minimum), word;
        out[i / 8] = test_keys(at, a->bits, a->bitmap, rank_bit_of(at), 0xff, &word);
    }
    return end;
}
#endif

void ISA_(rank_find)(const rank_find_arguments *a)
{
    size_t count = kernel_count(a->count), first = 0;
#if HAS_RANK_VECTORS
    first = find_vectors(a, count);
#endif
    WITH_KEYS(for (size_t i = first; i < count; i++) a->out[i] =
                  kernel_is_valid(a->validity, i) ? rank_find_rank(a, (int64_t)keys[i]) : ROW_NULL;)
}

void ISA_(filter_bitmap)(const filter_bitmap_arguments *a)
{
    size_t count = kernel_count(a->count), first = 0;
    uint64_t minimum = (uint64_t)a->minimum;
#if HAS_RANK_VECTORS
    first = filter_vectors(a, count);
#endif
    WITH_KEYS(for (size_t w = first / 64; w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        for (size_t i = 0; i < end; i++) {
            uint64_t bit = (uint64_t)(int64_t)keys[w * 64 + i] - minimum;
            uint64_t is_inside = bit < a->bits;
            bit = is_inside ? bit : 0;
            word |= (is_inside & (a->bitmap[bit / 64] >> (bit % 64))) << i;
        }
        a->out[w] = word;
    })
    if (a->validity)
        for (size_t w = 0; w * 64 < count; w++)
            a->out[w] &= a->validity[w];
}
