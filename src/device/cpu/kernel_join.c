/* kernel_join.c - build rows of key groups as lists, pairs of rows, marks. */
#include "device/cpu/kernel.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

void ISA_(join_drop_nulls)(const join_drop_nulls_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!a->validity)
        return;
    for (size_t i = 0; i < count; i++)
        if (!kernel_bit(a->validity, i))
            a->groups[i] = ROW_NULL;
}

/* How far ahead the places of rows are fetched. */
#define AHEAD 32

void ISA_(scatter_rows)(const scatter_rows_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count && a->groups[i + AHEAD] != ROW_NULL)
            __builtin_prefetch(&a->rows[a->groups[i + AHEAD]], 1);
        if (a->groups[i] != ROW_NULL)
            a->rows[a->groups[i]] = a->first_row + (uint32_t)i;
    }
}

/* Counts are kept two places further; sums make them the ends of the lists before; filling a list
 * moves its start to where it belongs. */
void ISA_(join_list_count)(const join_list_count_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL)
            __atomic_fetch_add(&a->starts[a->groups[i] + 2], 1, __ATOMIC_RELAXED);
}

void ISA_(join_list_sums)(const join_list_sums_arguments *a)
{
    uint32_t *starts = a->starts, largest = 0;
    uint64_t total = 0;
    for (uint64_t g = 0; g < a->group_count; g++) {
        uint32_t size = starts[g + 2];
        largest = size > largest ? size : largest;
        total += size;
        starts[g + 2] = (uint32_t)total;
    }
    a->stats[0] = total;
    a->stats[1] = largest;
}

/* An atomic addition waits until all stores before it have reached the cache: so places are taken
 * for many rows, whose stores then miss the cache together. */
#define FILL_BATCH 64

void ISA_(join_list_fill)(const join_list_fill_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint32_t places[FILL_BATCH], *rows = a->rows, *starts = a->starts;
    for (size_t first = 0; first < count; first += FILL_BATCH) {
        const uint32_t *groups = a->groups + first;
        size_t batch = count - first < FILL_BATCH ? count - first : FILL_BATCH;
        uint32_t row = a->first_row + (uint32_t)first;
        for (size_t i = 0; i < batch; i++)
            if (groups[i] != ROW_NULL)
                __builtin_prefetch(&starts[groups[i] + 1], 1);
        for (size_t i = 0; i < batch; i++)
            if (groups[i] != ROW_NULL)
                places[i] = __atomic_fetch_add(&starts[groups[i] + 1], 1, __ATOMIC_RELAXED);
        for (size_t i = 0; i < batch; i++)
            if (groups[i] != ROW_NULL)
                rows[places[i]] = row + (uint32_t)i;
    }
}

void ISA_(join_matched)(const join_matched_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        for (size_t i = 0; i < end; i++)
            word |= (uint64_t)(a->groups[w * 64 + i] != ROW_NULL) << i;
        a->out[w] = word;
    }
}

void ISA_(join_seen)(const join_seen_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        if (a->is_single && (a->mask[w] & a->seen[w]))
            kernel_fail(a->error, DEV_ERROR_MULTIPLE_ROWS, a->location, w * 64);
        a->seen[w] |= a->mask[w];
        a->mask[w] = a->seen[w];
    }
}

void ISA_(join_pairs_total)(const join_pairs_total_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL)
            total += a->starts[a->groups[i] + 1] - a->starts[a->groups[i]];
    *a->out_total = total;
}

void ISA_(join_pairs)(const join_pairs_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0;
    uint64_t row = a->cursor[0], done = a->cursor[1];
    for (; row < count && made < a->room; row++) {
        uint32_t group = a->groups[row];
        if (group == ROW_NULL)
            continue;
        uint32_t at = a->starts[group] + (uint32_t)done, end = a->starts[group + 1];
        for (; at < end && made < a->room; at++, made++) {
            a->out_probe[made] = (uint32_t)row;
            a->out_build[made] = a->rows[at];
        }
        done = at < end ? at - a->starts[group] : 0;
        if (done)
            break;
    }
    a->cursor[0] = row;
    a->cursor[1] = done;
    *a->out_count = made;
}

