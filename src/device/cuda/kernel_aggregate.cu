/* kernel_aggregate.cu - states of counts, sums, extremes and bits by group; states to results.
 *
 * Rows of one group are put together first (combine.cuh); then states are added to by atomics, or under a
 * lock where there are none for them. Extremes of up to 8 bytes need neither: few rows change one. */
#include "device/cuda/combine.cuh"
#include "device/cuda/numbers.cuh"
#include "device/value/bits_value.h"
#include "device/value/pair_value.h"

#include <math.h>

#define TILE_PER_THREAD (CUDA_TILE_ROWS / CUDA_BLOCK)

/* Row number `turn` of those of this thread; neighbours take neighbouring rows. */
DEVICE uint64_t tile_row(unsigned turn)
{
    return (uint64_t)blockIdx.x * CUDA_TILE_ROWS + turn * CUDA_BLOCK + threadIdx.x;
}

KERNEL_TOGETHER_MIDDLE(aggregate_count)
{
    __shared__ combine_table<uint64_t> table;
    uint64_t count = kernel_count(a.count);
    combine_sums(
        extra, count, a.groups, a.present, &table,
        [&](uint64_t i, uint64_t *state) {
            *state = 1;
            return row_counts(a, count, i);
        },
        [](uint64_t *state, const uint64_t *other) { *state += *other; },
        [&](uint32_t group, const uint64_t *state) { kernel_atomic_add(&a.states[group], *state); });
}

KERNEL_ALONE(aggregate_mark)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.states[a.groups[i]] = 1;
}

DEVICE int128 load_number(data_type type, const void *values, uint64_t i)
{
    WITH_INTEGER(type, return ((const number *)values)[i];)
}

DEVICE void sum_words(const aggregate_sum_arguments &a, const cuda_extra &extra,
                      combine_table<uint64_t> *table)
{
    uint64_t count = kernel_count(a.count);
    combine_sums(
        extra, count, a.groups, a.present, table,
        [&](uint64_t i, uint64_t *state) {
            bool is_row = row_counts(a, count, i);
            if (is_row)
                *state = (uint64_t)(uint128)load_number(a.type, a.values, i);
            return is_row;
        },
        [](uint64_t *state, const uint64_t *other) { *state += *other; },
        [&](uint32_t group, const uint64_t *state) {
            kernel_atomic_add((uint64_t *)a.states + group, *state);
        });
}

DEVICE void sum_wide(const aggregate_sum_arguments &a, const cuda_extra &extra,
                     combine_table<int128> *table)
{
    uint64_t count = kernel_count(a.count);
    bool has_overflow = false;
    combine_sums(
        extra, count, a.groups, a.present, table,
        [&](uint64_t i, int128 *state) {
            bool is_row = row_counts(a, count, i);
            if (is_row)
                *state = load_number(a.type, a.values, i);
            return is_row;
        },
        [&](int128 *state, const int128 *other) {
            has_overflow |= kernel_add_overflows(*state, *other, state);
        },
        [&](uint32_t group, const int128 *state) {
            has_overflow |= kernel_atomic_add_128((int128 *)a.states + group, *state);
        });
    if (has_overflow)
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, 0);
}

KERNEL_TOGETHER(aggregate_sum)
{
    __shared__ union {
        combine_table<uint64_t> words;
        combine_table<int128> wide;
    } table;
    if (a.state_width == 16)
        sum_wide(a, extra, &table.wide);
    else
        sum_words(a, extra, &table.words);
}

KERNEL_TOGETHER(aggregate_magnitude)
{
    uint64_t count = kernel_count(a.count), bound = 0;
    for (unsigned turn = 0; turn < TILE_PER_THREAD; turn++) {
        uint64_t i = tile_row(turn);
        if (i >= count)
            continue;
        int128 number = a.type.width == 16          ? ((const int128 *)a.values)[i]
                        : a.type.id == TYPE_UINT64 ? (int128)((const uint64_t *)a.values)[i]
                                                   : (int128)((const int64_t *)a.values)[i];
        int64_t low = (int64_t)number;
        bound |= low == number ? (uint64_t)(low ^ low >> 63) : ~(uint64_t)0;
    }
    for (unsigned step = 16; step; step /= 2)
        bound |= __shfl_xor_sync(ALL_LANES, bound, step);
    if (kernel_lane() == 0 && bound)
        atomicOr((word64 *)a.out, (word64)bound);
}

KERNEL_ALONE(aggregate_widen)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        ((int128 *)a.out)[i] = a.source[i];
}

