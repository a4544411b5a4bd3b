/* window_aggregate.c - aggregates over frames: a state for each row, made by the kernels over_*, then the
 * values of the states, as grouping makes them. */
#include "exec/window/window_aggregate.h"

#include "device/value/bits_value.h"
#include "exec/window/window_frame.h"
#include "exec/window/window_rows.h"

typedef status starter(window_aggregate *a);
typedef status finisher(window_aggregate *a, tensor **out);

/* How the states of aggregates.def are made, and what becomes of them. */
static starter window_aggregate_count_values, start_sum, start_pick, start_variance, start_pair,
    start_bits, start_product;
static finisher finish_count, window_aggregate_finish_sum, window_aggregate_finish_pick,
    window_aggregate_finish_variance, window_aggregate_finish_pair, finish_bits;
static const struct evaluator {
    const char *state;
    starter *start;
    finisher *finish;
} evaluators[] = {
    {"count", window_aggregate_count_values, finish_count},
    {"sum", start_sum, window_aggregate_finish_sum},
    {"pick", start_pick, window_aggregate_finish_pick},
    {"variance", start_variance, window_aggregate_finish_variance},
    {"pair", start_pair, window_aggregate_finish_pair},
    {"bits", start_bits, finish_bits},
    {"product", start_product, finish_bits},
};

static const struct window_known {
    const char *state;
    int operation;
    aggregate_result result;
} aggregates[AGGREGATE_FUNCTION_COUNT] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    [AGGREGATE_##name] = {#state, operation, AGGREGATE_RESULT_##result},
#include "plan/tree/aggregates.def"
};

static const struct evaluator *find_evaluator(plan_aggregate_function function)
{
    for (size_t i = 0; i < sizeof evaluators / sizeof *evaluators; i++)
        if (!strcmp(aggregates[function].state, evaluators[i].state))
            return &evaluators[i];
    return NULL;
}

const char *window_aggregate_state(plan_aggregate_function function)
{
    return aggregates[function].state;
}

uint64_t window_aggregate_bits(const window_aggregate *a, uint64_t left, uint64_t right)
{
    return bits_join((char)a->known->operation, left, right);
}

bool window_aggregate_is_known(plan_aggregate_function function)
{
    return find_evaluator(function) != NULL;
}

/* States, and scratch for as many. */
static status alloc_states(window_aggregate *a, size_t bytes)
{
    TRY(window_alloc(a->rows, bytes, 0, &a->states));
    return window_alloc(a->rows, bytes, 0, &a->scratch);
}

/* Launches a kernel over each part of the frame; the states of all of them are put together. */
#define OVER_PARTS(a, kernel, ...)                                                                 \
    do {                                                                                           \
        for (uint32_t part_ = 0; part_ < (a)->frame.count; part_++) {                              \
            const window_range *range_ = &(a)->frame.parts[part_];                                 \
            TRY(DEV_LAUNCH((a)->rows->task->stream, kernel, .from = range_->from->address,         \
                           .to = range_->to->address, .count = (a)->rows->count,                   \
                           .combine = part_ > 0, __VA_ARGS__));                                    \
        }                                                                                          \
    } while (0)

/* How many values each frame has. */
static status window_aggregate_count_values(window_aggregate *a)
{
    const uint64_t *validity = a->values ? a->values->validity : NULL;
    dev_buffer *sums = NULL;
    TRY(window_alloc(a->rows, sizeof(uint64_t), 0, &a->counts));
    if (validity) {
        TRY(window_alloc(a->rows, sizeof(uint32_t), 1, &sums));
        dev_buffer_unref(a->scratch);
        a->scratch = sums;
    }
    OVER_PARTS(a, over_count, .validity = validity, .sums = sums ? sums->address : NULL,
               .states = a->counts->address);
    dev_buffer_unref(a->scratch);
    a->scratch = NULL;
    return STATUS_OK;
}

static status window_aggregate_new_values(const window_aggregate *a, bool with_validity,
                                          tensor **out)
{
    return tensor_new_flat(a->rows->task->stream->dev, a->type, a->rows->count.bound, with_validity,
                           out);
}

/* Frames without a value give NULL. */
static status clear_empty(const window_aggregate *a, tensor *values)
{
    return DEV_LAUNCH(a->rows->task->stream, aggregate_validity, .states = a->counts->address,
                      .least = 1, .count = a->rows->count, .width = values->type.width,
                      .values = values->values, .out = values->validity);
}

