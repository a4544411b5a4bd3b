/* kernel_over_aggregate.c - aggregates of ranges of rows whose ends never fall from one row to the next.
 *
 * A range is kept as two: of rows [from, middle) the state of each [k, middle) is in an array, that of
 * [middle, to) is one state, to which rows are added. When `from` reaches `middle`, the array is made
 * again of all that is there, from its last row back. So each row is added twice at most, nothing is ever
 * subtracted, and any state that can be put together will do. (Tangwongsan, Hirzel, Schneider, Wu:
 * General incremental sliding-window aggregation, 2015) */
#include "device/cpu/kernel_over.h"
#include "device/value/aggregate_join.h"
#include "device/value/bits_value.h"
#include "device/value/pair_value.h"

/* JOIN(left, right) puts states together; VALUE(k) is the state of row k alone. Returns from the kernel once the launch
 * is not wanted. */
#define SLIDE(state, nothing, JOIN, VALUE)                                                         \
    do {                                                                                           \
        state *back = (state *)a->scratch, *states = (state *)a->states, tail = nothing;           \
        size_t count = kernel_count(a->count), middle = 0, end = 0;                                \
        for (size_t i = 0; i < count; i++) {                                                       \
            size_t from = a->from[i], to = a->to[i];                                               \
            state found = nothing;                                                                 \
            if (cancel_look(i))                                                                    \
                return;                                                                            \
            if (from < to) {                                                                       \
                if (from >= middle) {                                                              \
                    state sum = nothing;                                                           \
                    for (size_t k = to; k-- > from;) {                                             \
                        if (cancel_look(k))                                                        \
                            return;                                                                \
                        back[k] = sum = JOIN(VALUE(k), sum);                                       \
                    }                                                                              \
                    middle = end = to;                                                             \
                    tail = nothing;                                                                \
                }                                                                                  \
                for (; end < to; end++) {                                                          \
                    if (cancel_look(end))                                                          \
                        return;                                                                    \
                    tail = JOIN(tail, VALUE(end));                                                 \
                }                                                                                  \
                found = JOIN(back[from], tail);                                                    \
            }                                                                                      \
            states[i] = a->combine ? JOIN(states[i], found) : found;                               \
        }                                                                                          \
    } while (0)

/* ---- counts ---- */

static void count_valid(const over_count_arguments *a, size_t count)
{
    uint32_t *sums = a->sums;
    sums[0] = 0;
    KERNEL_FOR (i, 0, count)
        sums[i + 1] = sums[i] + kernel_bit(a->validity, i);
}

void ISA_(over_count)(const over_count_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->validity)
        count_valid(a, count);
    KERNEL_FOR (i, 0, count) {
        uint32_t from = a->from[i], to = a->to[i];
        uint64_t rows = from < to ? a->validity ? a->sums[to] - a->sums[from] : to - from : 0;
        a->states[i] = rows + (a->combine ? a->states[i] : 0);
    }
}

/* ---- sums ---- */

static inline int128 over_aggregate_add(int128 left, int128 right, bool *overflows)
{
    int128 sum;
    *overflows |= __builtin_add_overflow(left, right, &sum);
    return sum;
}

#define JOIN_SUM(left, right) over_aggregate_add(left, right, &overflows)
#define VALUE_SUM(k) (kernel_is_valid(a->validity, k) ? (int128)values[k] : 0)
#define SUM(ctype)                                                                                 \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        SLIDE(int128, 0, JOIN_SUM, VALUE_SUM);                                                     \
    } while (0)

void ISA_(over_sum)(const over_sum_arguments *a)
{
    bool overflows = false;
    bool is_signed = a->type.id < TYPE_UINT8 || a->type.id > TYPE_UINT64;
    switch (a->type.width | (is_signed ? 0 : 32)) {
    case 1:
        SUM(int8_t);
        break;
    case 2:
        SUM(int16_t);
        break;
    case 4:
        SUM(int32_t);
        break;
    case 8:
        SUM(int64_t);
        break;
    case 33:
        SUM(uint8_t);
        break;
    case 34:
        SUM(uint16_t);
        break;
    case 36:
        SUM(uint32_t);
        break;
    case 40:
        SUM(uint64_t);
        break;
    default:
        SUM(int128);
    }
    if (overflows)
        kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, 0);
}

#define NO_NUMBER ((aggregate_number){0, 0})
#define VALUE_NUMBER(k) ((aggregate_number){kernel_is_valid(a->validity, k) ? a->values[k] : 0, 0})

