/* kernel_group_runs.c - group numbers of rows that come in runs of equal keys. */
#include "device/cpu/kernel_keys.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

/* ---- what a column looks like ---- */

#define STATISTICS(ctype)                                                                          \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        ctype minimum = values[0], maximum = values[0];                                            \
        uint64_t falls = 0, changes = 0;                                                           \
        for (size_t i = 1; i < count; i++) {                                                       \
            minimum = values[i] < minimum ? values[i] : minimum;                                   \
            maximum = values[i] > maximum ? values[i] : maximum;                                   \
            falls += values[i] < values[i - 1];                                                    \
            changes += values[i] != values[i - 1];                                                 \
        }                                                                                          \
        a->out[KEY_MINIMUM] = (int64_t)minimum;                                                    \
        a->out[KEY_MAXIMUM] = (int64_t)maximum;                                                    \
        a->out[KEY_IS_ASCENDING] = !falls;                                                         \
        a->out[KEY_CHANGES] = (int64_t)changes;                                                    \
        a->out[KEY_FIRST] = (int64_t)values[0];                                                    \
        a->out[KEY_LAST] = (int64_t)values[count - 1];                                             \
    } while (0)

static int64_t group_runs_number_at(const key_statistics_arguments *a, size_t i)
{
    switch (a->type.id) {
    case TYPE_BOOL:
        return kernel_bit(a->values, i);
    case TYPE_INT8:
        return ((const int8_t *)a->values)[i];
    case TYPE_UINT8:
        return ((const uint8_t *)a->values)[i];
    case TYPE_INT16:
        return ((const int16_t *)a->values)[i];
    case TYPE_UINT16:
        return ((const uint16_t *)a->values)[i];
    case TYPE_UINT32:
        return ((const uint32_t *)a->values)[i];
    case TYPE_INT32:
    case TYPE_DATE:
        return ((const int32_t *)a->values)[i];
    default:
        return ((const int64_t *)a->values)[i];
    }
}

static void statistics_of_some(const key_statistics_arguments *a, size_t count, size_t valid)
{
    int64_t minimum = INT64_MAX, maximum = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (kernel_is_valid(a->validity, i)) {
            int64_t x = group_runs_number_at(a, i);
            minimum = x < minimum ? x : minimum;
            maximum = x > maximum ? x : maximum;
        }
    a->out[KEY_MINIMUM] = valid ? minimum : 0;
    a->out[KEY_MAXIMUM] = valid ? maximum : 0;
}

void ISA_(key_statistics)(const key_statistics_arguments *a)
{
    size_t count = kernel_count(a->count), valid = count;
    memset(a->out, 0, KEY_STATISTICS * sizeof *a->out);
    if (a->validity) {
        valid = 0;
        for (size_t w = 0; w * 64 < count; w++)
            valid += (size_t)__builtin_popcountll(a->validity[w] & kernel_word_mask(count, w));
    }
    a->out[KEY_VALUES] = (int64_t)valid;
    if (!count)
        return;
    if (valid < count || a->type.id == TYPE_BOOL) {
        a->out[KEY_HAS_NULLS] = 1;
        statistics_of_some(a, count, valid);
        return;
    }
    switch (a->type.id) {
    case TYPE_INT8:
        STATISTICS(int8_t);
        break;
    case TYPE_UINT8:
        STATISTICS(uint8_t);
        break;
    case TYPE_INT16:
        STATISTICS(int16_t);
        break;
    case TYPE_UINT16:
        STATISTICS(uint16_t);
        break;
    case TYPE_UINT32:
        STATISTICS(uint32_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        STATISTICS(int32_t);
        break;
    default:
        STATISTICS(int64_t);
    }
}

/* ---- runs ---- */

static inline __attribute__((always_inline)) void group_runs_mark(const runs_mark_arguments *a,
                                                                  size_t words, size_t text_count,
                                                                  size_t interval_count)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    const uint8_t *previous = a->previous;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        size_t end = count - w * 64 < 64 ? count : w * 64 + 64;
        for (size_t i = w * 64; i < end; i++) {
            const uint8_t *row = a->rows + i * stride;
            bool differs =
                !previous || !keys_are_equal(row, previous, words, text_count, interval_count);
            bits |= (uint64_t)differs << (i % 64);
            previous = row;
        }
        a->out[w] = bits;
    }
}

#if defined __AVX512F__
/* Rows of one word: eight at a time against the eight that begin one earlier. */
static void mark_words(const runs_mark_arguments *a)
{
    size_t count = kernel_count(a->count);
    const uint64_t *rows = (const uint64_t *)a->rows;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        for (size_t part = 0; part < 8 && w * 64 + part * 8 < count; part++) {
            size_t at = w * 64 + part * 8, left = count - at;
            __mmask8 lanes = left >= 8 ? 0xff : (__mmask8)((1u << left) - 1);
            /* The row before the first is not read. */
            __mmask8 before = at ? lanes : (__mmask8)(lanes & 0xfe);
            __m512i now = _mm512_maskz_loadu_epi64(lanes, rows + at);
            __m512i last = _mm512_maskz_loadu_epi64(before, rows + at - 1);
            bits |= (uint64_t)_mm512_mask_cmpneq_epi64_mask(lanes, now, last) << (part * 8);
        }
        a->out[w] = bits;
    }
    if (count) {
        bool differs = !a->previous || row_word(a->previous, 0) != rows[0];
        a->out[0] = (a->out[0] & ~(uint64_t)1) | differs;
    }
}
#else
static void mark_words(const runs_mark_arguments *a)
{
    group_runs_mark(a, 1, 0, 0);
}
#endif

void ISA_(runs_mark)(const runs_mark_arguments *a)
{
    if (a->text_count || a->interval_count)
        group_runs_mark(a, a->stride / 8, a->text_count, a->interval_count);
    else if (a->stride == 8)
        mark_words(a);
    else if (a->stride == 16)
        group_runs_mark(a, 2, 0, 0);
    else
        group_runs_mark(a, a->stride / 8, 0, 0);
}

void ISA_(runs_number)(const runs_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint32_t number = a->first;
#if defined __AVX512F__
    /* How many bits are set up to each of sixteen. */
    const __m512i upto = _mm512_setr_epi32(0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff,
                                           0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff);
    for (size_t i = 0; i < count; i += 16) {
        uint32_t bits = (uint32_t)(a->bits[i / 64] >> (i % 64)) & 0xffff;
        __mmask16 lanes = count - i >= 16 ? 0xffff : (__mmask16)((1u << (count - i)) - 1);
        __m512i counts = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32((int)bits), upto));
        _mm512_mask_storeu_epi32(a->out + i, lanes,
                                 _mm512_add_epi32(counts, _mm512_set1_epi32((int)number)));
        number += (uint32_t)__builtin_popcount(bits);
    }
#else
    for (size_t i = 0; i < count; i++) {
        number += kernel_bit(a->bits, i);
        a->out[i] = number;
    }
#endif
}