/* Pairs rows of groups whose numbers are their rows', for devices that have them. */
static void pair_rows(const join_pairs_unique_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0;
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL) {
            a->out_probe[made] = (uint32_t)i;
            a->out_build[made++] = a->groups[i];
        }
    *a->out_count = made;
}

void ISA_(join_pairs_unique)(const join_pairs_unique_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0, i = 0;
    if (!a->rows && a->out_build) {
        pair_rows(a);
        return;
    }
#if defined __AVX512F__
    __m512i none = _mm512_set1_epi32(-1);
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    /* A whole vector is stored behind what was made, which is at most i. */
    for (; i + 16 <= count; i += 16) {
        __m512i groups = _mm512_loadu_si512(a->groups + i);
        __mmask16 found = _mm512_cmpneq_epi32_mask(groups, none);
        _mm512_storeu_si512(a->out_probe + made, _mm512_maskz_compress_epi32(found, numbers));
        if (a->rows) {
            __m512i rows = _mm512_mask_i32gather_epi32(none, found, groups, a->rows, 4);
            _mm512_storeu_si512(a->out_build + made, _mm512_maskz_compress_epi32(found, rows));
        }
        made += (size_t)__builtin_popcount(found);
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
#endif
    for (; i < count; i++)
        if (a->groups[i] != ROW_NULL) {
            a->out_probe[made] = (uint32_t)i;
            if (a->rows)
                a->out_build[made] = a->rows[a->groups[i]];
            made++;
        }
    *a->out_count = made;
}

static inline void set_bit(uint64_t *bits, uint32_t at)
{
    uint64_t bit = (uint64_t)1 << (at % 64), *word = &bits[at / 64];
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

void ISA_(join_mark)(const join_mark_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (a->index[i] != ROW_NULL)
            set_bit(a->bits, a->index[i]);
}

void ISA_(join_mark_rows)(const join_mark_rows_arguments *a)
{
    for (uint64_t w = 0; w * 64 < a->group_count; w++) {
        uint64_t word = a->groups[a->first_group / 64 + w] & kernel_word_mask(a->group_count, w);
        for (; word; word &= word - 1) {
            uint64_t group = a->first_group + w * 64 + (uint64_t)__builtin_ctzll(word);
            uint64_t from = a->starts ? a->starts[group] : group;
            uint64_t end = a->starts ? a->starts[group + 1] : group + 1;
            for (uint64_t at = from; at < end; at++)
                set_bit(a->bits, a->rows ? a->rows[at] : (uint32_t)at);
        }
    }
}

void ISA_(join_check_single)(const join_check_single_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL && a->starts[a->groups[i] + 1] - a->starts[a->groups[i]] > 1)
            kernel_fail(a->error, DEV_ERROR_MULTIPLE_ROWS, a->location, i);
}

void ISA_(join_spread_nulls)(const join_spread_nulls_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++)
        for (uint64_t nulls = ~a->validity[w] & kernel_word_mask(count, w); nulls;
             nulls &= nulls - 1) {
            uint32_t row = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(nulls);
            a->hashes[row] = row * 2654435769u;
        }
}

void ISA_(invert_bits)(const invert_bits_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++)
        a->out[w] = ~a->bits[w] & kernel_word_mask(count, w);
}

void ISA_(join_copy_bits)(const join_copy_bits_arguments *a)
{
    size_t count = kernel_count(a->count);
    unsigned shift = a->target_at % 64;
    uint64_t *target = a->target + a->target_at / 64;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = (a->source ? a->source[w] : ~(uint64_t)0) & kernel_word_mask(count, w);
        if (word << shift)
            __atomic_fetch_or(target + w, word << shift, __ATOMIC_RELAXED);
        if (shift && word >> (64 - shift))
            __atomic_fetch_or(target + w + 1, word >> (64 - shift), __ATOMIC_RELAXED);
    }
}