void ISA_(over_sum_number)(const over_sum_number_arguments *a)
{
    SLIDE(aggregate_number, NO_NUMBER, number_join, VALUE_NUMBER);
}

#define NO_VARIANCE ((aggregate_variance){0, 0, 0})
#define VALUE_VARIANCE(k)                                                                          \
    (kernel_is_valid(a->validity, k) ? (aggregate_variance){a->values[k], 0, 1} : NO_VARIANCE)

void ISA_(over_vary)(const over_vary_arguments *a)
{
    SLIDE(aggregate_variance, NO_VARIANCE, variance_join, VALUE_VARIANCE);
}

/* ---- pairs ---- */

static inline aggregate_pair join_pairs(aggregate_pair left, aggregate_pair right)
{
    pair_merge(&left, &right);
    return left;
}

static inline aggregate_pair pair_of(const over_pair_arguments *a, size_t k)
{
    aggregate_pair pair = {0};
    if (kernel_is_valid(a->validity, k) && kernel_is_valid(a->second_validity, k))
        pair_add(&pair, a->second[k], a->values[k]);
    return pair;
}

#define NO_PAIR ((aggregate_pair){0})
#define VALUE_PAIR(k) pair_of(a, k)

void ISA_(over_pair)(const over_pair_arguments *a)
{
    SLIDE(aggregate_pair, NO_PAIR, join_pairs, VALUE_PAIR);
}

/* ---- bits ---- */

static inline uint64_t over_aggregate_bits_of(const over_bits_arguments *a, size_t k,
                                              uint64_t nothing)
{
    uint64_t bits = 0;
    if (!kernel_is_valid(a->validity, k))
        return nothing;
    memcpy(&bits, (const char *)a->values + k * a->width, a->width);
    return bits;
}

#define JOIN_AND(left, right) ((left) & (right))
#define JOIN_OR(left, right) ((left) | (right))
#define JOIN_XOR(left, right) ((left) ^ (right))
#define JOIN_PRODUCT(left, right) bits_product(left, right)
#define VALUE_PRODUCT(k) over_aggregate_bits_of(a, k, BITS_OF_ONE)
#define VALUE_AND(k) over_aggregate_bits_of(a, k, UINT64_MAX)
#define VALUE_BITS(k) over_aggregate_bits_of(a, k, 0)

void ISA_(over_bits)(const over_bits_arguments *a)
{
    if (a->op == '*')
        SLIDE(uint64_t, BITS_OF_ONE, JOIN_PRODUCT, VALUE_PRODUCT);
    else if (a->op == '&')
        SLIDE(uint64_t, UINT64_MAX, JOIN_AND, VALUE_AND);
    else if (a->op == '|')
        SLIDE(uint64_t, 0, JOIN_OR, VALUE_BITS);
    else
        SLIDE(uint64_t, 0, JOIN_XOR, VALUE_BITS);
}

#define NARROW(ctype)                                                                              \
    do {                                                                                           \
        ctype *out = a->out;                                                                       \
        KERNEL_FOR (i, 0, count)                                                                   \
            out[i] = (ctype)a->states[i];                                                          \
    } while (0)

void ISA_(over_narrow)(const over_narrow_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->width) {
    case 1:
        NARROW(uint8_t);
        break;
    case 2:
        NARROW(uint16_t);
        break;
    case 4:
        NARROW(uint32_t);
        break;
    default:
        NARROW(uint64_t);
    }
}

/* ---- the least and the greatest ---- */

/* Returns the better row; of equal values the first. */
OVER_INLINE uint32_t better(const over_pick_arguments *a, over_compare *compare, uint32_t left,
                            uint32_t right)
{
    if (left == ROW_NULL || right == ROW_NULL)
        return left == ROW_NULL ? right : left;
    int order = compare(a->values, right, a->values, left);
    return (a->is_greatest ? order > 0 : order < 0) ? right : left;
}

#define JOIN_PICK(left, right) better(a, compare, left, right)
#define VALUE_PICK(k) (kernel_is_valid(a->validity, k) ? (uint32_t)(k) : ROW_NULL)

OVER_INLINE void pick(const over_pick_arguments *a, over_compare *compare)
{
    SLIDE(uint32_t, ROW_NULL, JOIN_PICK, VALUE_PICK);
}

void ISA_(over_pick)(const over_pick_arguments *a)
{
    OVER_BY_TYPE(a->type, pick, a);
}
