/* aggregate_state_sum.c - states that add up: counts, sums, means, variances. */
#include "device/transfer.h"
#include "exec/aggregate/aggregate_state_ops.h"

/* ---- counts ---- */

static uint32_t count_width(const aggregate_core *core, const aggregate_table *table,
                            const state_plan *plan)
{
    (void)core;
    (void)table;
    (void)plan;
    return sizeof(uint64_t);
}

static status update_count(const state_update *u, const state_plan *plan, state_array *array,
                           const tensor *argument, const tensor *filter)
{
    (void)plan;
    return DEV_LAUNCH(
        u->task->stream, aggregate_count, .validity = argument ? argument->validity : NULL,
        .mask = filter ? filter->values : NULL, .groups = u->groups, .group_count = u->table->count,
        .present = u->present, .count = u->rows, .states = array->buffer->address);
}

static status merge_count(const state_update *u, const state_plan *plan, const state_array *array,
                          const void *states, uint32_t width)
{
    dev_stream *stream = u->task->stream;
    (void)width;
    if (!states)
        return DEV_LAUNCH(stream, aggregate_count, .groups = u->groups,
                          .group_count = u->table->count, .count = u->rows,
                          .states = array->buffer->address);
    return DEV_LAUNCH(stream, aggregate_sum, .type = type_make(TYPE_INT64), .values = states,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .state_width = sizeof(int64_t), .fits = true,
                      .states = array->buffer->address, .error = u->task->error,
                      .location = plan->location);
}

const aggregate_state_ops aggregate_state_count = {
    .width = count_width, .update = update_count, .merge = merge_count};

/* ---- sums of integers and decimals: 64 bits wide while an upper bound of their magnitude fits ---- */

static uint32_t sum_width(const aggregate_core *core, const aggregate_table *table,
                          const state_plan *plan)
{
    bool has_few = table->form == TABLE_ONE || (table->form == TABLE_CODES && table->count <= 64);
    (void)plan;
    /* Narrow ones need magnitudes: a pass, and an answer that is there at once. */
    return core->dev->is_host && !has_few ? sizeof(int64_t) : sizeof(int128);
}

status state_widen_sum(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                       state_array *array)
{
    dev_buffer *wide;
    if (array->width == sizeof(int128))
        return STATUS_OK;
    array->width = sizeof(int128);
    if (!table->capacity)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, table->capacity * sizeof(int128), core->who, &wide));
    status st = DEV_LAUNCH(stream, aggregate_widen, .source = array->buffer->address,
                           .count = dev_count_exact(table->capacity), .out = wide->address);
    dev_buffer_unref(array->buffer);
    array->buffer = wide;
    return st;
}

/* No sum of some of these values is greater in magnitude. */
static status bound_of_sum(dev_stream *stream, const tensor *values, uint64_t rows, uint128 *out)
{
    uint64_t magnitude = UINT64_MAX;
    dev_buffer *word;
    if (values->type.width < 8) {
        *out = ((uint128)rows << (values->type.width * 8));
        return STATUS_OK;
    }
    if (stream->dev->is_host) {
        TRY(dev_words_new(stream, 1, &word));
        status st =
            DEV_LAUNCH(stream, aggregate_magnitude, .type = values->type, .values = values->values,
                       .count = dev_count_exact(rows), .out = word->address);
        if (!st)
            st = dev_words_read(stream, word->address, &magnitude, 1);
        dev_buffer_unref(word);
        TRY(st);
    }
    *out = ((uint128)magnitude + 1) * rows;
    return STATUS_OK;
}

/* Adds the values of a NARROW tensor of numbers to the state, a sum of 128 bits. */
static status add_narrow(dev_stream *stream, const tensor *values, dev_count count, int128 *state)
{
    return DEV_LAUNCH(stream, narrow_sum, .width = values->narrow.width,
                      .origin_low = (uint64_t)values->narrow.origin,
                      .origin_high = (uint64_t)(values->narrow.origin >> 64),
                      .values = values->values, .validity = values->validity, .count = count,
                      .sum = state);
}

static status update_sum(const state_update *u, const state_plan *plan, state_array *array,
                         const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    uint128 bound = UINT64_MAX;          /* of wide sums nobody asks */
    if (argument->form == TENSOR_NARROW) /* without groups: the sum is wide */
        return add_narrow(stream, argument, u->rows, array->buffer->address);
    if (array->width == sizeof(int64_t) || argument->type.width < 8)
        TRY(bound_of_sum(stream, argument, u->rows.bound, &bound));
    if (array->width == sizeof(int64_t) && bound + array->bound > INT64_MAX)
        TRY(state_widen_sum(u->core, stream, u->table, array));
    array->bound += bound;
    return DEV_LAUNCH(stream, aggregate_sum, .type = argument->type, .values = argument->values,
                      .validity = argument->validity, .mask = filter ? filter->values : NULL,
                      .groups = u->groups, .group_count = u->table->count, .present = u->present,
                      .count = u->rows, .state_width = array->width, .fits = bound <= INT64_MAX,
                      .states = array->buffer->address, .error = u->task->error,
                      .location = plan->location);
}

