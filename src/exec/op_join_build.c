/* op_join_build.c - the sink of a join's build side: chunks with their keys, then the table. */
#include "exec/op_join.h"

#include "exec/runtime_filter.h"

/* Chunks that are small are put together, at most so many at a time. */
#define PENDING_MAX 16

typedef struct build_lane {
    program_run *run;
    exec_fetch fetch;
    uint64_t row_count;
    chunk *current; /* what is kept of the input, and keys */
    uint32_t next;
    chunk *pending[PENDING_MAX];
    uint32_t pending_count;
    uint64_t pending_rows;
    join_chunk_list chunks;
    dev_buffer *bounds; /* words of join_key_bounds; or NULL */
} build_lane;

static bool is_kept(const op_join_build *op, uint32_t column)
{
    for (uint32_t k = 0; k < op->key_count; k++)
        if (op->key_columns[k] == column)
            return true;
    return op->needed[column];
}

static exec_step add_keys(op_join_build *op, exec_task *task, build_lane *lane, chunk *input)
{
    if (!lane->current) {
        EXEC_TRY(task, chunk_new(op->stored_columns, input->rows, &lane->current));
        for (uint32_t i = 0; i < op->build_columns; i++)
            if (is_kept(op, i))
                lane->current->columns[i] = tensor_ref(input->columns[i]);
        lane->next = 0;
    }
    for (; lane->next < op->stored_columns - op->build_columns; lane->next++) {
        exec_step step = program_evaluate(lane->run, lane->next, input,
                                          &lane->current->columns[op->build_columns + lane->next]);
        if (step != EXEC_FINISHED)
            return step;
    }
    return EXEC_FINISHED;
}

/* Wide values that all come from the same place, as those of another join's build side do, stay
 * there: only row numbers are kept. True if the column's base is that place. */
static bool keeps_base(op_join_build *op, uint32_t column, const tensor *t)
{
    if (t->form != TENSOR_INDEXED || t->type.width < 16)
        return false;
    for (uint32_t k = 0; k < op->key_count; k++)
        if (op->key_columns[k] == column)
            return false;
    pthread_mutex_lock(&op->lock);
    if (!op->bases[column])
        op->bases[column] = tensor_ref(t->base);
    bool is_same = op->bases[column] == t->base;
    pthread_mutex_unlock(&op->lock);
    return is_same;
}

/* The pending chunks' row numbers in the base of a column, if they all have that base; else *out is
 * NULL. */
static status take_base_rows(op_join_build *op, exec_task *task, build_lane *lane, uint32_t column,
                             tensor **out)
{
    row_index *rows;
    uint64_t at = 0;
    *out = NULL;
    for (uint32_t i = 0; i < lane->pending_count; i++)
        if (!keeps_base(op, column, lane->pending[i]->columns[column]))
            return STATUS_OK;
    TRY(row_index_new(task->stream->dev, lane->pending_rows, &rows));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < lane->pending_count && !st; i++) {
        const row_index *piece = lane->pending[i]->columns[column]->index;
        uint64_t count = lane->pending[i]->rows.bound;
        rows->has_nulls |= piece->has_nulls;
        st = task->stream->dev->ops->copy(task->stream, rows->rows + at, piece->rows,
                                          count * sizeof *rows->rows);
        at += count;
    }
    const tensor *first = lane->pending[0]->columns[column];
    if (!st)
        st = tensor_new_indexed(task->stream, first->base, first->base_rows, rows,
                                dev_count_exact(lane->pending_rows), out);
    row_index_unref(rows);
    return st;
}

/* One chunk's selected numbers become values of their own: nothing else holds them. */
static status take_selected(exec_task *task, build_lane *lane, uint32_t column, tensor **out)
{
    tensor *t = lane->pending[0]->columns[column];
    *out = NULL;
    if (lane->pending_count > 1 || t->form != TENSOR_INDEXED || type_is_text(t->type))
        return STATUS_OK;
    return tensor_flatten(task->stream, t, lane->pending[0]->rows, out);
}

