/* aggregate_state_bits.c - states that are bits of integers, put together by and, or, xor, or products of doubles. */
#include "device/value/bits_value.h"
#include "exec/aggregate/aggregate_state_ops.h"

static uint32_t bits_width(const aggregate_core *core, const aggregate_table *table,
                           const state_plan *plan)
{
    (void)core;
    (void)table;
    return plan->type.width;
}

static void begin_bits(const state_plan *plan, uint64_t words[2])
{
    words[0] = words[1] = bits_begin((char)plan->operation);
}

static status update_bits(const state_update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    return DEV_LAUNCH(u->task->stream, aggregate_bits, .op = (char)plan->operation,
                      .width = array->width, .values = argument->values,
                      .validity = argument->validity, .mask = filter ? filter->values : NULL,
                      .groups = u->groups, .count = u->rows, .states = array->buffer->address);
}

static status merge_bits(const state_update *u, const state_plan *plan, const state_array *array,
                         const void *states, uint32_t width)
{
    return DEV_LAUNCH(u->task->stream, aggregate_bits, .op = (char)plan->operation, .width = width,
                      .values = states, .groups = u->groups, .count = u->rows,
                      .states = array->buffer->address);
}

const aggregate_state_ops aggregate_state_bits = {
    .width = bits_width, .begin = begin_bits, .update = update_bits, .merge = merge_bits};

const aggregate_state_ops aggregate_state_product = {.width = bits_width,
                                                     .begin = begin_bits,
                                                     .update = update_bits,
                                                     .merge = merge_bits,
                                                     .takes_doubles = true};
