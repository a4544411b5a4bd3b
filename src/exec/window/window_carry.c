/* window_carry.c - what a partition's rows so far have come to, for each state of aggregates.def and for numbers. */
#include "exec/window/window_carry.h"

#include "device/value/aggregate_join.h"
#include "device/value/pair_value.h"
#include "exec/window/window_rows.h"

/* first_value, beside the states of aggregates.def: rows are picked as the least value's are. */
#define FIRST "first"

typedef status carrier(window_aggregate *a, const window_carry *before, uint64_t from, uint64_t to);
typedef status taker(const window_aggregate *a, uint64_t row, window_carry *out);

static carrier carry_count, carry_sum, carry_pick, carry_variance, carry_pair, carry_bits,
    carry_first;
static taker take_count, take_sum, take_pick, take_variance, take_pair, take_bits;
static const struct {
    const char *state;
    carrier *carry;
    taker *take;
} carriers[] = {
    {"count", carry_count, take_count}, {"sum", carry_sum, take_sum},
    {"pick", carry_pick, take_pick},    {"variance", carry_variance, take_variance},
    {"pair", carry_pair, take_pair},    {"bits", carry_bits, take_bits},
    {"product", carry_bits, take_bits}, {FIRST, carry_first, take_pick},
};
#define NO_CARRIER (sizeof carriers / sizeof *carriers)

static size_t find_carrier(const char *state)
{
    size_t i = 0;
    while (i < NO_CARRIER && strcmp(carriers[i].state, state))
        i++;
    return i;
}

void window_carry_release(window_carry *carry)
{
    tensor_unref(carry->best);
    carry->best = NULL;
}

/* ---- counts ---- */

static status carry_count(window_aggregate *a, const window_carry *before, uint64_t from,
                          uint64_t to)
{
    uint64_t *counts = a->counts->address;
    for (uint64_t i = from; i < to; i++)
        counts[i] += before->count;
    return STATUS_OK;
}

static status take_count(const window_aggregate *a, uint64_t row, window_carry *out)
{
    out->count = ((const uint64_t *)a->counts->address)[row];
    return STATUS_OK;
}

/* ---- sums ---- */

static bool window_carry_is_number(const window_aggregate *a)
{
    return a->values->type.id == TYPE_DOUBLE;
}

static status carry_integers(window_aggregate *a, int128 before, uint64_t from, uint64_t to)
{
    int128 *sums = a->states->address;
    bool overflows = false;
    for (uint64_t i = from; i < to; i++)
        overflows |= __builtin_add_overflow(before, sums[i], &sums[i]);
    dev_error error = {.code = DEV_ERROR_OVERFLOW, .location = (uint32_t)a->call->position};
    return overflows ? exec_error_status(a->rows->task->query, &error) : STATUS_OK;
}

static status carry_sum(window_aggregate *a, const window_carry *before, uint64_t from, uint64_t to)
{
    TRY(carry_count(a, before, from, to));
    if (!window_carry_is_number(a))
        return carry_integers(a, before->state.sum, from, to);
    aggregate_number *numbers = a->states->address;
    for (uint64_t i = from; i < to; i++)
        numbers[i] = number_join(before->state.number, numbers[i]);
    return STATUS_OK;
}

static status take_sum(const window_aggregate *a, uint64_t row, window_carry *out)
{
    if (window_carry_is_number(a))
        out->state.number = ((const aggregate_number *)a->states->address)[row];
    else
        out->state.sum = ((const int128 *)a->states->address)[row];
    return take_count(a, row, out);
}

static status carry_variance(window_aggregate *a, const window_carry *before, uint64_t from,
                             uint64_t to)
{
    aggregate_variance *states = a->states->address;
    for (uint64_t i = from; i < to; i++)
        states[i] = variance_join(before->state.variance, states[i]);
    return STATUS_OK;
}

static status take_variance(const window_aggregate *a, uint64_t row, window_carry *out)
{
    out->state.variance = ((const aggregate_variance *)a->states->address)[row];
    return STATUS_OK;
}