/* ---- counts ---- */

static status finish_count(window_aggregate *a, tensor **out)
{
    return tensor_new_view(a->type, a->counts, a->counts->address, out);
}

/* ---- sums ---- */

static status sum_integers(window_aggregate *a)
{
    TRY(alloc_states(a, sizeof(int128)));
    OVER_PARTS(a, over_sum, .type = a->values->type, .values = a->values->values,
               .validity = a->values->validity, .scratch = a->scratch->address,
               .states = a->states->address, .error = a->rows->task->error,
               .location = (uint32_t)a->call->position);
    return STATUS_OK;
}

static status sum_doubles(window_aggregate *a)
{
    TRY(alloc_states(a, sizeof(aggregate_number)));
    OVER_PARTS(a, over_sum_number, .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    return STATUS_OK;
}

static status start_sum(window_aggregate *a)
{
    TRY(window_aggregate_count_values(a));
    return a->values->type.id == TYPE_DOUBLE ? sum_doubles(a) : sum_integers(a);
}

static status window_aggregate_finish_sum(window_aggregate *a, tensor **out)
{
    TRY(window_aggregate_new_values(a, true, out));
    tensor *values = *out;
    dev_stream *stream = a->rows->task->stream;
    bool is_double = a->values->type.id == TYPE_DOUBLE;
    if (!is_double && a->known->result == AGGREGATE_RESULT_SUM)
        TRY(DEV_LAUNCH(stream, aggregate_finish_sum, .type = a->type, .states = a->states->address,
                       .state_width = sizeof(int128), .count = a->rows->count,
                       .out = values->values, .error = a->rows->task->error,
                       .location = (uint32_t)a->call->position));
    else
        TRY(DEV_LAUNCH(
            stream, aggregate_finish_number, .is_number = is_double, .states = a->states->address,
            .state_width = sizeof(int128), .scale = a->values->type.scale,
            .counts = a->known->result == AGGREGATE_RESULT_MEAN ? a->counts->address : NULL,
            .count = a->rows->count, .width = values->type.width, .out = values->values));
    return clear_empty(a, values);
}

/* An argument as doubles. */
static status cast_values(const window_aggregate *a, tensor **values)
{
    dev_stream *stream = a->rows->task->stream;
    tensor *from = *values, *doubles;
    uint64_t rows = a->rows->count.bound;
    if (from->type.id == TYPE_DOUBLE)
        return STATUS_OK;
    TRY(tensor_new_flat(stream->dev, type_make(TYPE_DOUBLE), rows, false, &doubles));
    status st = DEV_LAUNCH(stream, cast_number, .from = from->type, .to = doubles->type,
                           .values = from->values, .validity = from->validity,
                           .count = a->rows->count, .out = doubles->values,
                           .error = a->rows->task->error, .location = (uint32_t)a->call->position);
    doubles->validity = from->validity;
    doubles->validity_owner = dev_buffer_ref(from->validity_owner);
    tensor_unref(from);
    *values = doubles;
    return st;
}

static status start_variance(window_aggregate *a)
{
    TRY(cast_values(a, &a->values));
    TRY(alloc_states(a, sizeof(aggregate_variance)));
    OVER_PARTS(a, over_vary, .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    return STATUS_OK;
}

static status window_aggregate_finish_variance(window_aggregate *a, tensor **out)
{
    TRY(window_aggregate_new_values(a, true, out));
    return DEV_LAUNCH(a->rows->task->stream, aggregate_finish_variance,
                      .result = (int)a->known->result, .states = a->states->address,
                      .count = a->rows->count, .out = (*out)->values,
                      .out_validity = (*out)->validity);
}

static status start_pair(window_aggregate *a)
{
    TRY(cast_values(a, &a->values));
    TRY(cast_values(a, &a->second));
    TRY(alloc_states(a, sizeof(aggregate_pair)));
    OVER_PARTS(a, over_pair, .values = a->values->values, .validity = a->values->validity,
               .second = a->second->values, .second_validity = a->second->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    return STATUS_OK;
}

static status window_aggregate_finish_pair(window_aggregate *a, tensor **out)
{
    TRY(window_aggregate_new_values(a, true, out));
    return DEV_LAUNCH(a->rows->task->stream, aggregate_finish_pair, .result = (int)a->known->result,
                      .states = a->states->address, .count = a->rows->count, .out = (*out)->values,
                      .out_validity = (*out)->validity);
}

/* ---- bits, the least, the greatest ---- */

static status start_bits(window_aggregate *a)
{
    TRY(window_aggregate_count_values(a));
    TRY(alloc_states(a, sizeof(uint64_t)));
    OVER_PARTS(a, over_bits, .op = (char)a->known->operation, .width = a->values->type.width,
               .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    return STATUS_OK;
}

static status start_product(window_aggregate *a)
{
    TRY(cast_values(a, &a->values));
    return start_bits(a);
}

static status finish_bits(window_aggregate *a, tensor **out)
{
    TRY(window_aggregate_new_values(a, true, out));
    TRY(DEV_LAUNCH(a->rows->task->stream, over_narrow, .states = a->states->address,
                   .count = a->rows->count, .width = a->values->type.width, .out = (*out)->values));
    return clear_empty(a, *out);
}

/* The row of each frame's least or greatest value. */
static status pick_rows(window_aggregate *a)
{
    TRY(window_alloc(a->rows, sizeof(uint32_t), 0, &a->scratch));
    TRY(row_index_new(a->rows->task->stream->dev, a->rows->count.bound, &a->picked));
    OVER_PARTS(a, over_pick, .is_greatest = a->is_greatest, .type = a->values->type,
               .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->picked->rows);
    return STATUS_OK;
}

static status start_pick(window_aggregate *a)
{
    a->is_greatest = a->known->operation == AGGREGATE_PICK_GREATEST;
    return pick_rows(a);
}

/* The rows' values: of the column, or of another with as many rows. */
static status gather_picked(window_aggregate *a, tensor *values, tensor **out)
{
    return window_gather(a->rows, values, 0, row_index_ref(a->picked), out);
}

static status window_aggregate_finish_pick(window_aggregate *a, tensor **out)
{
    if (a->carried)
        return window_gather(a->rows, a->carried, 1, row_index_ref(a->picked), out);
    return gather_picked(a, a->values, out);
}

/* ---- all of them ---- */

void window_aggregate_release(window_aggregate *a)
{
    tensor_unref(a->values);
    tensor_unref(a->second);
    tensor_unref(a->carried);
    dev_buffer_unref(a->counts);
    dev_buffer_unref(a->states);
    dev_buffer_unref(a->scratch);
    row_index_unref(a->picked);
    window_frame_release(&a->frame);
}

/* The frames and the arguments. */
static status window_aggregate_prepare(window_aggregate *a)
{
    const plan_window_call *call = a->call;
    TRY(window_frame_make(a->rows, &call->frame, &a->frame));
    if (call->arg_count)
        TRY(window_value(a->rows, call->args[0], &a->values));
    return call->arg_count > 1 ? window_value(a->rows, call->args[1], &a->second) : STATUS_OK;
}

status window_aggregate_start(window_rows *rows, const plan_window_call *call, data_type type,
                              window_aggregate *out)
{
    *out = (window_aggregate){.rows = rows,
                              .call = call,
                              .known = &aggregates[call->aggregate],
                              .state = aggregates[call->aggregate].state,
                              .type = type};
    TRY(window_aggregate_prepare(out));
    TRY(find_evaluator(call->aggregate)->start(out));
    dev_buffer_unref(out->scratch);
    out->scratch = NULL;
    return STATUS_OK;
}

status window_aggregate_finish(window_aggregate *a, tensor **out)
{
    *out = NULL;
    status st = find_evaluator(a->call->aggregate)->finish(a, out);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

status window_aggregate_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                 tensor **out)
{
    window_aggregate a;
    *out = NULL;
    status st = window_aggregate_start(rows, call, type, &a);
    if (!st)
        st = window_aggregate_finish(&a, out);
    window_aggregate_release(&a);
    return st;
}

status window_value_of_evaluate(window_rows *rows, const plan_window_call *call, tensor **out)
{
    window_aggregate a = {
        .rows = rows, .call = call, .is_greatest = call->function == WINDOW_VALUE_OF_GREATEST};
    *out = NULL;
    status st = window_aggregate_prepare(&a); /* values: the key; second: what is wanted */
    if (!st)
        st = pick_rows(&a);
    if (!st)
        st = gather_picked(&a, a.second, out);
    window_aggregate_release(&a);
    return st;
}
