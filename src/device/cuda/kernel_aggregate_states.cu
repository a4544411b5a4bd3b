/* kernel_aggregate_states.cu - sums of floats, variances, pairs, extremes of text by group: what is put
 * together as states are (combine.cuh), in whatever order. */
#include "device/cuda/combine.cuh"
#include "device/value/pair_value.h"

/* ---- sums ---- */

/* Returns what rounding lost of x + y = sum, by D. Knuth's two-sum. */
DEVICE double lost_of_sum(double x, double y, double sum)
{
    double part = sum - x;
    return (x - (sum - part)) + (y - part);
}

DEVICE void join_numbers(aggregate_number *state, const aggregate_number *other)
{
    double sum = state->sum + other->sum;
    state->error += lost_of_sum(state->sum, other->sum, sum) + other->error;
    state->sum = sum;
}

/* No lock: who adds is told what was there before, so that it knows what its addition lost, and nobody
 * else loses that. */
DEVICE void add_number(aggregate_number *state, const aggregate_number *x)
{
    double before = atomicAdd(&state->sum, x->sum);
    double lost = lost_of_sum(before, x->sum, before + x->sum) + x->error;
    if (lost != 0)
        atomicAdd(&state->error, lost);
}

KERNEL_TOGETHER_WIDE(aggregate_sum_number)
{
    __shared__ combine_table<aggregate_number> table;
    uint64_t count = kernel_count(a.count);
    combine_rows(
        extra, count, a.groups, &table,
        [&](uint64_t i, aggregate_number *state) {
            if (!row_counts(a, count, i))
                return false;
            if (a.is_state)
                *state = ((const aggregate_number *)a.values)[i];
            else
                state->sum = a.type.id == TYPE_FLOAT ? (double)((const float *)a.values)[i]
                                                     : ((const double *)a.values)[i];
            return true;
        },
        join_numbers,
        [&](uint32_t group, const aggregate_number *x) { add_number(&a.states[group], x); });
}

/* ---- variances and pairs ---- */

DEVICE void join_variances(aggregate_variance *state, const aggregate_variance *other)
{
    double n = (double)state->count, m = (double)other->count, delta = other->mean - state->mean;
    double share = m / (n + m); /* the only division: it takes longer than reading a row */
    if (!state->count) {
        *state = *other;
        return;
    }
    state->mean += delta * share;
    state->squares += other->squares + delta * delta * (n * share);
    state->count += other->count;
}

#define VARY_ROWS 4 /* of which one state is made */

/* Returns the state of VARY_ROWS of the thread's rows: distances from one of them are summed up, so that one division
 * does for all. */
DEVICE aggregate_variance vary_rows(const aggregate_vary_arguments &a, uint64_t count, uint64_t first)
{
    const double *all = (const double *)a.values;
    double values[VARY_ROWS], origin = 0, sum = 0, squares = 0;
    unsigned there = 0;
    for (unsigned k = 0; k < VARY_ROWS; k++) {
        bool counts = row_counts(a, count, first + k * CUDA_BLOCK);
        values[k] = counts ? all[first + k * CUDA_BLOCK] : 0;
        there |= (unsigned)counts << k;
    }
    for (unsigned k = 0; k < VARY_ROWS; k++)
        origin = there >> k & 1 ? values[k] : origin;
    for (unsigned k = 0; k < VARY_ROWS; k++)
        sum += there >> k & 1 ? values[k] - origin : 0; /* no number, if one is infinite */
    double mean = sum / (there ? __popc(there) : 1);
    for (unsigned k = 0; k < VARY_ROWS; k++) {
        double distance = there >> k & 1 ? values[k] - origin - mean : 0;
        squares += distance * distance;
    }
    return {origin + mean, squares, (uint64_t)__popc(there)};
}

