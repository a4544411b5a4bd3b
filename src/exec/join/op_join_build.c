/* op_join_build.c - the sink of a join's build side: chunks with their keys, then the table, or,
 * where there is no memory for that, parts in a temporary file (join_spill.h). */
#include "exec/join/op_join_build.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/join/join_filters.h"
#include "exec/join/join_side.h"
#include "exec/join/join_spill.h"
#include "exec/join/join_table_build.h"
#include "exec/sched/heavy_keys.h"
#include "exec/sched/memory.h"
#include "exec/sched/runtime_filter.h"

/* Chunks that are small are put together, at most so many at a time. */
#define PENDING_MAX 16

typedef struct build_local {
    program_run *run;
    chunk *current; /* what is kept of the input, and keys */
    uint32_t next;
    chunk *pending[PENDING_MAX];
    uint32_t pending_count;
    uint64_t pending_rows, pending_bytes; /* bytes: with what they hold of pages */
    chunk *taken;                         /* columns that the pending chunks had */
    tensor_target *places;                /* by column: of the pending chunks' rows, */
    bool has_places;                      /* if they have any */
    chunk_list chunks;
    uint64_t bytes;     /* of the chunks */
    dev_buffer *bounds; /* words of join_key_bounds; or NULL */
    dev_fetch noted;    /* of those, for join_spill_note, on lazy devices */
} build_local;

static exec_result join_build_add_keys(op_join_build *op, exec_task *task, build_local *local,
                                       chunk *input)
{
    if (!local->current) {
        EXEC_TRY(task, chunk_new(op->stored_columns, input->rows, &local->current));
        for (uint32_t i = 0; i < op->build_columns; i++)
            if (op->stored[i])
                local->current->columns[i] = tensor_ref(input->columns[i]);
        local->next = 0;
    }
    for (; local->next < op->stored_columns - op->build_columns; local->next++) {
        exec_result result =
            program_evaluate(local->run, local->next, input,
                             &local->current->columns[op->build_columns + local->next]);
        if (result != EXEC_FINISHED)
            return result;
    }
    return EXEC_FINISHED;
}

/* Bases, of which perhaps few rows are wanted, may hold one part in this many of the join's share of memory. */
#define BASE_SHARE 8

/* Under the lock: whether the column's values are to stay in this base, the first one that came. */
static bool op_join_build_may_keep(op_join_build *op, uint32_t column, const tensor *base)
{
    const exec_query *query = op->base.query;
    uint64_t bytes = exec_tensor_bytes(base);
    if (reserved_columns_have(&op->reserved, column))
        return false;
    if (exec_may_spill(query) && op->base_bytes + bytes > exec_memory_share(query) / BASE_SHARE)
        return false;
    op->base_bytes += bytes;
    return true;
}

/* Wide values that all come from the same place, as those of another join's build side do, stay
 * there: only row numbers are kept. True if the column's base is that place. Once the column's rows
 * are written side by side all are: what was placed must be found again. */
static bool keeps_base(op_join_build *op, uint32_t column, const tensor *t)
{
    if (t->form != TENSOR_INDEXED || t->type.width < 16)
        return false;
    for (uint32_t k = 0; k < op->key_count + op->range_count; k++)
        if (op->key_columns[k] == column)
            return false;
    mutex_lock(&op->lock);
    if (!op->bases[column] && op_join_build_may_keep(op, column, t->base))
        op->bases[column] = tensor_ref(t->base);
    bool is_same = op->bases[column] == t->base;
    mutex_unlock(&op->lock);
    return is_same;
}

/* The pending chunks' row numbers in the base of a column, if they all have that base; else *out is
 * NULL. */
