/* kernel_aggregate_sum.c - counts and sums of integers and decimals by group. */
#include "device/cpu/kernel_aggregate.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

/* ---- few groups, by vectors ---- */

#if defined __AVX512F__

static inline __mmask16 word_part(uint64_t bits, size_t part)
{
    return (__mmask16)(bits >> (part * 16));
}

static void count_few(const aggregate_count_arguments *a, size_t count, uint64_t present)
{
    for (; present; present &= present - 1) {
        uint32_t group = (uint32_t)__builtin_ctzll(present);
        __m512i wanted = _mm512_set1_epi32((int)group);
        uint64_t total = 0;
        for (size_t w = 0; w * 64 < count; w++) {
            uint64_t bits = rows_that_count(a->validity, a->mask, count, w);
            for (size_t part = 0; part < 4 && w * 64 + part * 16 < count; part++) {
                __m512i groups = _mm512_loadu_si512(a->groups + w * 64 + part * 16);
                __mmask16 here =
                    _mm512_mask_cmpeq_epi32_mask(word_part(bits, part), groups, wanted);
                total += (uint64_t)__builtin_popcount(here);
            }
        }
        a->states[group] += total;
    }
}

/* Sixteen values, of which those in `rows` are needed, as two vectors of 64-bit numbers. */
static inline void load_numbers(const void *values, data_type type, size_t i, __mmask16 rows,
                                __m512i *low, __m512i *high)
{
    if (type.width == 4) {
        const __m256i *at = (const __m256i *)((const int32_t *)values + i);
        *low = _mm512_cvtepi32_epi64(_mm256_loadu_si256(at));
        *high = _mm512_cvtepi32_epi64(_mm256_loadu_si256(at + 1));
    } else if (type.width == 16) { /* the lower halves: the caller knows that the sums fit */
        const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const int64_t *at = (const int64_t *)values + i * 2;
        __m512i parts[4];
        for (int part = 0; part < 4; part++) {
            __mmask16 two = (__mmask16)(rows >> (part * 4));
            __mmask8 words = (__mmask8)((two & 1) * 3 | (two >> 1 & 1) * 12 | (two >> 2 & 1) * 48 |
                                        (two >> 3 & 1) * 192);
            parts[part] = _mm512_maskz_loadu_epi64(words, at + part * 8);
        }
        *low = _mm512_permutex2var_epi64(parts[0], even, parts[1]);
        *high = _mm512_permutex2var_epi64(parts[2], even, parts[3]);
    } else {
        *low = _mm512_maskz_loadu_epi64((__mmask8)rows, (const int64_t *)values + i);
        *high = _mm512_maskz_loadu_epi64((__mmask8)(rows >> 8), (const int64_t *)values + i + 8);
    }
}

static inline __attribute__((always_inline)) void sum_few(const aggregate_sum_arguments *a,
                                                          size_t count, uint64_t present,
                                                          size_t group_count, int64_t *out)
{
    __m512i sums[FEW_GROUPS], wanted[FEW_GROUPS];
    uint64_t left = present;
    for (size_t g = 0; g < group_count; g++, left &= left - 1) {
        sums[g] = _mm512_setzero_si512();
        wanted[g] = _mm512_set1_epi32(__builtin_ctzll(left));
    }
    for (size_t i = 0; i < count; i += 16) {
        __mmask16 rows =
            word_part(rows_that_count(a->validity, a->mask, count, i / 64), i / 16 % 4);
        __m512i groups = _mm512_loadu_si512(a->groups + i), low, high;
        load_numbers(a->values, a->type, i, rows, &low, &high);
#pragma GCC unroll 8
        for (size_t g = 0; g < group_count; g++) {
            __mmask16 here = _mm512_mask_cmpeq_epi32_mask(rows, groups, wanted[g]);
            sums[g] = _mm512_mask_add_epi64(sums[g], (__mmask8)here, sums[g], low);
            sums[g] = _mm512_mask_add_epi64(sums[g], (__mmask8)(here >> 8), sums[g], high);
        }
    }
    for (size_t g = 0; g < group_count; g++)
        out[g] = _mm512_reduce_add_epi64(sums[g]);
}

#endif

/* ---- counts ---- */

static void count_all(const aggregate_count_arguments *a, size_t count)
{
    uint64_t total = 0;
    for (size_t w = 0; w * 64 < count; w++)
        total += (uint64_t)__builtin_popcountll(rows_that_count(a->validity, a->mask, count, w));
    *a->states += total;
}

