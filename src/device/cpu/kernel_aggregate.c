/* kernel_aggregate.c - adding values to aggregate states, merging states, states to values. */
#include "device/cpu/kernel.h"

#include <math.h>

static void overflow(dev_error *error, uint32_t place)
{
    kernel_fail(error, DEV_ERROR_OVERFLOW, place, 0);
}

/* Runs `body` for each row i that counts, with `state` its group's. */
#define FOR_ROWS(body)                                                                             \
    do {                                                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            if (!kernel_is_valid(a->validity, i) || !kernel_is_valid(a->mask, i))                  \
                continue;                                                                          \
            aggregate_state *state = &a->states[a->groups ? a->groups[i] : 0];                     \
            body;                                                                                  \
        }                                                                                          \
    } while (0)

static void update_count(const aggregate_update_arguments *a, size_t count)
{
    if (!a->groups) {
        uint64_t total = 0;
        for (size_t w = 0; w * 64 < count; w++) {
            uint64_t word = kernel_word_mask(count, w);
            if (a->validity)
                word &= a->validity[w];
            if (a->mask)
                word &= a->mask[w];
            total += (uint64_t)__builtin_popcountll(word);
        }
        a->states->count += total;
        return;
    }
    FOR_ROWS(state->count++);
}

/* Sums of 64 values of at most 57 bits fit 63 bits; wider values go one by one. */
#define SUM_NARROW(ctype)                                                                          \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        if (!a->groups && !a->validity && !a->mask) {                                              \
            int128 total = 0;                                                                      \
            for (size_t start = 0; start < count; start += 4096) {                                 \
                size_t end = count - start < 4096 ? count : start + 4096;                          \
                int64_t low = 0, high = 0;                                                         \
                for (size_t i = start; i < end; i++) {                                             \
                    low += (int64_t)((uint64_t)(int64_t)values[i] & 0xffffffff);                   \
                    high += (int64_t)values[i] >> 32;                                              \
                }                                                                                  \
                total += ((int128)high * ((int64_t)1 << 32)) + low;                                \
            }                                                                                      \
            a->states->integer += total;                                                           \
            a->states->count += count;                                                             \
        } else {                                                                                   \
            FOR_ROWS(state->integer += values[i]; state->count++);                                 \
        }                                                                                          \
    } while (0)

static void sum_wide(const aggregate_update_arguments *a, size_t count)
{
    const int128 *values = a->values;
    bool has_overflow = false;
    FOR_ROWS(has_overflow |= __builtin_add_overflow(state->integer, values[i], &state->integer);
             state->count++);
    if (has_overflow)
        overflow(a->error, a->place);
}

static void sum_unsigned(const aggregate_update_arguments *a, size_t count)
{
    const uint64_t *values = a->values;
    FOR_ROWS(state->integer += values[i]; state->count++);
}

static void update_sum(const aggregate_update_arguments *a, size_t count)
{
    switch (a->type.id) {
    case TYPE_INT8:
        SUM_NARROW(int8_t);
        break;
    case TYPE_UINT8:
        SUM_NARROW(uint8_t);
        break;
    case TYPE_INT16:
        SUM_NARROW(int16_t);
        break;
    case TYPE_UINT16:
        SUM_NARROW(uint16_t);
        break;
    case TYPE_INT32:
        SUM_NARROW(int32_t);
        break;
    case TYPE_UINT32:
        SUM_NARROW(uint32_t);
        break;
    case TYPE_UINT64:
        sum_unsigned(a, count);
        break;
    case TYPE_FLOAT: {
        const float *values = a->values;
        FOR_ROWS(state->number[0] += (double)values[i]; state->count++);
        break;
    }
    case TYPE_DOUBLE: {
        const double *values = a->values;
        FOR_ROWS(state->number[0] += values[i]; state->count++);
        break;
    }
    default:
        if (a->type.width == 16)
            sum_wide(a, count);
        else
            SUM_NARROW(int64_t);
    }
}

/* ---- minima and maxima ---- */

static inline void pick_integer(aggregate_state *state, int128 x, int kind)
{
    bool is_better = !state->count++ || (kind == AGGREGATE_KIND_MIN   ? x < state->integer
                                         : kind == AGGREGATE_KIND_MAX ? x > state->integer
                                                                      : false);
    if (is_better)
        state->integer = x;
}

