/* kernel_aggregate_number.c - sums of floats, and variances. */
#include "device/cpu/kernel_aggregate.h"

#include <math.h>

/* ---- sums ---- */

/* Adds x; what rounding loses is kept in the error (D. Knuth's two-sum). */
static inline void add_double(aggregate_number *state, double x)
{
    double sum = state->sum + x, part = sum - state->sum;
    state->error += (state->sum - (sum - part)) + (x - part);
    state->sum = sum;
}

/* Eight running sums, so that additions do not wait for one another. */
#define LANES 8

typedef struct sum_lanes {
    double sums[LANES], errors[LANES];
} sum_lanes;

static inline void add_to_lane(sum_lanes *lanes, size_t l, double x)
{
    double sum = lanes->sums[l] + x, part = sum - lanes->sums[l];
    lanes->errors[l] += (lanes->sums[l] - (sum - part)) + (x - part);
    lanes->sums[l] = sum;
}

static inline void add_lanes(aggregate_number *state, const sum_lanes *lanes)
{
    for (size_t l = 0; l < LANES; l++) {
        add_double(state, lanes->sums[l]);
        state->error += lanes->errors[l];
    }
}

/* Adds 64 values of which those count whose bit is set: zeros in the place of the others change no sum. */
#define ADD_WORD(lanes, values, bits)                                                              \
    do {                                                                                           \
        for (size_t start_ = 0; start_ < 64; start_ += LANES)                                      \
            for (size_t l_ = 0; l_ < LANES; l_++) {                                                \
                double x_ = (double)(values)[start_ + l_];                                         \
                add_to_lane((lanes), l_, (bits) >> (start_ + l_) & 1 ? x_ : 0);                    \
            }                                                                                      \
    } while (0)

#define SUM_ALL(values)                                                                            \
    do {                                                                                           \
        sum_lanes lanes = {0};                                                                     \
        for (size_t w = 0; w * 64 < count; w++) {                                                  \
            uint64_t bits = rows_that_count(a->validity, a->mask, count, w);                       \
            if (bits == UINT64_MAX) {                                                              \
                ADD_WORD(&lanes, (values) + w * 64, UINT64_MAX);                                   \
            } else if ((w + 1) * 64 <= count) {                                                    \
                ADD_WORD(&lanes, (values) + w * 64, bits);                                         \
            } else {                                                                               \
                for (; bits; bits &= bits - 1) {                                                   \
                    size_t at = (size_t)__builtin_ctzll(bits);                                     \
                    add_to_lane(&lanes, at % LANES, (double)(values)[w * 64 + at]);                \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        add_lanes(a->states, &lanes);                                                              \
    } while (0)

#define SUM(ctype)                                                                                 \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        if (!a->groups) {                                                                          \
            SUM_ALL(values);                                                                       \
        } else {                                                                                   \
            bool is_large = is_large_of(a->groups, a->group_count, sizeof *a->states);             \
            FOR_GROUP_ROWS(a, count, sizeof *a->states, is_large,                                  \
                           add_double(&a->states[a->groups[i]], (double)values[i]));               \
        }                                                                                          \
    } while (0)

static void sum_states(const aggregate_sum_number_arguments *a, size_t count)
{
    const aggregate_number *values = a->values;
    bool is_large = is_large_of(a->groups, a->group_count, sizeof *a->states);
    FOR_GROUP_ROWS(a, count, sizeof *a->states, is_large, {
        aggregate_number *state = &a->states[a->groups ? a->groups[i] : 0];
        add_double(state, values[i].sum);
        state->error += values[i].error;
    });
}

void ISA_(aggregate_sum_number)(const aggregate_sum_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->is_state)
        sum_states(a, count);
    else if (a->type.id == TYPE_FLOAT)
        SUM(float);
    else
        SUM(double);
}

static inline double power_of_ten_double(unsigned exponent)
{
    double power = 1; /* exact up to 10^22 */
    for (; exponent; exponent--)
        power *= 10;
    return power;
}

void ISA_(aggregate_finish_number)(const aggregate_finish_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    double scale = power_of_ten_double(a->scale);
    for (size_t i = 0; i < count; i++) {
        double sum;
        if (a->is_number) {
            aggregate_number state = ((const aggregate_number *)a->states)[i];
            /* An infinite sum's or NaN's error says nothing. */
            sum = isfinite(state.sum) ? state.sum + state.error : state.sum;
        } else if (a->state_width == 8) {
            sum = (double)((const int64_t *)a->states)[i];
        } else {
            sum = (double)((const int128 *)a->states)[i];
        }
        if (a->counts)
            sum = a->counts[i] ? sum / (double)a->counts[i] : 0;
        sum /= scale;
        if (a->width == 4)
            ((float *)a->out)[i] = (float)sum;
        else
            ((double *)a->out)[i] = sum;
    }
}

/* ---- variances ---- */

static inline void vary(aggregate_variance *state, double x)
{
    double delta = x - state->mean;
    state->mean += delta / (double)++state->count;
    state->squares += delta * (x - state->mean);
}

static void aggregate_number_merge(aggregate_variance *state, const aggregate_variance *other)
{
    if (!other->count)
        return;
    if (!state->count) { /* the square of a large mean would not be a number */
        *state = *other;
        return;
    }
    double n = (double)state->count, m = (double)other->count, delta = other->mean - state->mean;
    state->mean += delta * (m / (n + m));
    state->squares += other->squares + delta * delta * (n * m / (n + m));
    state->count += other->count;
}

void ISA_(aggregate_vary)(const aggregate_vary_arguments *a)
{
    size_t count = kernel_count(a->count), bytes = sizeof *a->states;
    bool is_large = is_large_of(a->groups, a->group_count, bytes);
    if (a->is_state) {
        const aggregate_variance *values = a->values;
        FOR_GROUP_ROWS(
            a, count, bytes, is_large,
            aggregate_number_merge(&a->states[a->groups ? a->groups[i] : 0], &values[i]));
    } else {
        const double *values = a->values;
        FOR_GROUP_ROWS(a, count, bytes, is_large,
                       vary(&a->states[a->groups ? a->groups[i] : 0], values[i]));
    }
}

void ISA_(aggregate_finish_variance)(const aggregate_finish_variance_arguments *a)
{
    size_t count = kernel_count(a->count);
    bool of_sample =
        a->result == AGGREGATE_RESULT_VAR_SAMP || a->result == AGGREGATE_RESULT_STDDEV_SAMP;
    bool is_root =
        a->result == AGGREGATE_RESULT_STDDEV_SAMP || a->result == AGGREGATE_RESULT_STDDEV_POP;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t valid = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            const aggregate_variance *state = &a->states[i];
            bool has_value = state->count > of_sample;
            double variance = has_value ? state->squares / (double)(state->count - of_sample) : 0;
            a->out[i] = is_root ? sqrt(variance) : variance;
            valid |= (uint64_t)has_value << (i % 64);
        }
        a->out_validity[w] = valid;
    }
}
