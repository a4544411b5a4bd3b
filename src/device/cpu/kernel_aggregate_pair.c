/* kernel_aggregate_pair.c - correlation, covariance, regression: sums of squared distances from the means
 * and of their products, row by row as Welford does it, block by block where there are no groups. */
#include "device/cpu/kernel_aggregate.h"
#include "device/value/pair_value.h"

/* ---- blocks ---- */

#define LANES 8
#define BLOCK 512

static inline double sum_lanes(const double *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/* The mean distance from the first value is exactly 0 where all are equal. */
static void aggregate_pair_add_block(aggregate_pair *s, const double *x, const double *y)
{
    double sum_x[LANES] = {0}, sum_y[LANES] = {0}, xx[LANES] = {0}, yy[LANES] = {0},
           xy[LANES] = {0};
    for (size_t i = 0; i < BLOCK; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            sum_x[l] += x[i + l] - x[0];
            sum_y[l] += y[i + l] - y[0];
        }
    double mean_x = sum_lanes(sum_x) / BLOCK, mean_y = sum_lanes(sum_y) / BLOCK;
    for (size_t i = 0; i < BLOCK; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double dx = x[i + l] - x[0] - mean_x, dy = y[i + l] - y[0] - mean_y;
            xx[l] += dx * dx;
            yy[l] += dy * dy;
            xy[l] += dx * dy;
        }
    const aggregate_pair block = {x[0],          y[0],          mean_x,        mean_y,
                                  sum_lanes(xx), sum_lanes(yy), sum_lanes(xy), BLOCK};
    pair_merge(s, &block);
}

/* ---- rows ---- */

static void aggregate_pair_add_rows(const aggregate_add_pair_arguments *a, size_t start,
                                    size_t count)
{
    const double *y = a->values, *x = a->second;
    bool is_large = a->groups && a->group_count * sizeof *a->states > CACHED_STATE_BYTES;
    for (size_t w = start / 64; w * 64 < count; w++) {
        uint64_t bits = rows_that_count(a->validity, a->mask, count, w);
        if (a->second_validity)
            bits &= a->second_validity[w];
        if (is_large)
            prefetch_states(a->groups, count, w * 64, a->states, sizeof *a->states);
        for (; bits; bits &= bits - 1) {
            size_t i = w * 64 + (size_t)__builtin_ctzll(bits);
            pair_add(&a->states[a->groups ? a->groups[i] : 0], x[i], y[i]);
        }
    }
}

void ISA_(aggregate_add_pair)(const aggregate_add_pair_arguments *a)
{
    size_t count = kernel_count(a->count), start = 0;
    if (a->is_state) {
        const aggregate_pair *from = a->values;
        for (size_t i = 0; i < count; i++)
            pair_merge(&a->states[a->groups ? a->groups[i] : 0], &from[i]);
        return;
    }
    if (!a->groups && !a->validity && !a->second_validity && !a->mask)
        for (; start + BLOCK <= count; start += BLOCK)
            aggregate_pair_add_block(a->states, a->second + start,
                                     (const double *)a->values + start);
    aggregate_pair_add_rows(a, start, count);
}

/* ---- results ---- */

void ISA_(aggregate_finish_pair)(const aggregate_finish_pair_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t valid = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            const aggregate_pair *state = &a->states[i];
            double value = 0;
            bool has_value =
                a->result == AGGREGATE_RESULT_PAIRS || pair_result(state, a->result, &value);
            if (a->result == AGGREGATE_RESULT_PAIRS)
                ((int64_t *)a->out)[i] = (int64_t)state->count;
            else
                ((double *)a->out)[i] = has_value ? value : 0;
            valid |= (uint64_t)has_value << (i % 64);
        }
        a->out_validity[w] = valid;
    }
}
