/* kernel_over_frame.c - where partitions, peers and frames begin and end. */
#include "device/cpu/kernel_over.h"

/* ---- partitions and peers ---- */

OVER_INLINE bool is_same(over_compare *compare, const void *left, bool left_valid, size_t i,
                         const void *right, bool right_valid, size_t j)
{
    if (!left_valid || !right_valid)
        return left_valid == right_valid;
    return !compare(left, i, right, j);
}

OVER_INLINE bool differs_from_previous(const over_changes_arguments *a, over_compare *compare)
{
    if (!a->previous)
        return true;
    bool is_valid = kernel_is_valid(a->validity, 0);
    bool was_valid = kernel_is_valid(a->previous_validity, a->previous_row);
    return !is_same(compare, a->values, is_valid, 0, a->previous, was_valid, a->previous_row);
}

OVER_INLINE void changes(const over_changes_arguments *a, over_compare *compare)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count && !cancel_look(w * 64); w++) {
        uint64_t word = a->combine ? a->out[w] : 0;
        size_t end = count - w * 64 < 64 ? count : w * 64 + 64;
        for (size_t i = w ? w * 64 : 1; i < end; i++) {
            bool is_equal = is_same(compare, a->values, kernel_is_valid(a->validity, i), i,
                                    a->values, kernel_is_valid(a->validity, i - 1), i - 1);
            word |= (uint64_t)!is_equal << (i % 64);
        }
        a->out[w] = word;
    }
    if (count)
        a->out[0] |= (uint64_t)differs_from_previous(a, compare);
}

void ISA_(over_changes)(const over_changes_arguments *a)
{
    OVER_BY_TYPE(a->type, changes, a);
}

void ISA_(over_last_change)(const over_last_change_arguments *a)
{
    size_t count = kernel_count(a->count), w = (count + 63) / 64;
    *a->out = 0;
    while (w-- && !*a->out && !cancel_look(w)) {
        uint64_t word = a->bits[w] & kernel_word_mask(count, w);
        if (word)
            *a->out = w * 64 + 64 - (uint64_t)__builtin_clzll(word);
    }
}

void ISA_(over_runs)(const over_runs_arguments *a)
{
    size_t count = kernel_count(a->count), start = 0;
    KERNEL_FOR (i, 0, count) {
        if (kernel_bit(a->bits, i)) {
            KERNEL_FOR (k, start, i)
                a->to[k] = (uint32_t)i;
            start = i;
        }
        a->from[i] = (uint32_t)start;
    }
    KERNEL_FOR (k, start, count)
        a->to[k] = (uint32_t)count;
}

/* ---- bounds ---- */

static inline uint32_t clamp(int64_t at, uint32_t from, uint32_t to)
{
    return at < (int64_t)from ? from : at > (int64_t)to ? to : (uint32_t)at;
}

/* So that no sum with a number of rows overflows. */
static inline int64_t bounded(int64_t distance)
{
    int64_t most = (int64_t)1 << 40;
    return distance > most ? most : distance < -most ? -most : distance;
}

void ISA_(over_rows_bound)(const over_rows_bound_arguments *a)
{
    size_t count = kernel_count(a->count);
    int64_t distance = bounded(a->distance);
    KERNEL_FOR (i, 0, count)
        a->out[i] = clamp((int64_t)i + distance, a->from[i], a->to[i]);
}

void ISA_(over_groups_bound)(const over_groups_bound_arguments *a)
{
    size_t count = kernel_count(a->count), runs = 0;
    int64_t distance = bounded(a->distance) + a->is_end;
    KERNEL_FOR (i, 0, count)
        if (a->peer_from[i] == i)
            a->run_starts[runs++] = (uint32_t)i;
    a->run_starts[runs] = (uint32_t)count;
    int64_t run = -1, total = (int64_t)runs;
    KERNEL_FOR (i, 0, count) {
        run += a->peer_from[i] == i;
        int64_t wanted = run + distance;
        uint32_t at = wanted < 0 ? 0 : wanted > total ? (uint32_t)count : a->run_starts[wanted];
        a->out[i] = clamp(at, a->from[i], a->to[i]);
    }
}

/* Key k of the partition comes before row i's limit, or (is_end) does not come after it. */
OVER_INLINE bool lies_outside(const over_range_bound_arguments *a, over_compare *compare, size_t k,
                              size_t i)
{
    bool has_key = kernel_is_valid(a->keys_validity, k);
    bool has_limit = kernel_is_valid(a->limits_validity, i);
    int order;
    if (has_key && has_limit) {
        order = compare(a->keys, k, a->limits, i);
        order = a->is_descending ? -order : order;
    } else {
        order = (has_limit - has_key) * (a->nulls_first ? -1 : 1);
    }
    return order < 0 || (a->is_end && order == 0);
}

OVER_INLINE void range_bound(const over_range_bound_arguments *a, over_compare *compare)
{
    size_t count = kernel_count(a->count), at = 0;
    KERNEL_FOR (i, 0, count) {
        at = at < a->from[i] ? a->from[i] : at;
        while (at < a->to[i] && lies_outside(a, compare, at, i))
            if (cancel_look(++at))
                return;
        a->out[i] = (uint32_t)at;
    }
}

void ISA_(over_range_bound)(const over_range_bound_arguments *a)
{
    OVER_BY_TYPE(a->type, range_bound, a);
}

/* ---- what is left out ---- */

static inline uint32_t over_frame_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void ISA_(over_exclude)(const over_exclude_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        uint32_t row = (uint32_t)i, to = most(a->to[i], a->from[i]);
        uint32_t hole_from = a->hole_from ? a->hole_from[i] : row;
        uint32_t hole_to = a->hole_to ? a->hole_to[i] : row + 1;
        uint32_t from = a->is_row ? row : a->is_behind ? hole_to : a->from[i];
        uint32_t end = a->is_row ? row + 1 : a->is_behind ? to : hole_from;
        from = over_frame_least(most(from, a->from[i]), to);
        end = over_frame_least(most(end, a->from[i]), to);
        a->out_from[i] = from;
        a->out_to[i] = most(from, end);
    }
}