void ISA_(aggregate_count)(const aggregate_count_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t *states = a->states;
    if (!a->groups) {
        count_all(a, count);
        return;
    }
#if defined __AVX512F__
    if (a->present && __builtin_popcountll(*a->present) <= FEW_GROUPS) {
        count_few(a, count, *a->present);
        return;
    }
#endif
    if (a->group_count <= SMALL_GROUPS) {
        uint32_t parts[4][SMALL_GROUPS] = {0};
        FOR_ROWS(a, count, parts[i % 4][a->groups[i]]++);
        for (size_t g = 0; g < a->group_count; g++)
            states[g] += (uint64_t)parts[0][g] + parts[1][g] + parts[2][g] + parts[3][g];
        return;
    }
    bool is_large = a->group_count * sizeof *states > CACHED_STATE_BYTES;
    FOR_GROUP_ROWS(a, count, sizeof *states, is_large, states[a->groups[i]]++);
}

void ISA_(aggregate_mark)(const aggregate_mark_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        a->states[a->groups[i]] = 1;
}

/* ---- sums ---- */

#define BLOCK_ROWS 1024

static inline void aggregate_sum_add_number(const aggregate_sum_arguments *a, size_t group,
                                            int64_t number)
{
    if (a->state_width == 8)
        ((int64_t *)a->states)[group] += number;
    else
        ((int128 *)a->states)[group] += number;
}

/* Sums that fit 64 bits, for groups few enough: four partial sums each. */
#define SUM_SMALL(ctype)                                                                           \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        int64_t parts[4][SMALL_GROUPS] = {0};                                                      \
        FOR_ROWS(a, count, parts[i % 4][a->groups[i]] += (int64_t)values[i]);                      \
        for (size_t g = 0; g < a->group_count; g++)                                                \
            aggregate_sum_add_number(a, g, parts[0][g] + parts[1][g] + parts[2][g] + parts[3][g]); \
    } while (0)

/* All rows to one state; the plain loop is left to the compiler's vectors. */
#define SUM_ALL(ctype)                                                                             \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        int64_t total = 0;                                                                         \
        if (!a->validity && !a->mask)                                                              \
            for (size_t i = 0; i < count; i++)                                                     \
                total += (int64_t)values[i];                                                       \
        else                                                                                       \
            FOR_ROWS(a, count, total += (int64_t)values[i]);                                       \
        aggregate_sum_add_number(a, 0, total);                                                     \
    } while (0)

#define SUM_LARGE(ctype)                                                                           \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        const uint32_t *groups = a->groups;                                                        \
        bool is_large = a->group_count * a->state_width > CACHED_STATE_BYTES;                      \
        if (a->state_width == 8) {                                                                 \
            int64_t *states = a->states;                                                           \
            FOR_GROUP_ROWS(a, count, 8, is_large, states[groups[i]] += (int64_t)values[i]);        \
        } else {                                                                                   \
            int128 *states = a->states;                                                            \
            FOR_GROUP_ROWS(a, count, 16, is_large, states[groups[i]] += values[i]);                \
        }                                                                                          \
    } while (0)

#define SUM(ctype)                                                                                 \
    do {                                                                                           \
        if (!a->groups && a->fits)                                                                 \
            SUM_ALL(ctype);                                                                        \
        else if (!a->groups)                                                                       \
            sum_wide_of_one(a, count);                                                             \
        else if (a->fits && a->group_count <= SMALL_GROUPS)                                        \
            SUM_SMALL(ctype);                                                                      \
        else                                                                                       \
            SUM_LARGE(ctype);                                                                      \
    } while (0)

/* 64-bit values whose sum may be wider, all to one state. */
static void sum_wide_of_one(const aggregate_sum_arguments *a, size_t count)
{
    int128 total = 0;
    if (a->type.id == TYPE_UINT64) {
        const uint64_t *values = a->values;
        FOR_ROWS(a, count, total += values[i]);
    } else {
        const int64_t *values = a->values;
        FOR_ROWS(a, count, total += values[i]);
    }
    *(int128 *)a->states += total;
}

/* 128-bit values; where the sums are known to be narrow, so are the values. */
static void sum_wide(const aggregate_sum_arguments *a, size_t count)
{
    const int128 *values = a->values;
    if (a->state_width == 8) {
        int64_t *states = a->states;
        FOR_ROWS(a, count, states[a->groups ? a->groups[i] : 0] += (int64_t)values[i]);
        return;
    }
    int128 *states = a->states;
    bool has_overflow = false;
    FOR_ROWS(a, count, {
        int128 *state = &states[a->groups ? a->groups[i] : 0];
        has_overflow |= __builtin_add_overflow(*state, values[i], state);
    });
    if (has_overflow)
        kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, 0);
}