static status take_base_rows(op_join_build *op, exec_task *task, build_local *local,
                             uint32_t column, tensor **out)
{
    row_index *rows;
    uint64_t at = 0;
    *out = NULL;
    for (uint32_t i = 0; i < local->pending_count; i++)
        if (!keeps_base(op, column, local->pending[i]->columns[column]))
            return STATUS_OK;
    TRY(row_index_new(task->stream->dev, local->pending_rows, &rows));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < local->pending_count && !st; i++) {
        const row_index *piece = local->pending[i]->columns[column]->index;
        uint64_t count = local->pending[i]->rows.bound;
        rows->has_nulls |= piece->has_nulls;
        st = task->stream->dev->ops->copy(task->stream, rows->rows + at, piece->rows,
                                          count * sizeof *rows->rows);
        at += count;
    }
    const tensor *first = local->pending[0]->columns[column];
    if (!st)
        st = tensor_new_indexed(task->stream, first->base, first->base_rows, rows,
                                dev_count_exact(local->pending_rows), out);
    row_index_unref(rows);
    return st;
}

/* One chunk's selected numbers become values of their own: nothing else holds them. */
static status take_selected(exec_task *task, build_local *local, uint32_t column, tensor **out)
{
    tensor *t = local->pending[0]->columns[column];
    *out = NULL;
    if (local->pending_count > 1 || t->form != TENSOR_INDEXED || type_is_text(t->type))
        return STATUS_OK;
    return tensor_gather_at(task->stream, t, local->pending[0]->rows, local->places[column], out);
}

/* The columns of the pending chunks that are not simply copied go from there to local->taken. */
static status take_columns(op_join_build *op, exec_task *task, build_local *local)
{
    uint32_t count = local->pending[0]->column_count;
    if (!local->taken)
        TRY(chunk_new(count, dev_count_exact(local->pending_rows), &local->taken));
    for (uint32_t c = 0; c < count; c++) {
        tensor **taken = &local->taken->columns[c];
        if (!local->pending[0]->columns[c])
            continue;
        TRY(take_base_rows(op, task, local, c, taken));
        if (!*taken)
            TRY(take_selected(task, local, c, taken));
        for (uint32_t i = 0; i < local->pending_count && *taken; i++) {
            tensor_unref(local->pending[i]->columns[c]);
            local->pending[i]->columns[c] = NULL;
        }
    }
    return STATUS_OK;
}

static status join_build_take_places(op_join_build *op, exec_task *task, build_local *local)
{
    reserved_columns_want want = {.dev = task->stream->dev,
                                  .column_count = op->stored_columns,
                                  .types = op->stored_types,
                                  .needed = op->needed,
                                  .bases = op->bases,
                                  .who = "join build"};
    if (local->has_places || join_has_spilled(op))
        return STATUS_OK;
    mutex_lock(&op->lock);
    status st = reserved_columns_take(&op->reserved, &want, local->pending_rows, local->places,
                                      &local->has_places);
    mutex_unlock(&op->lock);
    return st;
}

/* The pending chunks as one of its own memory, or at their places in the table. After a failure it
 * can be called again. */
static status join_build_own_pending(op_join_build *op, exec_task *task, build_local *local,
                                     chunk **out)
{
    TRY(join_build_take_places(op, task, local));
    TRY(take_columns(op, task, local));
    TRY(chunk_concat_at(task->stream, local->pending, local->pending_count, "join build",
                        local->places, out));
    for (uint32_t c = 0; c < op->stored_columns; c++)
        local->places[c] = (tensor_target){0};
    local->has_places = false;
    for (uint32_t c = 0; c < local->taken->column_count; c++)
        if (local->taken->columns[c])
            (*out)->columns[c] = tensor_ref(local->taken->columns[c]);
    chunk_free(local->taken);
    local->taken = NULL;
    return STATUS_OK;
}

static status join_build_spill_local(op_join_build *op, exec_task *task, build_local *local)
{
    if (!local->chunks.count)
        return STATUS_OK;
    TRY(join_spill_start(op, task));
    TRY(join_spill_build(op, task, local->chunks.items, local->chunks.count));
    local->chunks.count = 0;
    local->bytes = 0;
    return STATUS_OK;
}