/* The pending chunks as one of its own memory. */
static status own_pending(op_join_build *op, exec_task *task, build_lane *lane, chunk **out)
{
    chunk *taken, *first = lane->pending[0];
    TRY(chunk_new(first->column_count, dev_count_exact(lane->pending_rows), &taken));
    status st = STATUS_OK;
    for (uint32_t c = 0; c < first->column_count && !st; c++) {
        if (!first->columns[c])
            continue;
        st = take_base_rows(op, task, lane, c, &taken->columns[c]);
        if (!st && !taken->columns[c])
            st = take_selected(task, lane, c, &taken->columns[c]);
        for (uint32_t i = 0; i < lane->pending_count && !st && taken->columns[c]; i++) {
            tensor_unref(lane->pending[i]->columns[c]);
            lane->pending[i]->columns[c] = NULL;
        }
    }
    if (!st)
        st = chunk_concat(task->stream, lane->pending, lane->pending_count, "join build", out);
    for (uint32_t c = 0; c < taken->column_count && !st; c++)
        if (taken->columns[c])
            (*out)->columns[c] = tensor_ref(taken->columns[c]);
    chunk_free(taken);
    return st;
}

/* Adds the pending chunks to the lane's own. */
static status flush(op_join_build *op, exec_task *task, build_lane *lane)
{
    chunk *owned;
    if (!lane->pending_count)
        return STATUS_OK;
    TRY(array_reserve(NULL, &lane->chunks, 1));
    TRY(own_pending(op, task, lane, &owned));
    lane->chunks.items[lane->chunks.count++] = owned;
    for (uint32_t i = 0; i < lane->pending_count; i++)
        chunk_free(lane->pending[i]);
    lane->pending_count = 0;
    lane->pending_rows = 0;
    for (uint32_t k = 0; k < op->key_count && lane->bounds; k++) {
        const tensor *key = owned->columns[op->key_columns[k]];
        TRY(DEV_LAUNCH(task->stream, join_key_bounds, .type = key->type, .keys = key->values,
                       .validity = key->validity, .count = owned->rows,
                       .bounds = (int64_t *)lane->bounds->address + 3 * (size_t)k));
    }
    return STATUS_OK;
}

static exec_step build_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                            chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
    status st;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->row_count, &st)) {
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    if (!(*input)->rows.bound)
        return EXEC_NEED_INPUT;
    exec_step step = add_keys(op, task, lane, *input);
    if (step != EXEC_FINISHED)
        return step;
    EXEC_TRY(task, exec_check_error(task));
    lane->pending[lane->pending_count++] = lane->current;
    lane->pending_rows += lane->current->rows.bound;
    lane->current = NULL;
    if (lane->pending_count == PENDING_MAX || lane->pending_rows >= task->stream->dev->chunk_rows)
        EXEC_TRY(task, flush(op, task, lane));
    return EXEC_NEED_INPUT;
}

/* What a lane has found becomes everybody's. bounds: three words a key, or NULL. */
static status hand_over(op_join_build *op, build_lane *lane, const uint64_t *bounds)
{
    status st;
    pthread_mutex_lock(&op->lock);
    join_chunk_list *all = &op->whole.table.chunks;
    st = array_reserve(NULL, all, lane->chunks.count);
    for (size_t i = 0; i < lane->chunks.count && !st; i++)
        all->items[all->count++] = lane->chunks.items[i];
    if (!st)
        lane->chunks.count = 0;
    for (uint32_t k = 0; k < op->key_count && bounds; k++) {
        join_key_range *range = &op->whole.ranges[k];
        int64_t min = (int64_t)bounds[3 * k], max = (int64_t)bounds[3 * k + 1];
        range->min = min < range->min ? min : range->min;
        range->max = max > range->max ? max : range->max;
        range->count += bounds[3 * k + 2];
    }
    pthread_mutex_unlock(&op->lock);
    return st;
}