/* ---- extremes and bits: compare and swap of the word that holds the state ---- */

/* Replaces *state, of 1 to 8 bytes, by put(*state) until nothing changes. */
template <class T, class PUT> DEVICE void swap_state(T *state, PUT put)
{
    uintptr_t at = (uintptr_t)state, unit = sizeof(T) == 8 ? 8 : 4;
    unsigned shift = (unsigned)(at % unit) * 8;
    if (sizeof(T) == 8) {
        word64 *word = (word64 *)at, seen = *word;
        for (;;) {
            T old, next;
            memcpy(&old, &seen, sizeof(T));
            next = put(old);
            word64 wanted = 0;
            memcpy(&wanted, &next, sizeof(T));
            word64 found = wanted == seen ? seen : atomicCAS(word, seen, wanted);
            if (found == seen)
                return;
            seen = found;
        }
    }
    unsigned *word = (unsigned *)(at - at % unit), seen = *word;
    unsigned mask = sizeof(T) >= 4 ? ~0u : ((1u << (sizeof(T) * 8 % 32)) - 1) << shift;
    for (;;) {
        T old, next;
        unsigned bits = (seen & mask) >> shift, wanted = 0;
        memcpy(&old, &bits, sizeof(T) < 4 ? sizeof(T) : 4);
        next = put(old);
        memcpy(&wanted, &next, sizeof(T) < 4 ? sizeof(T) : 4);
        wanted = (seen & ~mask) | (wanted << shift & mask);
        unsigned found = wanted == seen ? seen : atomicCAS(word, seen, wanted);
        if (found == seen)
            return;
        seen = found;
    }
}

template <class T> DEVICE bool is_better(bool is_greatest, T x, T than)
{
    return is_greatest ? kernel_number_less(than, x) : kernel_number_less(x, than);
}

/* The best of the warp's values, in its first lane; *counts: that there is one. All lanes come. */
template <class T> DEVICE T pick_of_warp(bool is_greatest, T x, bool *counts)
{
    for (unsigned step = 16; step; step /= 2) {
        uint64_t word = 0;
        T other;
        memcpy(&word, &x, sizeof x);
        word = __shfl_down_sync(ALL_LANES, word, step);
        bool other_counts = __shfl_down_sync(ALL_LANES, (unsigned)*counts, step);
        memcpy(&other, &word, sizeof other);
        if (other_counts && (!*counts || is_better(is_greatest, other, x)))
            x = other;
        *counts |= other_counts;
    }
    return x;
}

/* Row i of values of type T. Without groups a lane of each warp swaps: else all threads of the device would begin by
 * swapping one word. */
template <class T>
DEVICE void pick(const aggregate_pick_arguments &a, uint64_t i, bool is_row)
{
    bool is_greatest = a.is_greatest;
    T x = is_row ? ((const T *)a.values)[i] : T();
    if (!a.groups) {
        x = pick_of_warp(is_greatest, x, &is_row);
        is_row = is_row && kernel_lane() == 0;
    }
    if (!is_row)
        return;
    swap_state((T *)a.states + (a.groups ? a.groups[i] : 0),
               [=](T old) { return is_better(is_greatest, x, old) ? x : old; });
}

/* Bits, as bytes of states. */
DEVICE void pick_bool(const aggregate_pick_arguments &a, uint64_t i)
{
    bool x = a.is_state ? ((const uint8_t *)a.values)[i]
                        : kernel_bit((const uint64_t *)a.values, i);
    bool is_greatest = a.is_greatest;
    swap_state((uint8_t *)a.states + (a.groups ? a.groups[i] : 0), [=](uint8_t old) {
        return is_better(is_greatest, (uint8_t)x, old) ? (uint8_t)x : old;
    });
}

/* Values of 16 bytes, for which there is no compare and swap everywhere. is_less(x, y): of two values. */
template <class T, class LESS>
DEVICE void pick_wide(const aggregate_pick_arguments &a, const cuda_extra &extra,
                      combine_table<T> *table, LESS is_less)
{
    uint64_t count = kernel_count(a.count);
    auto take_better = [&](T *state, const T *x) {
        if (a.is_greatest ? is_less(*state, *x) : is_less(*x, *state))
            *state = *x;
    };
    combine_rows(
        extra, count, a.groups, table,
        [&](uint64_t i, T *state) {
            bool is_row = row_counts(a, count, i);
            if (is_row)
                *state = ((const T *)a.values)[i];
            return is_row;
        },
        take_better,
        [&](uint32_t group, const T *x) {
            T *at = (T *)a.states + group;
            with_lock(extra.scratch, group, [&]() {
                T state = load_fresh(at);
                take_better(&state, x);
                *at = state;
            });
        });
}

