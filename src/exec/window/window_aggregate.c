/* window_aggregate.c - aggregates over frames: a state for each row, made by the kernels over_*, then the
 * values of the states, as grouping makes them. */
#include "exec/window/window.h"

/* One call's. */
typedef struct window_aggregate {
    window_rows *rows;
    const plan_window_call *call;
    const struct known *known;
    data_type type;
    window_frame frame;
    tensor *values; /* the argument; NULL: count(*) */
    tensor *second; /* of a pair's, x */
    dev_buffer *counts, *states, *scratch;
} window_aggregate;

typedef status evaluator(window_aggregate *a, tensor **out);

/* How each state of aggregates.def is evaluated. */
static evaluator evaluate_count, evaluate_sum, evaluate_pick, evaluate_variance, evaluate_pair,
    evaluate_bits;
static const struct {
    const char *state;
    evaluator *evaluate;
} evaluators[] = {
    {"count", evaluate_count},       {"sum", evaluate_sum},   {"pick", evaluate_pick},
    {"variance", evaluate_variance}, {"pair", evaluate_pair}, {"bits", evaluate_bits},
};

static const struct known {
    const char *state;
    int operation;
    aggregate_result result;
} aggregates[AGGREGATE_FUNCTION_COUNT] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    [AGGREGATE_##name] = {#state, operation, AGGREGATE_RESULT_##result},
#include "plan/aggregates.def"
};

static evaluator *find_evaluator(plan_aggregate_function function)
{
    for (size_t i = 0; i < sizeof evaluators / sizeof *evaluators; i++)
        if (!strcmp(aggregates[function].state, evaluators[i].state))
            return evaluators[i].evaluate;
    return NULL;
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
static status count_values(window_aggregate *a)
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

static status new_values(const window_aggregate *a, bool with_validity, tensor **out)
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

static status evaluate_count(window_aggregate *a, tensor **out)
{
    TRY(count_values(a));
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

static status finish_sum(const window_aggregate *a, tensor *values)
{
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

static status evaluate_sum(window_aggregate *a, tensor **out)
{
    TRY(count_values(a));
    TRY(a->values->type.id == TYPE_DOUBLE ? sum_doubles(a) : sum_integers(a));
    TRY(new_values(a, true, out));
    return finish_sum(a, *out);
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

static status evaluate_variance(window_aggregate *a, tensor **out)
{
    TRY(cast_values(a, &a->values));
    TRY(alloc_states(a, sizeof(aggregate_variance)));
    OVER_PARTS(a, over_vary, .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    TRY(new_values(a, true, out));
    return DEV_LAUNCH(a->rows->task->stream, aggregate_finish_variance,
                      .result = (int)a->known->result, .states = a->states->address,
                      .count = a->rows->count, .out = (*out)->values,
                      .out_validity = (*out)->validity);
}

static status evaluate_pair(window_aggregate *a, tensor **out)
{
    TRY(cast_values(a, &a->values));
    TRY(cast_values(a, &a->second));
    TRY(alloc_states(a, sizeof(aggregate_pair)));
    OVER_PARTS(a, over_pair, .values = a->values->values, .validity = a->values->validity,
               .second = a->second->values, .second_validity = a->second->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    TRY(new_values(a, true, out));
    return DEV_LAUNCH(a->rows->task->stream, aggregate_finish_pair, .result = (int)a->known->result,
                      .states = a->states->address, .count = a->rows->count, .out = (*out)->values,
                      .out_validity = (*out)->validity);
}

/* ---- bits, the least, the greatest ---- */

static status evaluate_bits(window_aggregate *a, tensor **out)
{
    uint32_t width = a->values->type.width;
    TRY(count_values(a));
    TRY(alloc_states(a, sizeof(uint64_t)));
    OVER_PARTS(a, over_bits, .op = (char)a->known->operation, .width = width,
               .values = a->values->values, .validity = a->values->validity,
               .scratch = a->scratch->address, .states = a->states->address);
    TRY(new_values(a, true, out));
    TRY(DEV_LAUNCH(a->rows->task->stream, over_narrow, .states = a->states->address,
                   .count = a->rows->count, .width = width, .out = (*out)->values));
    return clear_empty(a, *out);
}

/* The row of each frame's least or greatest value, in a new index. */
static status pick_rows(window_aggregate *a, bool is_greatest, row_index **out)
{
    row_index *index;
    TRY(window_alloc(a->rows, sizeof(uint32_t), 0, &a->scratch));
    TRY(row_index_new(a->rows->task->stream->dev, a->rows->count.bound, &index));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < a->frame.count && !st; i++)
        st = DEV_LAUNCH(a->rows->task->stream, over_pick, .is_greatest = is_greatest,
                        .type = a->values->type, .values = a->values->values,
                        .validity = a->values->validity, .from = a->frame.parts[i].from->address,
                        .to = a->frame.parts[i].to->address, .count = a->rows->count,
                        .combine = i > 0, .scratch = a->scratch->address, .states = index->rows);
    if (st) {
        row_index_unref(index);
        return st;
    }
    *out = index;
    return STATUS_OK;
}

static status evaluate_pick(window_aggregate *a, tensor **out)
{
    row_index *index;
    TRY(pick_rows(a, a->known->operation == AGGREGATE_PICK_GREATEST, &index));
    return window_gather(a->rows, a->values, 0, index, out);
}

/* ---- all of them ---- */

static void release(window_aggregate *a)
{
    tensor_unref(a->values);
    tensor_unref(a->second);
    dev_buffer_unref(a->counts);
    dev_buffer_unref(a->states);
    dev_buffer_unref(a->scratch);
    window_frame_release(&a->frame);
}

/* The frames and the arguments. */
static status prepare(window_aggregate *a)
{
    const plan_window_call *call = a->call;
    TRY(window_frame_make(a->rows, &call->frame, &a->frame));
    if (call->arg_count)
        TRY(window_value(a->rows, call->args[0], &a->values));
    return call->arg_count > 1 ? window_value(a->rows, call->args[1], &a->second) : STATUS_OK;
}

status window_aggregate_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                 tensor **out)
{
    window_aggregate a = {
        .rows = rows, .call = call, .known = &aggregates[call->aggregate], .type = type};
    *out = NULL;
    status st = prepare(&a);
    if (!st)
        st = find_evaluator(call->aggregate)(&a, out);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    release(&a);
    return st;
}

status window_value_of_evaluate(window_rows *rows, const plan_window_call *call, tensor **out)
{
    window_aggregate a = {.rows = rows, .call = call};
    row_index *index;
    *out = NULL;
    status st = prepare(&a); /* values: the key; second: what is wanted */
    if (!st)
        st = pick_rows(&a, call->function == WINDOW_VALUE_OF_GREATEST, &index);
    if (!st)
        st = window_gather(rows, a.second, 0, index, out);
    release(&a);
    return st;
}