/* Makes the pending chunks' rows the task's own; without memory for them, gives back what the task has. */
static status own_or_spill(op_join_build *op, exec_task *task, build_local *local, chunk **out)
{
    status st = join_build_own_pending(op, task, local, out);
    if (status_get_kind(st) != STATUS_KIND_LIMIT || !local->chunks.count ||
        !exec_may_spill(task->query))
        return st;
    status_free(st);
    TRY(join_build_spill_local(op, task, local));
    return join_build_own_pending(op, task, local, out);
}

/* The keys' bounds as they are now, or, on lazy devices, were when they were last asked for. */
static status recent_bounds(op_join_build *op, exec_task *task, build_local *local,
                            uint64_t *bounds, bool *out_known)
{
    dev_fetch before = local->noted;
    uint32_t words = 3 * op->key_count;
    *out_known = local->bounds != NULL;
    if (!local->bounds)
        return STATUS_OK;
    if (task->stream->dev->is_host)
        return dev_words_read(task->stream, local->bounds->address, bounds, words);
    *out_known = before.words != NULL;
    local->noted = (dev_fetch){0};
    if (before.words)
        TRY(dev_fetch_finish(task->stream, &before, bounds));
    return dev_fetch_start(task->stream, local->bounds->address, words, &local->noted);
}

/* Counts a chunk that the task holds from now on. */
static status note_chunk(op_join_build *op, exec_task *task, build_local *local, const chunk *c)
{
    uint64_t bytes = exec_chunk_bytes(c);
    uint64_t *bounds;
    bool is_known;
    if (!exec_may_spill(task->query))
        return STATUS_OK;
    TRY(join_bounds_make(op, &bounds));
    status st = recent_bounds(op, task, local, bounds, &is_known);
    if (!st) {
        local->bytes += bytes;
        join_spill_note(op, c->rows.bound, bytes, is_known ? bounds : NULL);
    }
    mem_free(bounds);
    return st;
}

/* Adds the pending chunks to the task's own. */
static status join_build_flush(op_join_build *op, exec_task *task, build_local *local)
{
    chunk *owned = NULL;
    if (!local->pending_count)
        return STATUS_OK;
    TRY(array_reserve(NULL, &local->chunks, 1));
    TRY(own_or_spill(op, task, local, &owned));
    local->chunks.items[local->chunks.count++] = owned;
    for (uint32_t i = 0; i < local->pending_count; i++)
        chunk_free(local->pending[i]);
    local->pending_count = 0;
    local->pending_rows = local->pending_bytes = 0;
    TRY(join_bounds_add(op, task, owned, local->bounds));
    TRY(note_chunk(op, task, local, owned));
    return join_must_spill(op, task, local->bytes) ? join_build_spill_local(op, task, local)
                                                   : STATUS_OK;
}

/* The pending chunk before the one that was added last, or NULL. */
static const chunk *last_pending(const build_local *local)
{
    return local->pending_count > 1 ? local->pending[local->pending_count - 2] : NULL;
}

static exec_result build_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                              chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_local *local = state;
    if (!*input)
        return EXEC_NEED_INPUT;
    exec_result result = join_build_add_keys(op, task, local, *input);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, exec_check_error(task));
    local->pending[local->pending_count++] = local->current;
    local->pending_rows += local->current->rows.bound;
    local->pending_bytes += exec_chunk_bytes(local->current) +
                            exec_chunk_base_bytes(local->current, last_pending(local));
    local->current = NULL;
    if (local->pending_count == PENDING_MAX ||
        local->pending_rows >= task->stream->dev->chunk_rows ||
        exec_is_much(task, local->pending_bytes))
        EXEC_TRY(task, join_build_flush(op, task, local));
    return EXEC_NEED_INPUT;
}

/* Hands what a task has found over to the shared state. bounds: three words a key, or NULL. */
static status join_build_hand_over(op_join_build *op, build_local *local, const uint64_t *bounds)
{
    status st;
    mutex_lock(&op->lock);
    st = chunk_list_move(&local->chunks, &op->whole.table.chunks);
    join_side_add_bounds(op, &op->whole, bounds);
    mutex_unlock(&op->lock);
    return st;
}

