/* op_join_build.c - the sink of a join's build side: chunks with their keys, then the table, or,
 * where there is no memory for that, parts in a temporary file (join_spill.h). */
#include "exec/join/join_spill.h"
#include "exec/sched/memory.h"
#include "exec/sched/runtime_filter.h"

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
    uint64_t pending_rows, pending_bytes; /* bytes: with what they hold of pages */
    chunk *taken;                         /* columns that the pending chunks had */
    tensor_place *places;                 /* by column: of the pending chunks' rows, */
    bool has_places;                      /* if they have any */
    join_chunk_list chunks;
    uint64_t bytes;     /* of the chunks */
    dev_buffer *bounds; /* words of join_key_bounds; or NULL */
} build_lane;

static exec_step add_keys(op_join_build *op, exec_task *task, build_lane *lane, chunk *input)
{
    if (!lane->current) {
        EXEC_TRY(task, chunk_new(op->stored_columns, input->rows, &lane->current));
        for (uint32_t i = 0; i < op->build_columns; i++)
            if (join_is_stored(op, i))
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
 * there: only row numbers are kept. True if the column's base is that place. Once the column's rows
 * are written side by side all are: what was placed must be found again. */
static bool keeps_base(op_join_build *op, uint32_t column, const tensor *t)
{
    if (t->form != TENSOR_INDEXED || t->type.width < 16)
        return false;
    for (uint32_t k = 0; k < op->key_count; k++)
        if (op->key_columns[k] == column)
            return false;
    pthread_mutex_lock(&op->lock);
    if (!op->bases[column] && !join_place_has(&op->place, column))
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
    return tensor_gather_at(task->stream, t, lane->pending[0]->rows, lane->places[column], out);
}

/* The columns of the pending chunks that are not simply copied go from there to lane->taken. */
static status take_columns(op_join_build *op, exec_task *task, build_lane *lane)
{
    uint32_t count = lane->pending[0]->column_count;
    if (!lane->taken)
        TRY(chunk_new(count, dev_count_exact(lane->pending_rows), &lane->taken));
    for (uint32_t c = 0; c < count; c++) {
        tensor **taken = &lane->taken->columns[c];
        if (!lane->pending[0]->columns[c])
            continue;
        TRY(take_base_rows(op, task, lane, c, taken));
        if (!*taken)
            TRY(take_selected(task, lane, c, taken));
        for (uint32_t i = 0; i < lane->pending_count && *taken; i++) {
            tensor_unref(lane->pending[i]->columns[c]);
            lane->pending[i]->columns[c] = NULL;
        }
    }
    return STATUS_OK;
}

static status take_places(op_join_build *op, exec_task *task, build_lane *lane)
{
    join_place_want want = {.dev = task->stream->dev,
                            .column_count = op->stored_columns,
                            .types = op->stored_types,
                            .needed = op->needed,
                            .bases = op->bases};
    if (lane->has_places || join_has_spilled(op))
        return STATUS_OK;
    pthread_mutex_lock(&op->lock);
    status st =
        join_place_take(&op->place, &want, lane->pending_rows, lane->places, &lane->has_places);
    pthread_mutex_unlock(&op->lock);
    return st;
}

/* The pending chunks as one of its own memory, or at their places in the table. After a failure it
 * can be called again. */
static status own_pending(op_join_build *op, exec_task *task, build_lane *lane, chunk **out)
{
    TRY(take_places(op, task, lane));
    TRY(take_columns(op, task, lane));
    TRY(chunk_concat_at(task->stream, lane->pending, lane->pending_count, "join build",
                        lane->places, out));
    for (uint32_t c = 0; c < op->stored_columns; c++)
        lane->places[c] = (tensor_place){0};
    lane->has_places = false;
    for (uint32_t c = 0; c < lane->taken->column_count; c++)
        if (lane->taken->columns[c])
            (*out)->columns[c] = tensor_ref(lane->taken->columns[c]);
    chunk_free(lane->taken);
    lane->taken = NULL;
    return STATUS_OK;
}

static status spill_lane(op_join_build *op, exec_task *task, build_lane *lane)
{
    if (!lane->chunks.count)
        return STATUS_OK;
    TRY(join_spill_start(op, task));
    TRY(join_spill_build(op, task, lane->chunks.items, lane->chunks.count));
    lane->chunks.count = 0;
    lane->bytes = 0;
    return STATUS_OK;
}

/* Where there is no memory for the pending chunks' rows, the lane gives back what it has. */
static status own_or_spill(op_join_build *op, exec_task *task, build_lane *lane, chunk **out)
{
    status st = own_pending(op, task, lane, out);
    if (status_get_kind(st) != STATUS_KIND_LIMIT || !lane->chunks.count ||
        !exec_may_spill(task->query))
        return st;
    status_free(st);
    TRY(spill_lane(op, task, lane));
    return own_pending(op, task, lane, out);
}

/* Counts a chunk that the lane holds from now on. */
static status note_chunk(op_join_build *op, exec_task *task, build_lane *lane, const chunk *c)
{
    uint64_t bytes = exec_chunk_bytes(c), bounds[3 * JOIN_KEYS_MAX];
    if (!exec_may_spill(task->query))
        return STATUS_OK;
    if (lane->bounds)
        TRY(dev_words_wait(task->stream, lane->bounds->address, bounds, 3 * op->key_count));
    lane->bytes += bytes;
    join_spill_note(op, c->rows.bound, bytes, lane->bounds ? bounds : NULL);
    return STATUS_OK;
}

/* Adds the pending chunks to the lane's own. */
static status flush(op_join_build *op, exec_task *task, build_lane *lane)
{
    chunk *owned = NULL;
    if (!lane->pending_count)
        return STATUS_OK;
    TRY(array_reserve(NULL, &lane->chunks, 1));
    TRY(own_or_spill(op, task, lane, &owned));
    lane->chunks.items[lane->chunks.count++] = owned;
    for (uint32_t i = 0; i < lane->pending_count; i++)
        chunk_free(lane->pending[i]);
    lane->pending_count = 0;
    lane->pending_rows = lane->pending_bytes = 0;
    TRY(join_bounds_add(op, task, owned, lane->bounds));
    TRY(note_chunk(op, task, lane, owned));
    return join_must_spill(op, task, lane->bytes) ? spill_lane(op, task, lane) : STATUS_OK;
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
    lane->pending_bytes += exec_chunk_bytes(lane->current);
    lane->current = NULL;
    if (lane->pending_count == PENDING_MAX || lane->pending_rows >= task->stream->dev->chunk_rows ||
        join_is_much(task, lane->pending_bytes))
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
    join_side_add_bounds(op, &op->whole, bounds);
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
    if (join_has_spilled(op))
        EXEC_TRY(task, spill_lane(op, task, lane));
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

/* The table begins to be made, unless there is no room for it. */
static status start_table(op_join_build *op, exec_task *task)
{
    join_table *table = &op->whole.table;
    if (join_has_spilled(op))
        return STATUS_OK;
    if (!join_fits(op))
        return join_spill_start(op, task);
    status st = join_table_step(table, task, 0, op->whole.ranges);
    if (status_get_kind(st) != STATUS_KIND_LIMIT || !exec_may_spill(task->query))
        return st;
    status_free(st);
    join_table_restart(table);
    return join_spill_start(op, task);
}

/* The lane's share of what is still in memory. */
static status spill_rest(op_join_build *op, exec_task *task)
{
    const join_chunk_list *chunks = &op->whole.table.chunks;
    if (!chunks->count)
        return STATUS_OK;
    size_t first = chunks->count * task->lane / task->lane_count;
    size_t end = chunks->count * (task->lane + 1) / task->lane_count;
    return join_spill_build(op, task, chunks->items + first, end - first);
}

static status finish(op_join_build *op, exec_task *task)
{
    const join_table *table = &op->whole.table;
    bool has_spilled = join_has_spilled(op);
    join_note_memory(op);
    op->whole.has_rows = has_spilled ? atomic_load(&op->spill.rows_written) : table->row_count;
    op->whole.has_null_key = has_spilled ? atomic_load(&op->spill.has_null_key)
                                         : table->key_row_count < table->row_count;
    if (op->tail)
        op->tail->is_empty = !has_spilled && !join_marks_build(op);
    if (!has_spilled)
        return join_side_start(op, task, &op->whole);
    join_place_release(&op->place);
    join_spill_publish(op);
    return STATUS_OK;
}

static status run_phase(op_join_build *op, exec_task *task, unsigned number)
{
    if (number == 0)
        return task->lane ? STATUS_OK : start_table(op, task);
    if (join_has_spilled(op))
        return number == 1 ? spill_rest(op, task) : STATUS_OK;
    TRY(join_table_step(&op->whole.table, task, number, op->whole.ranges));
    return !task->lane && number == JOIN_TABLE_STEP_SUM ? publish_filters(op, task) : STATUS_OK;
}

static exec_step build_phase(exec_operator *base, exec_task *task, unsigned number)
{
    op_join_build *op = (op_join_build *)base;
    uint64_t words[1];
    EXEC_TRY(task, run_phase(op, task, number));
    if (!task->lane && number == JOIN_TABLE_STEPS - 1)
        EXEC_TRY(task, finish(op, task));
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

static status build_lane_open(exec_operator *base, exec_task *task, void *state)
{
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
    lane->places = mem_new_array(op->stored_columns + 1, sizeof *lane->places);
    if (!lane->places)
        return status_no_memory("join build", op->stored_columns * sizeof *lane->places);
    TRY(join_bounds_new(op, task, &lane->bounds));
    return program_run_new(op->build_keys, task, &lane->run);
}

static void build_lane_close(exec_operator *base, void *state)
{
    build_lane *lane = state;
    chunk_free(lane->current);
    for (uint32_t i = 0; i < lane->pending_count; i++)
        chunk_free(lane->pending[i]);
    chunk_free(lane->taken);
    mem_free(lane->places);
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
    join_place_release(&join->place);
    row_parts_free(join->spill.build);
    row_parts_free(join->spill.probe);
    join->spill.build = join->spill.probe = NULL;
    spill_close(join->spill.file);
    join->spill.file = NULL;
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
