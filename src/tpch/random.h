/* random.h - the streams of random numbers that TPC-H's data is made of.
 *
 * Each column draws from a stream of its own: x' = 16807 x mod 2^31-1 (Park and Miller), from the
 * seed that the TPC's generator gives it. A row takes a fixed number of draws, used or not, so that
 * any row's draws can be found in logarithmic time. TPC-H specification 3.0.1, clause 4.2.2. */
#ifndef PISTACHIO_TPCH_RANDOM_H
#define PISTACHIO_TPCH_RANDOM_H

#include <stdint.h>

#define TPCH_MULTIPLIER 16807u
#define TPCH_MODULUS 2147483647u

typedef struct tpch_random {
    uint32_t state;
    uint32_t draws_per_row, used; /* used: in this row */
} tpch_random;

static inline void tpch_random_skip(tpch_random *r, uint64_t draws)
{
    uint64_t power = TPCH_MULTIPLIER, state = r->state;
    for (; draws; draws >>= 1) {
        if (draws & 1)
            state = state * power % TPCH_MODULUS;
        power = power * power % TPCH_MODULUS;
    }
    r->state = (uint32_t)state;
}

/* At the first draw of a row. */
static inline tpch_random tpch_random_at(uint32_t seed, uint32_t draws_per_row, uint64_t row)
{
    tpch_random r = {seed, draws_per_row, 0};
    tpch_random_skip(&r, row * draws_per_row);
    return r;
}

/* low to high, both possible. The arithmetic in doubles is part of the definition; so is that
 * high = INT32_MAX makes the range wrap round to a negative one. */
static inline int32_t tpch_random_next(tpch_random *r, int32_t low, int32_t high)
{
    r->state = (uint32_t)((uint64_t)r->state * TPCH_MULTIPLIER % TPCH_MODULUS);
    r->used++;
    double range = (double)(int32_t)((uint32_t)high - (uint32_t)low + 1);
    return low + (int32_t)((double)r->state / (double)TPCH_MODULUS * range);
}

/* Skips what the row has not used. */
static inline void tpch_random_end_row(tpch_random *r)
{
    for (uint32_t left = r->draws_per_row - r->used; left; left--)
        r->state = (uint32_t)((uint64_t)r->state * TPCH_MULTIPLIER % TPCH_MODULUS);
    r->used = 0;
}

#endif