KERNEL_STEP_TOGETHER(aggregate_pick_wide, aggregate_pick)
{
    __shared__ union {
        combine_table<interval_value> intervals;
        combine_table<int128> numbers;
    } table;
    if (a.type.id == TYPE_INTERVAL)
        pick_wide(a, extra, &table.intervals, [](interval_value x, interval_value y) {
            return kernel_interval_weight(&x) < kernel_interval_weight(&y);
        });
    else
        pick_wide(a, extra, &table.numbers, [](int128 x, int128 y) { return x < y; });
}

/* Values of up to 8 bytes. */
KERNEL_TOGETHER(aggregate_pick)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_row = row_counts(a, count, i);
    if (a.type.id == TYPE_BOOL) {
        if (is_row)
            pick_bool(a, i);
    } else if (a.type.id == TYPE_FLOAT) {
        pick<float>(a, i, is_row);
    } else if (a.type.id == TYPE_DOUBLE) {
        pick<double>(a, i, is_row);
    } else {
        switch (a.type.width) {
        case 1:
            if (a.type.id == TYPE_INT8)
                pick<int8_t>(a, i, is_row);
            else
                pick<uint8_t>(a, i, is_row);
            break;
        case 2:
            if (a.type.id == TYPE_INT16)
                pick<int16_t>(a, i, is_row);
            else
                pick<uint16_t>(a, i, is_row);
            break;
        case 4:
            if (a.type.id == TYPE_UINT32)
                pick<uint32_t>(a, i, is_row);
            else
                pick<int32_t>(a, i, is_row);
            break;
        default:
            if (a.type.id == TYPE_UINT64)
                pick<uint64_t>(a, i, is_row);
            else
                pick<int64_t>(a, i, is_row);
        }
    }
}

/* With ^ a state that a swap left as it was may still need the row: 0 changes nothing, and anything
 * else does. */
template <class T>
DEVICE void bits_by_group(const aggregate_bits_arguments &a, const cuda_extra &extra,
                          combine_table<uint64_t> *table)
{
    uint64_t count = kernel_count(a.count);
    combine_rows(
        extra, count, a.groups, table,
        [&](uint64_t i, uint64_t *state) {
            bool is_row = row_counts(a, count, i);
            if (is_row)
                *state = ((const T *)a.values)[i];
            return is_row;
        },
        [&](uint64_t *state, const uint64_t *x) { *state = bits_join(a.op, *state, *x); },
        [&](uint32_t group, const uint64_t *x) {
            swap_state((T *)a.states + group, [&](T old) { return (T)bits_join(a.op, old, *x); });
        });
}

KERNEL_TOGETHER_WIDE(aggregate_bits)
{
    __shared__ combine_table<uint64_t> table;
    if (a.width == 1)
        bits_by_group<uint8_t>(a, extra, &table);
    else if (a.width == 2)
        bits_by_group<uint16_t>(a, extra, &table);
    else if (a.width == 4)
        bits_by_group<uint32_t>(a, extra, &table);
    else
        bits_by_group<uint64_t>(a, extra, &table);
}

/* ---- results ---- */

KERNEL_TOGETHER(aggregate_validity)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_valid = i < count && a.states[i] >= a.least;
    if (i < count && !is_valid && a.width) {
        WITH_WIDTH(a.width, bytes nothing = {}; ((bytes *)a.values)[i] = nothing;)
    }
    unsigned bits = __ballot_sync(ALL_LANES, is_valid);
    if (!a.width && kernel_lane() == 0 && i < count)
        ((uint32_t *)a.values)[i / 32] &= bits;
    kernel_write_bit(a.out, i, count, is_valid);
}

KERNEL_TOGETHER(aggregate_present)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_write_bit(a.out, i, count,
                     i < count && ((a.counts && a.counts[i]) || (a.marks && a.marks[i])));
}

KERNEL_TOGETHER(aggregate_finish_bool)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_write_bit(a.out, i, count, i < count && (a.states[i] & 1));
}

DEVICE int128 load_sum(const void *states, uint32_t state_width, uint64_t i)
{
    return state_width == 8 ? (int128)((const int64_t *)states)[i] : ((const int128 *)states)[i];
}

