/* op_aggregate_source.c - the source of an aggregation's result: groups' states become values. */
#include "device/chunk.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/aggregate/op_aggregate.h"

typedef struct op_aggregate_source {
    exec_operator base;
    op_aggregate *sink;
} op_aggregate_source;

/* The groups that a column is made for. */
typedef struct result_piece {
    const op_aggregate *op;
    exec_task *task;
    const aggregate_table *table;
    const table_slice *slice;
    const bool *unread; /* columns that are not made; or NULL */
} result_piece;

static status view_state(const result_piece *r, int state, const void **out, dev_buffer **owner)
{
    return states_view(&r->op->core, r->task->stream, r->table, (uint32_t)state,
                       r->slice->list ? r->slice->list->rows : NULL, r->slice->first,
                       r->slice->count, out, owner);
}

/* NULL where no value came. */
static status set_validity(const result_piece *r, const aggregate_plan *plan, tensor *t)
{
    const void *counts;
    dev_buffer *owner;
    TRY(view_state(r, plan->count_state, &counts, &owner));
    status st = STATUS_OK;
    if (counts) {
        st = dev_alloc(t->values_owner->dev, bitmap_bytes(r->slice->count), "chunk",
                       &t->validity_owner);
        if (!st) {
            t->validity = t->validity_owner->address;
            st = DEV_LAUNCH(r->task->stream, aggregate_validity, .states = counts, .least = 1,
                            .count = dev_count_exact(r->slice->count), .width = t->type.width,
                            .values = t->values, .out = t->validity);
        }
    }
    dev_buffer_unref(owner);
    return st;
}

static status compute_values(const result_piece *r, const aggregate_plan *plan, const void *states,
                             const void *counts, tensor *t)
{
    const state_finish f = {.task = r->task,
                            .result = plan->result,
                            .type = plan->type,
                            .result_type = plan->result_type,
                            .location = plan->location,
                            .share = plan->share,
                            .states = states,
                            .heap = &table_state(r->table, (uint32_t)plan->state)->heap,
                            .width = table_state(r->table, (uint32_t)plan->state)->width,
                            .counts = counts,
                            .count = dev_count_exact(r->slice->count)};
    return r->op->core.states[plan->state].ops->finish(&f, t);
}

static bool is_in_place(const aggregate_plan *plan)
{
    return plan->result == AGGREGATE_RESULT_COUNT ||
           (plan->result == AGGREGATE_RESULT_PICK && plan->type.width);
}

static status op_aggregate_source_make_values(const result_piece *r, const aggregate_plan *plan,
                                              tensor **out)
{
    bool is_count = plan->result == AGGREGATE_RESULT_COUNT;
    bool is_variance = plan->result >= AGGREGATE_RESULT_VAR_SAMP;
    const void *states, *counts = NULL;
    dev_buffer *owner = NULL, *counts_owner = NULL;
    TRY(view_state(r, is_count ? plan->count_state : plan->state, &states, &owner));
    status st = STATUS_OK;
    if (is_in_place(plan)) {
        st = tensor_new_view(plan->result_type, owner, (void *)(uintptr_t)states, out);
    } else {
        st = tensor_new_flat(r->op->core.dev, plan->result_type, r->slice->count, is_variance, out);
        if (!st && plan->result == AGGREGATE_RESULT_MEAN)
            st = view_state(r, plan->count_state, &counts, &counts_owner);
        if (!st)
            st = compute_values(r, plan, states, counts, *out);
    }
    dev_buffer_unref(owner);
    dev_buffer_unref(counts_owner);
    if (!st && !is_count && !is_variance)
        st = set_validity(r, plan, *out);
    if (!st && plan->state >= 0 && !(*out)->heap && type_is_text(plan->result_type))
        st = text_heap_view(&table_state(r->table, (uint32_t)plan->state)->heap, &(*out)->heap);
    return st;
}

static status make_chunk(const result_piece *r, chunk *c)
{
    const aggregate_core *core = &r->op->core;
    for (uint32_t k = 0; k < core->key_count; k++)
        if (!r->unread || !r->unread[k])
            TRY(table_slice_key(core, r->task->stream, r->table, r->slice, k, &c->columns[k]));
    for (uint32_t i = 0, at = core->key_count; i < r->op->aggregate_count; i++, at++)
        if (!r->unread || !r->unread[at])
            TRY(op_aggregate_source_make_values(r, &r->op->aggregates[i], &c->columns[at]));
    return STATUS_OK;
}

static status read_range(const op_aggregate_source *source, exec_task *task,
                         const result_range *range, chunk **output)
{
    const op_aggregate *op = source->sink;
    table_slice slice;
    chunk *c = NULL;
    TRY(table_slice_open(&op->core, task->stream, range->table, range->first, range->count,
                         &slice));
    status st = STATUS_OK;
    if (slice.count)
        st = chunk_new(op->core.key_count + op->aggregate_count, dev_count_exact(slice.count), &c);
    if (!st && c)
        st = make_chunk(&(result_piece){op, task, range->table, &slice, source->base.unread}, c);
    if (!st)
        st = exec_check_error(task);
    table_slice_close(&slice);
    if (st)
        chunk_free(c);
    else
        *output = c;
    return st;
}

static exec_result source_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_aggregate_source *source = (op_aggregate_source *)base;
    result_range range;
    for (*output = NULL; !*output;) {
        exec_result result = aggregate_result_next(&source->sink->merge, task, state, &range);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
        EXEC_TRY(task, read_range(source, task, &range, output));
    }
    return EXEC_HAVE_OUTPUT;
}

static void source_local_close(exec_operator *base, void *state)
{
    aggregate_reader_close(&((op_aggregate_source *)base)->sink->core, state);
}

static const exec_operator_ops source_ops = {
    .name = "aggregate",
    .local_bytes = sizeof(aggregate_reader),
    .local_close = source_local_close,
    .pull = source_pull,
};

status op_aggregate_source_new(op_aggregate *sink, exec_operator **out)
{
    op_aggregate_source *source = mem_new(sizeof *source);
    *out = NULL;
    if (!source)
        return status_no_memory("aggregation", sizeof *source);
    source->base =
        (exec_operator){.ops = &source_ops, .query = sink->base.query, .plan = sink->base.plan};
    source->sink = sink;
    *out = &source->base;
    return STATUS_OK;
}