/* NaN is greater than all other numbers, as in sorting. */
static inline bool number_is_less(double x, double y)
{
    return x != x ? false : y != y ? true : x < y;
}

static inline void pick_number(aggregate_state *state, double x, int kind)
{
    bool is_better =
        !state->count++ || (kind == AGGREGATE_KIND_MIN   ? number_is_less(x, state->number[0])
                            : kind == AGGREGATE_KIND_MAX ? number_is_less(state->number[0], x)
                                                         : false);
    if (is_better)
        state->number[0] = x;
}

static int compare_text(const string_view *a, const string_view *b)
{
    uint32_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = common ? memcmp(kernel_string_data(a), kernel_string_data(b), common) : 0;
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static inline void pick_text(aggregate_state *state, const string_view *x, int kind)
{
    bool is_better =
        !state->count++ || (kind == AGGREGATE_KIND_MIN   ? compare_text(x, &state->text) < 0
                            : kind == AGGREGATE_KIND_MAX ? compare_text(x, &state->text) > 0
                                                         : false);
    if (is_better)
        state->text = *x;
}

#define PICK(ctype)                                                                                \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        FOR_ROWS(pick_integer(state, (int128)values[i], a->kind));                                 \
    } while (0)

static void update_pick(const aggregate_update_arguments *a, size_t count)
{
    switch (a->type.id) {
    case TYPE_BOOL: {
        const uint64_t *bits = a->values;
        FOR_ROWS(pick_integer(state, kernel_bit(bits, i), a->kind));
        break;
    }
    case TYPE_INT8:
        PICK(int8_t);
        break;
    case TYPE_UINT8:
        PICK(uint8_t);
        break;
    case TYPE_INT16:
        PICK(int16_t);
        break;
    case TYPE_UINT16:
        PICK(uint16_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        PICK(int32_t);
        break;
    case TYPE_UINT32:
        PICK(uint32_t);
        break;
    case TYPE_UINT64:
        PICK(uint64_t);
        break;
    case TYPE_FLOAT: {
        const float *values = a->values;
        FOR_ROWS(pick_number(state, (double)values[i], a->kind));
        break;
    }
    case TYPE_DOUBLE: {
        const double *values = a->values;
        FOR_ROWS(pick_number(state, values[i], a->kind));
        break;
    }
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        const string_view *values = a->values;
        FOR_ROWS(pick_text(state, &values[i], a->kind));
        break;
    }
    default:
        if (a->type.width == 16)
            PICK(int128);
        else
            PICK(int64_t);
    }
}

static void update_variance(const aggregate_update_arguments *a, size_t count)
{
    const double *values = a->values;
    FOR_ROWS({
        double delta = values[i] - state->number[0];
        state->number[0] += delta / (double)++state->count;
        state->number[1] += delta * (values[i] - state->number[0]);
    });
}

void ISA_(aggregate_update)(const aggregate_update_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->kind) {
    case AGGREGATE_KIND_COUNT:
        update_count(a, count);
        break;
    case AGGREGATE_KIND_SUM:
        update_sum(a, count);
        break;
    case AGGREGATE_KIND_VARIANCE:
        update_variance(a, count);
        break;
    default:
        update_pick(a, count);
    }
}

/* ---- merging ---- */