static status merge_sum(const state_update *u, const state_plan *plan, const state_array *array,
                        const void *states, uint32_t width)
{
    bool is_wide = width == sizeof(int128);
    return DEV_LAUNCH(u->task->stream, aggregate_sum,
                      .type = is_wide ? type_decimal(38, 0) : type_make(TYPE_INT64),
                      .values = states, .groups = u->groups, .group_count = u->table->count,
                      .count = u->rows, .state_width = array->width,
                      .fits = array->width == sizeof(int64_t), .states = array->buffer->address,
                      .error = u->task->error, .location = plan->location);
}

static status finish_sum(const state_finish *f, tensor *out)
{
    if (f->result == AGGREGATE_RESULT_SUM)
        return DEV_LAUNCH(f->task->stream, aggregate_finish_sum, .type = f->result_type,
                          .states = f->states, .state_width = f->width, .count = f->count,
                          .out = out->values, .error = f->task->error, .location = f->location);
    return DEV_LAUNCH(f->task->stream, aggregate_finish_number, .states = f->states,
                      .state_width = f->width, .scale = f->type.scale, .counts = f->counts,
                      .count = f->count, .width = f->result_type.width, .out = out->values);
}

const aggregate_state_ops aggregate_state_sum = {.width = sum_width,
                                                 .update = update_sum,
                                                 .merge = merge_sum,
                                                 .finish = finish_sum,
                                                 .of_floats = &aggregate_state_number};

/* ---- sums of floats ---- */

static uint32_t number_width(const aggregate_core *core, const aggregate_table *table,
                             const state_plan *plan)
{
    (void)core;
    (void)table;
    (void)plan;
    return sizeof(aggregate_number);
}

static status update_number(const state_update *u, const state_plan *plan, state_array *array,
                            const tensor *argument, const tensor *filter)
{
    (void)plan;
    return DEV_LAUNCH(
        u->task->stream, aggregate_sum_number, .type = argument->type, .values = argument->values,
        .validity = argument->validity, .mask = filter ? filter->values : NULL, .groups = u->groups,
        .group_count = u->table->count, .count = u->rows, .states = array->buffer->address);
}

static status merge_number(const state_update *u, const state_plan *plan, const state_array *array,
                           const void *states, uint32_t width)
{
    (void)plan;
    (void)width;
    return DEV_LAUNCH(u->task->stream, aggregate_sum_number, .is_state = true, .values = states,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

static status finish_number(const state_finish *f, tensor *out)
{
    return DEV_LAUNCH(f->task->stream, aggregate_finish_number, .is_number = true,
                      .states = f->states, .state_width = f->width, .scale = f->type.scale,
                      .counts = f->counts, .count = f->count, .width = f->result_type.width,
                      .out = out->values);
}

const aggregate_state_ops aggregate_state_number = {
    .width = number_width, .update = update_number, .merge = merge_number, .finish = finish_number};

/* ---- variances ---- */

static uint32_t variance_width(const aggregate_core *core, const aggregate_table *table,
                               const state_plan *plan)
{
    (void)core;
    (void)table;
    (void)plan;
    return sizeof(aggregate_variance);
}

static status update_variance(const state_update *u, const state_plan *plan, state_array *array,
                              const tensor *argument, const tensor *filter)
{
    (void)plan;
    return DEV_LAUNCH(u->task->stream, aggregate_vary, .values = argument->values,
                      .validity = argument->validity, .mask = filter ? filter->values : NULL,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

static status merge_variance(const state_update *u, const state_plan *plan,
                             const state_array *array, const void *states, uint32_t width)
{
    (void)plan;
    (void)width;
    return DEV_LAUNCH(u->task->stream, aggregate_vary, .is_state = true, .values = states,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

static status finish_variance(const state_finish *f, tensor *out)
{
    return DEV_LAUNCH(f->task->stream, aggregate_finish_variance, .result = (int)f->result,
                      .states = f->states, .count = f->count, .out = out->values,
                      .out_validity = out->validity);
}

const aggregate_state_ops aggregate_state_variance = {.width = variance_width,
                                                      .update = update_variance,
                                                      .merge = merge_variance,
                                                      .finish = finish_variance,
                                                      .takes_doubles = true};