static exec_result build_finish_local(exec_operator *base, exec_task *task, void *state,
                                      chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_local *local = state;
    uint64_t *bounds;
    EXEC_TRY(task, join_build_flush(op, task, local));
    if (join_has_spilled(op))
        EXEC_TRY(task, join_build_spill_local(op, task, local));
    EXEC_TRY(task, join_bounds_read(op, task, local->bounds, &bounds));
    status st = join_build_hand_over(op, local, bounds);
    mem_free(bounds);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

/* Makes the filters for the probe side's scans, of keys that no bitmap of the table covers. */
static status make_filters(op_join_build *op, exec_task *task)
{
    const plan_node *plan = op->base.plan;
    const join_table *table = &op->whole.table;
    for (size_t i = 0; i < plan->join.runtime_filters.count; i++) {
        const plan_given_filter *planned = &plan->join.runtime_filters.items[i];
        if (table->form != JOIN_TABLE_RANKED)
            TRY(runtime_filter_make(exec_runtime_filter(op->base.query, planned->id), task->stream,
                                    table->chunks.items, table->chunks.count,
                                    op->key_columns[planned->key]));
    }
    return STATUS_OK;
}

/* A phase later, when the streams have done it: scans may be at work already. */
static void publish_filters(op_join_build *op)
{
    const plan_node *plan = op->base.plan;
    const join_table *table = &op->whole.table;
    for (size_t i = 0; i < plan->join.runtime_filters.count; i++) {
        runtime_filter *filter =
            exec_runtime_filter(op->base.query, plan->join.runtime_filters.items[i].id);
        if (table->form == JOIN_TABLE_RANKED)
            runtime_filter_publish_bitmap(filter, table->bitmap, op->whole.ranges[0].count,
                                          op->whole.ranges[0].min, op->whole.ranges[0].max);
        else
            runtime_filter_publish(filter);
    }
}

/* The table begins to be made, unless there is no room for it. */
static status join_build_start_table(op_join_build *op, exec_task *task)
{
    join_table *table = &op->whole.table;
    if (join_has_spilled(op))
        return STATUS_OK;
    if (!join_fits(op))
        return join_spill_start(op, task);
    status st = join_table_phase(table, task, 0, op->whole.ranges);
    if (status_get_kind(st) != STATUS_KIND_LIMIT || !exec_may_spill(task->query))
        return st;
    status_free(st);
    join_table_restart(table);
    return join_spill_start(op, task);
}

/* The task's share of what is still in memory. */
static status spill_rest(op_join_build *op, exec_task *task)
{
    const chunk_list *chunks = &op->whole.table.chunks;
    if (!chunks->count)
        return STATUS_OK;
    size_t first = chunks->count * task->index / task->count;
    size_t end = chunks->count * (task->index + 1) / task->count;
    return join_spill_build(op, task, chunks->items + first, end - first);
}

/* Without build rows, or such that may have partners, nothing comes of probe rows. */
static bool needs_build_rows(const op_join_build *op)
{
    return op->type == JOIN_INNER || op->type == JOIN_SEMI || op->type == JOIN_RIGHT ||
           op->emits_build;
}

/* Some build row may have a partner: of those with a NULL among their keys none has. */
static bool has_partners(const op_join_build *op, bool has_spilled)
{
    const join_table *table = &op->whole.table;
    bool gives_pairs = op->type == JOIN_INNER || op->type == JOIN_SEMI;
    if (has_spilled || !gives_pairs || !table->key_count || table->null_equal)
        return op->whole.has_rows;
    return table->key_row_count > 0;
}

static status join_build_finish(op_join_build *op, exec_task *task)
{
    const join_table *table = &op->whole.table;
    bool has_spilled = join_has_spilled(op);
    join_note_memory(op);
    op->whole.has_rows = has_spilled ? atomic_load(&op->spill.rows_written) : table->row_count;
    op->whole.has_null_key = has_spilled ? atomic_load(&op->spill.has_null_key)
                                         : table->key_row_count < table->row_count;
    op->probe->drops_all = !has_partners(op, has_spilled) && needs_build_rows(op) && !op->heavy;
    if (op->tail)
        op->tail->is_empty = !has_spilled && !join_marks_build(op);
    if (!has_spilled)
        return join_side_start(op, task, &op->whole);
    reserved_columns_release(&op->reserved);
    if (join_may_unite_filters(op) && !join_unites_filters(op))
        join_filters_publish_ranges(op);
    return join_spill_publish(op, task);
}

static status join_build_run_phase(op_join_build *op, exec_task *task, unsigned number)
{
    if (number == 0)
        return task->index ? STATUS_OK : join_build_start_table(op, task);
    if (join_has_spilled(op))
        return number == 1 ? spill_rest(op, task) : STATUS_OK;
    bool has_own = !task->index && !join_unites_filters(op);
    if (has_own && number == JOIN_TABLE_PHASE_SUM + 1)
        publish_filters(op);
    TRY(join_table_phase(&op->whole.table, task, number, op->whole.ranges));
    return has_own && number == JOIN_TABLE_PHASE_SUM ? make_filters(op, task) : STATUS_OK;
}

/* Runs the phase of task 0 that waits for other ranks. */
static exec_result unite_filters(op_join_build *op, exec_task *task)
{
    if (!op->united.has_table)
        EXEC_TRY(task, join_build_run_phase(op, task, JOIN_TABLE_PHASE_SUM));
    op->united.has_table = true;
    return join_filters_unite(op, task);
}

static exec_result build_phase(exec_operator *base, exec_task *task, unsigned number)
{
    op_join_build *op = (op_join_build *)base;
    if (!task->index && number == JOIN_TABLE_PHASE_SUM && join_unites_filters(op))
        return unite_filters(op, task);
    EXEC_TRY(task, join_build_run_phase(op, task, number));
    if (!task->index && number == JOIN_TABLE_PHASES - 1)
        EXEC_TRY(task, join_build_finish(op, task));
    return EXEC_FINISHED;
}

static status build_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_join_build *op = (op_join_build *)base;
    build_local *local = state;
    local->places = mem_new_array(op->stored_columns + 1, sizeof *local->places);
    if (!local->places)
        return status_no_memory("join build", op->stored_columns * sizeof *local->places);
    TRY(join_bounds_new(op, task, &local->bounds));
    return program_run_new(op->build_keys, task, &local->run);
}