static exec_step build_finish_lane(exec_operator *base, exec_task *task, void *state,
                                   chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
    uint64_t bounds[3 * JOIN_KEYS_MAX], words[1];
    EXEC_TRY(task, flush(op, task, lane));
    if (lane->bounds)
        EXEC_TRY(task,
                 dev_words_wait(task->stream, lane->bounds->address, bounds, 3 * op->key_count));
    else
        EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    EXEC_TRY(task, hand_over(op, lane, lane->bounds ? bounds : NULL));
    return EXEC_FINISHED;
}

/* Tells the probe side's scans what keys there are. */
static status publish_filters(op_join_build *op, exec_task *task)
{
    const plan_node *plan = op->base.plan;
    const join_table *table = &op->whole.table;
    for (size_t i = 0; i < plan->join.runtime_filters.count; i++) {
        const plan_runtime_filter *planned = &plan->join.runtime_filters.items[i];
        runtime_filter *filter = exec_runtime_filter(op->base.query, planned->id);
        if (table->form == JOIN_TABLE_RANKED)
            runtime_filter_publish_bitmap(filter, table->bitmap, op->whole.ranges[0].min,
                                          op->whole.ranges[0].max);
        else
            TRY(runtime_filter_publish(filter, task->stream, table->chunks.items,
                                       table->chunks.count, op->key_columns[planned->column_id]));
    }
    return STATUS_OK;
}

static status finish(op_join_build *op, exec_task *task)
{
    const join_table *table = &op->whole.table;
    atomic_store(&op->base.metrics.memory_peak, mem_budget_used(exec_budget(op->base.query)));
    op->whole.has_rows = table->row_count > 0;
    op->whole.has_null_key = table->key_row_count < table->row_count;
    return join_side_start(op, task, &op->whole);
}

static exec_step build_phase(exec_operator *base, exec_task *task, unsigned number)
{
    op_join_build *op = (op_join_build *)base;
    uint64_t words[1];
    EXEC_TRY(task, join_table_step(&op->whole.table, task, number, op->whole.ranges));
    if (!task->lane && number == JOIN_TABLE_STEP_SUM)
        EXEC_TRY(task, publish_filters(op, task));
    if (!task->lane && number == JOIN_TABLE_STEPS - 1)
        EXEC_TRY(task, finish(op, task));
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

static status build_lane_open(exec_operator *base, exec_task *task, void *state)
{
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
    bool needs_ranges = join_table_needs_ranges(&op->whole.table);
    if (needs_ranges)
        TRY(dev_words_new(task->stream, 3 * op->key_count, &lane->bounds));
    for (uint32_t k = 0; k < op->key_count && needs_ranges; k++)
        TRY(runtime_filter_start_bounds(task->stream,
                                        (int64_t *)lane->bounds->address + 3 * (size_t)k));
    return program_run_new(op->build_keys, task, &lane->run);
}

static void build_lane_close(exec_operator *base, void *state)
{
    build_lane *lane = state;
    chunk_free(lane->current);
    for (uint32_t i = 0; i < lane->pending_count; i++)
        chunk_free(lane->pending[i]);
    for (size_t i = 0; i < lane->chunks.count; i++)
        chunk_free(lane->chunks.items[i]);
    array_release(&lane->chunks);
    dev_buffer_unref(lane->bounds);
    program_run_free(lane->run);
    if (lane->fetch.event)
        exec_device(base->query)->ops->event_free(lane->fetch.event);
}

void join_release(op_join_build *join)
{
    join_side_release(&join->whole);
    for (uint32_t c = 0; c < join->stored_columns && join->bases; c++) {
        tensor_unref(join->bases[c]);
        join->bases[c] = NULL;
    }
}

void join_build_close(exec_operator *base)
{
    op_join_build *op = (op_join_build *)base;
    join_release(op);
    program_free(op->build_keys);
    program_free(op->probe_keys);
    program_free(op->residual);
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

const exec_operator_ops join_build_ops = {
    .name = "join build",
    .lane_bytes = sizeof(build_lane),
    .lane_open = build_lane_open,
    .lane_close = build_lane_close,
    .push = build_push,
    .lane_finish = build_finish_lane,
    .phase_count = JOIN_TABLE_STEPS,
    .phase = build_phase,
    .close = join_build_close,
};