static status carry_pair(window_aggregate *a, const window_carry *before, uint64_t from,
                         uint64_t to)
{
    aggregate_pair *states = a->states->address;
    for (uint64_t i = from; i < to; i++) {
        aggregate_pair joined = before->state.pair;
        pair_merge(&joined, &states[i]);
        states[i] = joined;
    }
    return STATUS_OK;
}

static status take_pair(const window_aggregate *a, uint64_t row, window_carry *out)
{
    out->state.pair = ((const aggregate_pair *)a->states->address)[row];
    return STATUS_OK;
}

/* ---- bits ---- */

static status carry_bits(window_aggregate *a, const window_carry *before, uint64_t from,
                         uint64_t to)
{
    uint64_t *states = a->states->address, bits = before->state.bits;
    TRY(carry_count(a, before, from, to));
    for (uint64_t i = from; i < to; i++)
        states[i] = window_aggregate_bits(a, bits, states[i]);
    return STATUS_OK;
}

static status take_bits(const window_aggregate *a, uint64_t row, window_carry *out)
{
    out->state.bits = ((const uint64_t *)a->states->address)[row];
    return take_count(a, row, out);
}

/* ---- the least and the greatest ---- */

/* Puts what was carried in front of the values. */
static status put_in_front(window_aggregate *a, tensor *best)
{
    uint64_t rows = a->rows->count.bound;
    TRY(window_concat(a->rows, best, 1, a->values, rows, &a->carried));
    for (uint64_t i = 0; i < rows; i++)
        a->picked->rows[i] += a->picked->rows[i] != ROW_NULL;
    return STATUS_OK;
}

/* Whether the value of a row is better than what was carried. */
static status beats(const window_aggregate *a, uint32_t row, bool *out)
{
    dev_stream *stream = a->rows->task->stream;
    uint32_t from = 0, to = 2, scratch[2], best = 0;
    const uint32_t rows[2] = {0, row};
    tensor *two;
    *out = false;
    if (row == ROW_NULL)
        return STATUS_OK;
    TRY(window_some_rows(a->rows, a->carried, a->rows->count.bound + 1, rows, 2, &two));
    status st = DEV_LAUNCH(stream, over_pick, .is_greatest = a->is_greatest, .type = two->type,
                           .values = two->values, .validity = two->validity, .from = &from,
                           .to = &to, .count = dev_count_exact(1), .combine = false,
                           .scratch = scratch, .states = &best);
    tensor_unref(two);
    *out = best == 1;
    return st;
}

/* From some row on the rows' own are better, as they never become worse. */
static status carry_pick(window_aggregate *a, const window_carry *before, uint64_t from,
                         uint64_t to)
{
    uint64_t low = from, high = to;
    if (!before->best)
        return STATUS_OK;
    if (!a->carried)
        TRY(put_in_front(a, before->best));
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool is_better;
        TRY(beats(a, a->picked->rows[middle], &is_better));
        if (is_better)
            high = middle;
        else
            low = middle + 1;
    }
    for (uint64_t i = from; i < low; i++)
        a->picked->rows[i] = 0;
    return STATUS_OK;
}

static status take_pick(const window_aggregate *a, uint64_t row, window_carry *out)
{
    uint32_t picked = a->picked->rows[row];
    if (picked == ROW_NULL)
        return STATUS_OK;
    return window_some_rows(a->rows, a->carried ? a->carried : a->values,
                            a->rows->count.bound + (a->carried != NULL), &picked, 1, &out->best);
}

/* ---- the first value ---- */

static status start_first(window_rows *rows, const plan_window_call *call, window_aggregate *out)
{
    const window_range *partition;
    *out = (window_aggregate){.rows = rows, .call = call, .state = FIRST};
    TRY(window_value(rows, call->args[0], &out->values));
    TRY(window_partition(rows, &partition));
    TRY(row_index_new(rows->task->stream->dev, rows->count.bound, &out->picked));
    memcpy(out->picked->rows, partition->from->address, rows->count.bound * sizeof(uint32_t));
    return STATUS_OK;
}