static void build_local_close(exec_operator *base, void *state)
{
    build_local *local = state;
    dev_fetch_close(exec_device(base->query), &local->noted);
    chunk_free(local->current);
    for (uint32_t i = 0; i < local->pending_count; i++)
        chunk_free(local->pending[i]);
    chunk_free(local->taken);
    mem_free(local->places);
    chunk_list_release(&local->chunks);
    dev_buffer_unref(local->bounds);
    program_run_free(local->run);
}

void join_release(op_join_build *join)
{
    mutex_lock(&join->lock);
    join->is_released = true;
    bool is_answering = join->is_answering;
    mutex_unlock(&join->lock);
    if (is_answering)
        return;
    join_side_release(&join->whole);
    reserved_columns_release(&join->reserved);
    partitions_free(join->spill.build);
    partitions_free(join->spill.probe);
    join->spill.build = join->spill.probe = NULL;
    exec_device(join->base.query)->ops->event_free(join->spill.started);
    join->spill.started = NULL;
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
    join_filters_release(op);
    heavy_keys_free(op->heavy);
    op->is_answering = false;
    join_release(op);
    program_free(op->build_keys);
    program_free(op->probe_keys);
    program_free(op->residual);
    exec_lock_destroy(&op->spill.starting);
    mutex_destroy(&op->lock);
    mem_free(op);
}

const exec_operator_ops join_build_ops = {
    .name = "join build",
    .local_bytes = sizeof(build_local),
    .local_open = build_local_open,
    .local_close = build_local_close,
    .push = build_push,
    .exact_counts = true,
    .local_finish = build_finish_local,
    .phase_count = JOIN_TABLE_PHASES,
    .phase = build_phase,
    .close = join_build_close,
};
