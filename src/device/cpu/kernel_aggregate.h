/* kernel_aggregate.h - inside the aggregation kernels: walking the rows that count. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_AGGREGATE_H
#define PISTACHIO_DEVICE_CPU_KERNEL_AGGREGATE_H

#include "device/cpu/kernel.h"

/* The rows of word `word` that are valid and in the mask. */
static inline uint64_t rows_that_count(const uint64_t *validity, const uint64_t *mask, size_t count,
                                       size_t word)
{
    uint64_t bits = kernel_word_mask(count, word);
    if (validity)
        bits &= validity[word];
    if (mask)
        bits &= mask[word];
    return bits;
}

/* Runs `body` for each row i that counts. */
#define FOR_ROWS(a, count, body)                                                                   \
    do {                                                                                           \
        for (size_t w_ = 0; w_ * 64 < (count); w_++) {                                             \
            uint64_t bits_ = rows_that_count((a)->validity, (a)->mask, (count), w_);               \
            if (bits_ == UINT64_MAX) {                                                             \
                for (size_t i = w_ * 64; i < w_ * 64 + 64; i++) {                                  \
                    body;                                                                          \
                }                                                                                  \
            } else {                                                                               \
                for (; bits_; bits_ &= bits_ - 1) {                                                \
                    size_t i = w_ * 64 + (size_t)__builtin_ctzll(bits_);                           \
                    body;                                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Arrays of states up to this size stay in the cache by themselves. */
#define CACHED_STATE_BYTES (256u << 10)

/* Whether states of groups are to be fetched ahead. */
static inline bool is_large_of(const uint32_t *groups, uint64_t group_count, size_t state_bytes)
{
    return groups && group_count * state_bytes > CACHED_STATE_BYTES;
}

/* Fetches the states of the rows [start, start + 64): all misses of a word of rows overlap. */
static inline void prefetch_states(const uint32_t *groups, size_t count, size_t start,
                                   const void *states, size_t state_bytes)
{
    size_t end = count - start < 64 ? count : start + 64;
    for (size_t i = start; i < end; i++)
        __builtin_prefetch((const char *)states + groups[i] * state_bytes, 1);
}

/* As FOR_ROWS, fetching the states of the next rows ahead where they are many. */
#define FOR_GROUP_ROWS(a, count, state_bytes, is_large, body)                                      \
    do {                                                                                           \
        if (is_large)                                                                              \
            prefetch_states((a)->groups, (count), 0, (a)->states, (state_bytes));                  \
        for (size_t w_ = 0; w_ * 64 < (count); w_++) {                                             \
            uint64_t bits_ = rows_that_count((a)->validity, (a)->mask, (count), w_);               \
            if ((is_large) && (w_ + 1) * 64 < (count))                                             \
                prefetch_states((a)->groups, (count), (w_ + 1) * 64, (a)->states, (state_bytes));  \
            if (bits_ == UINT64_MAX) {                                                             \
                for (size_t i = w_ * 64; i < w_ * 64 + 64; i++) {                                  \
                    body;                                                                          \
                }                                                                                  \
            } else {                                                                               \
                for (; bits_; bits_ &= bits_ - 1) {                                                \
                    size_t i = w_ * 64 + (size_t)__builtin_ctzll(bits_);                           \
                    body;                                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Groups up to which a vector of partial sums is kept for each. */
#define FEW_GROUPS 8
/* Up to here partial sums are kept in four small arrays, so that equal groups in a row do not wait
 * for one another. */
#define SMALL_GROUPS 256

#endif