static status carry_first(window_aggregate *a, const window_carry *before, uint64_t from,
                          uint64_t to)
{
    if (!a->carried)
        TRY(put_in_front(a, before->best));
    for (uint64_t i = from; i < to; i++)
        a->picked->rows[i] = 0;
    return STATUS_OK;
}

/* ---- calls ---- */

static bool has_states(const plan_window_call *call)
{
    return call->function == WINDOW_AGGREGATE || call->function == WINDOW_FIRST_VALUE;
}

/* All of the partition up to the row, or its last peer. */
static bool is_running(const plan_frame *frame)
{
    return frame->start.kind == FRAME_UNBOUNDED_PRECEDING && frame->end.kind == FRAME_CURRENT &&
           frame->exclusion == FRAME_EXCLUDE_NONE;
}

bool window_running_can(const plan_window_call *call)
{
    if (call->ignores_nulls)
        return false;
    switch (call->function) {
    case WINDOW_ROW_NUMBER:
    case WINDOW_RANK:
    case WINDOW_DENSE_RANK:
        return true;
    case WINDOW_FIRST_VALUE:
    case WINDOW_LAST_VALUE:
        return is_running(&call->frame);
    case WINDOW_AGGREGATE:
        return is_running(&call->frame) &&
               find_carrier(window_aggregate_state(call->aggregate)) < NO_CARRIER;
    default:
        return false;
    }
}

status window_running_start(window_rows *rows, const plan_window_call *call, data_type type,
                            window_running *out)
{
    *out = (window_running){.rows = rows, .call = call};
    if (call->function == WINDOW_AGGREGATE)
        return window_aggregate_start(rows, call, type, &out->aggregate);
    if (call->function == WINDOW_FIRST_VALUE)
        return start_first(rows, call, &out->aggregate);
    return window_call_evaluate(rows, call, type, &out->numbers);
}

status window_running_carry(window_running *running, const window_carry *before, uint64_t from,
                            uint64_t to)
{
    if (running->call->function == WINDOW_LAST_VALUE)
        return STATUS_OK; /* it is a peer's */
    if (has_states(running->call))
        return carriers[find_carrier(running->aggregate.state)].carry(&running->aggregate, before,
                                                                      from, to);
    int64_t *numbers = running->numbers->values;
    uint64_t more = running->call->function == WINDOW_DENSE_RANK ? before->count : before->rows;
    for (uint64_t i = from; i < to; i++)
        numbers[i] += (int64_t)more;
    return STATUS_OK;
}

status window_running_take(const window_running *running, const window_carry *before, uint64_t row,
                           window_carry *out)
{
    const window_range *partition;
    *out = (window_carry){0};
    TRY(window_partition(running->rows, &partition));
    out->rows = row - ((const uint32_t *)partition->from->address)[row] + 1;
    out->rows += before ? before->rows : 0;
    if (has_states(running->call))
        return carriers[find_carrier(running->aggregate.state)].take(&running->aggregate, row, out);
    if (running->call->function == WINDOW_DENSE_RANK)
        out->count = (uint64_t)((const int64_t *)running->numbers->values)[row];
    return STATUS_OK;
}

status window_running_finish(window_running *running, tensor **out)
{
    const window_aggregate *a = &running->aggregate;
    if (running->call->function == WINDOW_FIRST_VALUE)
        return window_gather(a->rows, a->carried ? a->carried : a->values, a->carried != NULL,
                             row_index_ref(a->picked), out);
    if (running->call->function == WINDOW_AGGREGATE)
        return window_aggregate_finish(&running->aggregate, out);
    *out = tensor_ref(running->numbers);
    return STATUS_OK;
}

void window_running_release(window_running *running)
{
    tensor_unref(running->numbers);
    window_aggregate_release(&running->aggregate);
}