/* Returns the state of the thread's rows of the launch. */
DEVICE aggregate_variance vary_all(const aggregate_vary_arguments &a, const cuda_extra &extra,
                                   uint64_t count)
{
    aggregate_variance state = {};
    for (uint64_t tile = (uint64_t)blockIdx.x * CUDA_TILE_ROWS; tile < count;
         tile += extra.blocks * CUDA_TILE_ROWS)
        for (unsigned turn = 0; turn < COMBINE_TURNS; turn += VARY_ROWS) {
            aggregate_variance rows =
                vary_rows(a, count, tile + turn * CUDA_BLOCK + threadIdx.x);
            if (rows.count)
                join_variances(&state, &rows);
        }
    return state;
}

KERNEL_STEP_TOGETHER_WIDEST(aggregate_vary, aggregate_vary)
{
    __shared__ combine_table<aggregate_variance> table;
    uint64_t count = kernel_count(a.count);
    auto put = [&](uint32_t group, const aggregate_variance *x) {
        with_lock(extra.scratch, group, [&]() {
            aggregate_variance state = load_fresh(&a.states[group]);
            join_variances(&state, x);
            a.states[group] = state;
        });
    };
    if (!a.groups && !a.is_state) {
        combine_all(vary_all(a, extra, count), &table, join_variances, put);
        return;
    }
    combine_rows(
        extra, count, a.groups, &table,
        [&](uint64_t i, aggregate_variance *state) {
            if (!row_counts(a, count, i))
                return false;
            if (a.is_state) {
                *state = ((const aggregate_variance *)a.values)[i];
            } else {
                double x = ((const double *)a.values)[i];
                *state = {x, x - x, 1}; /* no number, if x is infinite */
            }
            return state->count != 0;
        },
        join_variances, put);
}

KERNEL_STEP_TOGETHER_WIDEST(aggregate_add_pair, aggregate_add_pair)
{
    __shared__ combine_table<aggregate_pair> table;
    uint64_t count = kernel_count(a.count);
    combine_rows(
        extra, count, a.groups, &table,
        [&](uint64_t i, aggregate_pair *state) {
            if (!row_counts(a, count, i) || !kernel_is_valid(a.second_validity, i))
                return false;
            if (a.is_state)
                *state = ((const aggregate_pair *)a.values)[i];
            else
                pair_add(state, a.second[i], ((const double *)a.values)[i]);
            return state->count != 0;
        },
        pair_merge,
        [&](uint32_t group, const aggregate_pair *x) {
            with_lock(extra.scratch, group, [&]() {
                aggregate_pair state = load_fresh(&a.states[group]);
                pair_merge(&state, x);
                a.states[group] = state;
            });
        });
}

/* ---- extremes of text ---- */

/* True: other is better than *state, and took its place. */
DEVICE bool take_better_text(bool is_greatest, kernel_view *state, const kernel_view *other)
{
    bool is_better = kernel_view_bytes(state) == AGGREGATE_NO_TEXT;
    if (!is_better) {
        int order = kernel_view_compare(other, state);
        is_better = is_greatest ? order > 0 : order < 0;
    }
    if (is_better)
        *state = *other;
    return is_better;
}

KERNEL_TOGETHER_WIDE(aggregate_pick_text)
{
    __shared__ combine_table<kernel_view> table;
    uint64_t count = kernel_count(a.count);
    combine_rows(
        extra, count, a.groups, &table,
        [&](uint64_t i, kernel_view *text) {
            if (!row_counts(a, count, i))
                return false;
            *text = ((const kernel_view *)a.values)[i];
            return kernel_view_bytes(text) != AGGREGATE_NO_TEXT;
        },
        [&](kernel_view *state, const kernel_view *other) {
            take_better_text(a.is_greatest, state, other);
        },
        [&](uint32_t group, const kernel_view *x) {
            kernel_view *at = (kernel_view *)a.states + group;
            with_lock(extra.scratch, group, [&]() {
                kernel_view state = load_fresh(at);
                if (!take_better_text(a.is_greatest, &state, x))
                    return;
                *at = state;
                if (a.changed && kernel_view_is_long(x))
                    a.changed[kernel_atomic_add(a.changed_count, 1)] = group;
            });
        });
}