static bool is_number(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

static bool is_text(data_type type)
{
    return type.id == TYPE_VARCHAR || type.id == TYPE_BLOB;
}

static void merge_variance(aggregate_state *state, const aggregate_state *other)
{
    double n = (double)state->count, m = (double)other->count;
    double delta = other->number[0] - state->number[0];
    state->number[0] += delta * m / (n + m);
    state->number[1] += other->number[1] + delta * delta * n * m / (n + m);
    state->count += other->count;
}

static void merge_one(const aggregate_merge_arguments *a, aggregate_state *state,
                      const aggregate_state *other)
{
    uint64_t count = state->count + other->count;
    if (!other->count)
        return;
    switch (a->kind) {
    case AGGREGATE_KIND_COUNT:
        break;
    case AGGREGATE_KIND_SUM:
        if (is_number(a->type))
            state->number[0] += other->number[0];
        else if (__builtin_add_overflow(state->integer, other->integer, &state->integer))
            overflow(a->error, a->place);
        break;
    case AGGREGATE_KIND_VARIANCE:
        merge_variance(state, other);
        break;
    default:
        if (is_text(a->type))
            pick_text(state, &other->text, a->kind);
        else if (is_number(a->type))
            pick_number(state, other->number[0], a->kind);
        else
            pick_integer(state, other->integer, a->kind);
    }
    state->count = count;
}

void ISA_(aggregate_merge)(const aggregate_merge_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        merge_one(a, &a->states[a->groups ? a->groups[i] : 0], &a->source[i]);
}

/* ---- results ---- */

static double power_of_ten_double(unsigned exponent)
{
    double power = 1;
    for (; exponent; exponent--)
        power *= 10;
    return power;
}

static double finish_number(const aggregate_finish_arguments *a, const aggregate_state *state)
{
    double n = (double)state->count;
    switch (a->result) {
    case AGGREGATE_RESULT_MEAN:
        if (is_number(a->type))
            return state->number[0] / n;
        return (double)state->integer / n / power_of_ten_double(a->type.scale);
    case AGGREGATE_RESULT_VAR_SAMP:
        return state->number[1] / (n - 1);
    case AGGREGATE_RESULT_VAR_POP:
        return state->number[1] / n;
    case AGGREGATE_RESULT_STDDEV_SAMP:
        return sqrt(state->number[1] / (n - 1));
    default:
        return sqrt(state->number[1] / n);
    }
}

static void store_integer(const aggregate_finish_arguments *a, size_t i, int128 number)
{
    switch (a->result_type.width) {
    case 1:
        ((int8_t *)a->out)[i] = (int8_t)number;
        break;
    case 2:
        ((int16_t *)a->out)[i] = (int16_t)number;
        break;
    case 4:
        ((int32_t *)a->out)[i] = (int32_t)number;
        break;
    case 8:
        if (a->result_type.id != TYPE_UINT64 && number != (int64_t)number)
            overflow(a->error, a->place);
        ((int64_t *)a->out)[i] = (int64_t)number;
        break;
    default: {
        int128 bound = (int128)10000000000000000000u * 10000000000000000000u;
        if (number >= bound || number <= -bound)
            overflow(a->error, a->place);
        ((int128 *)a->out)[i] = number;
    }
    }
}

static void finish_value(const aggregate_finish_arguments *a, size_t i,
                         const aggregate_state *state)
{
    if (is_text(a->type))
        ((string_view *)a->out)[i] = state->text;
    else if (a->result_type.id == TYPE_FLOAT)
        ((float *)a->out)[i] = (float)state->number[0];
    else if (a->result_type.id == TYPE_DOUBLE)
        ((double *)a->out)[i] = state->number[0];
    else if (a->result_type.id == TYPE_INTERVAL)
        memcpy((char *)a->out + i * 16, &state->integer, 16);
    else if (a->result_type.width)
        store_integer(a, i, state->integer);
    else if (state->integer)
        ((uint64_t *)a->out)[i / 64] |= (uint64_t)1 << (i % 64);
}

void ISA_(aggregate_finish)(const aggregate_finish_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t needed =
        a->result == AGGREGATE_RESULT_VAR_SAMP || a->result == AGGREGATE_RESULT_STDDEV_SAMP ? 2 : 1;
    if (!a->result_type.width)
        memset(a->out, 0, (count + 63) / 64 * 8);
    if (a->out_validity)
        memset(a->out_validity, 0, (count + 63) / 64 * 8);
    for (size_t i = 0; i < count; i++) {
        const aggregate_state *state = &a->states[i];
        if (a->result == AGGREGATE_RESULT_COUNT) {
            ((int64_t *)a->out)[i] = (int64_t)state->count;
            continue;
        }
        if (a->out_validity)
            a->out_validity[i / 64] |= (uint64_t)(state->count >= needed) << (i % 64);
        if (a->result == AGGREGATE_RESULT_VALUE)
            finish_value(a, i, state);
        else
            ((double *)a->out)[i] = state->count >= needed ? finish_number(a, state) : 0;
    }
}