/* True: done. */
static bool sum_by_vectors(const aggregate_sum_arguments *a, size_t count)
{
#if defined __AVX512F__
    if (!a->groups || !a->present || !a->fits || a->type.width < 4 || a->type.id == TYPE_UINT32)
        return false;
    uint64_t present = *a->present;
    size_t group_count = (size_t)__builtin_popcountll(present);
    int64_t sums[FEW_GROUPS];
    if (group_count > FEW_GROUPS)
        return false;
    /* With a constant number the sums stay in registers. */
    switch (group_count) {
    case 1:
        sum_few(a, count, present, 1, sums);
        break;
    case 2:
        sum_few(a, count, present, 2, sums);
        break;
    case 3:
        sum_few(a, count, present, 3, sums);
        break;
    case 4:
        sum_few(a, count, present, 4, sums);
        break;
    case 5:
        sum_few(a, count, present, 5, sums);
        break;
    case 6:
        sum_few(a, count, present, 6, sums);
        break;
    case 7:
        sum_few(a, count, present, 7, sums);
        break;
    case 8:
        sum_few(a, count, present, 8, sums);
        break;
    }
    for (size_t g = 0; g < group_count; g++, present &= present - 1)
        aggregate_sum_add_number(a, (size_t)__builtin_ctzll(present), sums[g]);
    return true;
#else
    (void)a, (void)count;
    return false;
#endif
}

static uint64_t aggregate_sum_magnitude_of(data_type type, const void *data, size_t count)
{
    uint64_t bound = 0;
    if (type.width == 16) {
        /* Halves: where the upper one is not the lower one's sign the value is wider. */
        const int64_t *halves = data;
        uint64_t wider = 0;
        for (size_t i = 0; i < count; i++) {
            int64_t low = halves[2 * i], sign = low >> 63;
            bound |= (uint64_t)(low ^ sign);
            wider |= (uint64_t)(halves[2 * i + 1] ^ sign);
        }
        bound |= wider ? UINT64_MAX : 0;
    } else if (type.id == TYPE_UINT64) {
        const uint64_t *values = data;
        for (size_t i = 0; i < count; i++)
            bound |= values[i] | (uint64_t)((int64_t)values[i] >> 63);
    } else {
        const int64_t *values = data;
        for (size_t i = 0; i < count; i++)
            bound |= (uint64_t)(values[i] ^ values[i] >> 63);
    }
    return bound;
}

void ISA_(aggregate_magnitude)(const aggregate_magnitude_arguments *a)
{
    *a->out |= aggregate_sum_magnitude_of(a->type, a->values, kernel_count(a->count));
}

static void aggregate_sum_rows(const aggregate_sum_arguments *a, size_t count)
{
    if (sum_by_vectors(a, count))
        return;
    switch (a->type.id) {
    case TYPE_INT8:
        SUM(int8_t);
        break;
    case TYPE_UINT8:
        SUM(uint8_t);
        break;
    case TYPE_INT16:
        SUM(int16_t);
        break;
    case TYPE_UINT16:
        SUM(uint16_t);
        break;
    case TYPE_INT32:
        SUM(int32_t);
        break;
    case TYPE_UINT32:
        SUM(uint32_t);
        break;
    case TYPE_UINT64:
        SUM(uint64_t);
        break;
    default:
        if (a->type.width == 16)
            sum_wide(a, count);
        else
            SUM(int64_t);
    }
}

/* Few groups of values that may be large: whether sums fit is asked for blocks that are in the
 * first cache when they are added. */
static void sum_blocks(const aggregate_sum_arguments *a, size_t count)
{
    for (size_t start = 0; start < count; start += BLOCK_ROWS) {
        size_t rows = count - start < BLOCK_ROWS ? count - start : BLOCK_ROWS;
        aggregate_sum_arguments block = *a;
        block.values = (const char *)a->values + start * a->type.width;
        block.validity = a->validity ? a->validity + start / 64 : NULL;
        block.mask = a->mask ? a->mask + start / 64 : NULL;
        block.groups = a->groups ? a->groups + start : NULL;
        block.fits =
            aggregate_sum_magnitude_of(a->type, block.values, rows) < INT64_MAX / BLOCK_ROWS;
        aggregate_sum_rows(&block, rows);
    }
}

void ISA_(aggregate_sum)(const aggregate_sum_arguments *a)
{
    size_t count = kernel_count(a->count);
    bool is_wide = a->type.width >= 8 && a->state_width == 16;
    if (is_wide && !a->fits && (!a->groups || a->group_count <= SMALL_GROUPS))
        sum_blocks(a, count);
    else
        aggregate_sum_rows(a, count);
}

void ISA_(aggregate_widen)(const aggregate_widen_arguments *a)
{
    size_t count = kernel_count(a->count);
    int128 *out = a->out;
    for (size_t i = 0; i < count; i++)
        out[i] = a->source[i];
}
