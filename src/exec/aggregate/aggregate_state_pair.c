/* aggregate_state_pair.c - states of pairs of numbers: correlation, covariance, regression. */
#include "exec/aggregate/aggregate_state_ops.h"

static uint32_t pair_width(const aggregate_core *core, const aggregate_table *table,
                           const state_plan *plan)
{
    (void)core;
    (void)table;
    (void)plan;
    return sizeof(aggregate_pair);
}

static status update_pair(const state_update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    const tensor *second = u->values[plan->second];
    return DEV_LAUNCH(u->task->stream, aggregate_add_pair, .values = argument->values,
                      .second = second->values, .validity = argument->validity,
                      .second_validity = second->validity, .mask = filter ? filter->values : NULL,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

static status merge_pair(const state_update *u, const state_plan *plan, const state_array *array,
                         const void *states, uint32_t width)
{
    (void)plan;
    (void)width;
    return DEV_LAUNCH(u->task->stream, aggregate_add_pair, .is_state = true, .values = states,
                      .groups = u->groups, .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

static status finish_pair(const state_finish *f, tensor *out)
{
    return DEV_LAUNCH(f->task->stream, aggregate_finish_pair, .result = (int)f->result,
                      .states = f->states, .count = f->count, .out = out->values,
                      .out_validity = out->validity);
}

const aggregate_state_ops aggregate_state_pair = {.width = pair_width,
                                                  .update = update_pair,
                                                  .merge = merge_pair,
                                                  .finish = finish_pair,
                                                  .takes_doubles = true};