KERNEL_ALONE(aggregate_finish_sum)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    int128 sum = load_sum(a.states, a.state_width, i);
    bool has_overflow;
    if (a.type.width == 16 || a.type.id == TYPE_DECIMAL) {
        int128 bound = ten_to_128(a.type.precision);
        has_overflow = sum >= bound || sum <= -bound;
        if (a.type.width == 16)
            ((int128 *)a.out)[i] = sum;
        else
            ((int64_t *)a.out)[i] = (int64_t)sum;
    } else { /* as the CPU does, signed whatever the type */
        int64_t narrow = 0;
        switch (a.type.width) {
        case 1:
            narrow = ((int8_t *)a.out)[i] = (int8_t)sum;
            break;
        case 2:
            narrow = ((int16_t *)a.out)[i] = (int16_t)sum;
            break;
        case 4:
            narrow = ((int32_t *)a.out)[i] = (int32_t)sum;
            break;
        default:
            narrow = ((int64_t *)a.out)[i] = (int64_t)sum;
        }
        has_overflow = sum != narrow;
    }
    if (has_overflow)
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, 0);
}

KERNEL_ALONE(aggregate_finish_number)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    double sum, scale = 1; /* exact up to 10^22 */
    for (uint32_t digit = 0; digit < a.scale; digit++)
        scale *= 10;
    if (a.is_number) {
        aggregate_number state = ((const aggregate_number *)a.states)[i];
        sum = isfinite(state.sum) ? state.sum + state.error : state.sum;
    } else {
        sum = (double)load_sum(a.states, a.state_width, i);
    }
    if (a.counts)
        sum = a.counts[i] ? sum / (double)a.counts[i] : 0;
    sum /= scale;
    if (a.width == 4)
        ((float *)a.out)[i] = (float)sum;
    else
        ((double *)a.out)[i] = sum;
}

KERNEL_TOGETHER(aggregate_finish_variance)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t of_sample =
        a.result == AGGREGATE_RESULT_VAR_SAMP || a.result == AGGREGATE_RESULT_STDDEV_SAMP;
    bool is_root =
        a.result == AGGREGATE_RESULT_STDDEV_SAMP || a.result == AGGREGATE_RESULT_STDDEV_POP;
    bool has_value = i < count && a.states[i].count > of_sample;
    if (i < count) {
        const aggregate_variance *state = &a.states[i];
        double variance = has_value ? state->squares / (double)(state->count - of_sample) : 0;
        a.out[i] = is_root ? sqrt(variance) : variance;
    }
    kernel_write_bit(a.out_validity, i, count, has_value);
}

KERNEL_TOGETHER(aggregate_finish_pair)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool has_value = i < count;
    if (i < count && a.result == AGGREGATE_RESULT_PAIRS) {
        ((int64_t *)a.out)[i] = (int64_t)a.states[i].count;
    } else if (i < count) {
        double value = 0;
        has_value = pair_result(&a.states[i], a.result, &value);
        ((double *)a.out)[i] = has_value ? value : 0;
    }
    kernel_write_bit(a.out_validity, i, count, has_value);
}

/* The bytes of a state that is a long text; else 0. */
DEVICE uint32_t long_state_bytes(const kernel_view *state)
{
    uint32_t bytes = kernel_view_bytes(state);
    return bytes != AGGREGATE_NO_TEXT && bytes > STRING_INLINE_BYTES ? bytes : 0;
}

KERNEL_TOGETHER(aggregate_text_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    if (i < count)
        bytes = long_state_bytes((const kernel_view *)a.states + (a.changed ? a.changed[i] : i));
    kernel_add_total(bytes, a.out_total);
}

KERNEL_TOGETHER(aggregate_text_values)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_view text = {0, 0};
    bool has_text = false;
    if (i < count) {
        const kernel_view *state = (const kernel_view *)a.states + i;
        has_text = kernel_view_bytes(state) != AGGREGATE_NO_TEXT;
        text = has_text ? *state : text;
        ((kernel_view *)a.out)[i] = text;
    }
    kernel_write_bit(a.out_validity, i, count, has_text);
}

/* A group that is listed twice is copied twice, as it was counted: from wherever its text is. */
KERNEL_ALONE(aggregate_own_text)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    kernel_view *state = (kernel_view *)a.states + (a.changed ? a.changed[i] : i);
    uint32_t bytes = long_state_bytes(state);
    if (!bytes)
        return;
    const char *source = (const char *)atomicAdd((word64 *)&state->tail, (word64)0);
    char *target = a.heap + kernel_atomic_add(a.heap_used, bytes);
    __threadfence(); /* another block may have just copied it there */
    memcpy(target, source, bytes);
    __threadfence();
    atomicExch((word64 *)&state->tail, (word64)target);
}
