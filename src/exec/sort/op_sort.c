/* op_sort.c - ORDER BY, and top-k where a LIMIT follows.
 *
 * Tasks collect rows; at the end one task sorts all of them by packed keys and the source hands
 * them out in order. With a limit, a task that has collected enough sorts what it has and keeps the
 * best, so that memory does not grow with the input. Where the rows do not fit the memory, tasks
 * write what they have as sorted runs to a temporary file, and the source merges those. */
#include "base/maximum.h"
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/sched/memory.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_bound.h"
#include "exec/sort/sort_merge.h"
#include "exec/sort/sort_ranges.h"
#include "exec/sort/sort_run.h"
#include "exec/sort/sort_spill.h"
#include "exec/sort/sort_widen.h"

/* Rows beyond the limit that a task collects before it throws the rest away; and where others have
 * been thrown away already, and few come. */
#define SPARE_ROWS 16384
#define SPARE_ROWS_BOUND 256
/* Rows beyond the limit that are looked at one by one. */
#define OFFERED_ROWS 64

typedef struct sort_local {
    program_run *run;
    chunk_list chunks;
    uint64_t row_count;
    uint64_t unoffered;    /* the last of them: sort_bound_offer is still to see them */
    uint64_t held, needed; /* bytes: sort_count_chunk */
    chunk *current;        /* input's columns and room for keys */
    uint32_t next;
    dev_buffer *bound; /* sort_bound.c; NULL: none yet */
    bound_filter filter;
    late_chunk late; /* the rows within the bound of the chunk before, on lazy devices */
} sort_local;

/* The task's chunks are others now: their bytes are counted anew. */
static void sort_count_bytes(op_sort *op, sort_local *local)
{
    uint64_t held = 0, needed = 0;
    for (size_t i = 0; i < local->chunks.count; i++)
        sort_count_chunk(op, local->chunks.items[i], &held, &needed);
    atomic_fetch_add(&op->spill.held, held - local->held);
    atomic_fetch_add(&op->spill.needed, needed - local->needed);
    local->held = held;
    local->needed = needed;
}

static status sort_shrink(op_sort *op, exec_task *task, sort_local *local)
{
    chunk *best, *flat;
    uint64_t offered = local->row_count - local->unoffered;
    TRY(sort_list(op, task, &local->chunks, &best));
    local->row_count = best->rows.bound;
    status st = local->unoffered ? sort_bound_offer_rest(op, best, offered) : STATUS_OK;
    local->unoffered = 0;
    if (!st)
        st = chunk_concat(task->stream, &best, 1, "sort", &flat);
    chunk_free(best);
    if (!st)
        st = chunk_list_push(&local->chunks, flat);
    if (!st) {
        dev_buffer_unref(local->bound);
        st = sort_bound_new(op, task, flat, &local->bound);
    }
    if (!st && !sort_bound_is_offered(op))
        st = sort_bound_publish(op, flat);
    sort_count_bytes(op, local);
    return st;
}

static void op_sort_count_chunk(op_sort *op, sort_local *local, const chunk *c)
{
    uint64_t held = 0, needed = 0;
    sort_count_chunk(op, c, &held, &needed);
    atomic_fetch_add(&op->spill.held, held);
    atomic_fetch_add(&op->spill.needed, needed);
    local->held += held;
    local->needed += needed;
}

static status sort_spill_local(op_sort *op, exec_task *task, sort_local *local)
{
    TRY(sort_spill_list(op, task, &local->chunks));
    local->row_count = local->unoffered = 0;
    sort_count_bytes(op, local);
    return STATUS_OK;
}

/* By the first task that has rows. What fails is not tried again by the others, who may
 * be here before they see that the query has failed. */
static status learn_types(op_sort *op, const chunk *rows)
{
    uint32_t columns = rows->column_count;
    data_type *types = mem_new_array(op->kept_count + 1, sizeof *types);
    status st = STATUS_OK;
    op->has_met_rows = true;
    op->needed = mem_new_array(op->kept_count + 1, sizeof *op->needed);
    if (!op->needed || !types)
        st = status_no_memory("sort", op->kept_count * sizeof *types);
    for (uint32_t i = 0; i < columns && !st; i++) {
        op->needed[i] = rows->columns[i];
        if (op->needed[i])
            types[i] = rows->columns[i]->type;
    }
    if (!st && op->narrow.is_used)
        st = sort_narrow_learn(op, rows, types, op->needed);
    if (st)
        mem_free(types);
    else
        op->types = types;
    return st;
}

/* Under the lock. */
static status know_types(op_sort *op, const chunk *rows)
{
    if (!op->has_met_rows)
        return learn_types(op, rows);
    return op->types ? STATUS_OK : status_no_memory("sort", op->kept_count * sizeof *op->types);
}

/* Takes the place for rows that are sorted with all others. Rows of a top-k are thrown away soon, what is spilled need not
 * lie together, and the first chunks, which have no place, come behind the others: not where equal rows keep their order. */
static status sort_take_places(op_sort *op, exec_task *task, const chunk *rows, tensor_target *out)
{
    bool is_placed;
    if (op->base.plan->sort.has_limit)
        return STATUS_OK;
    mutex_lock(&op->lock);
    status st = know_types(op, rows);
    reserved_columns_want want = {.dev = task->stream->dev,
                                  .column_count = op->kept_count,
                                  .types = op->types,
                                  .needed = op->needed,
                                  .who = "sort"};
    if (!st && !op->spill.file && !op->base.plan->sort.keeps_order)
        st = reserved_columns_take(&op->reserved, &want, rows->rows.bound, out, &is_placed);
    mutex_unlock(&op->lock);
    return st;
}

static status sort_copy_rows(op_sort *op, exec_task *task, chunk *rows, chunk **out)
{
    *out = NULL;
    tensor_target *places = mem_new_array(op->kept_count + 1, sizeof *places);
    if (!places)
        return status_no_memory("sort", op->kept_count * sizeof *places);
    status st = sort_take_places(op, task, rows, places);
    if (!st)
        st = op->narrow.is_used ? sort_narrow_rows(op, task, rows, places, out)
                                : chunk_concat_at(task->stream, &rows, 1, "sort", places, out);
    mem_free(places);
    return st;
}

/* A copy of the rows, which holds nothing of the pages that they came in. Where there is no memory
 * for it, the task gives back what it has. */
static status own_rows(op_sort *op, exec_task *task, sort_local *local, chunk *rows, chunk **out)
{
    status st = sort_copy_rows(op, task, rows, out);
    if (status_get_kind(st) != STATUS_KIND_LIMIT || !local->chunks.count ||
        !exec_may_spill(op->base.query))
        return st;
    status_free(st);
    TRY(sort_spill_local(op, task, local));
    return sort_copy_rows(op, task, rows, out);
}

/* Input columns and evaluated keys side by side. */
static exec_result sort_add_keys(op_sort *op, exec_task *task, sort_local *local, chunk *input)
{
    uint32_t columns = op->column_count;
    if (!local->current) {
        EXEC_TRY(task, chunk_new(columns + op->extra_count, input->rows, &local->current));
        for (uint32_t i = 0; i < columns; i++)
            local->current->columns[i] = tensor_ref(input->columns[i]);
        local->next = 0;
    }
    for (; local->next < op->extra_count; local->next++) {
        exec_result result = program_evaluate(local->run, local->next, input,
                                              &local->current->columns[columns + local->next]);
        if (result != EXEC_FINISHED)
            return result;
    }
    return EXEC_FINISHED;
}

/* A few rows are offered as they come, more when they are sorted, which is at once then. */
static status sort_offer_rows(op_sort *op, sort_local *local, const chunk *rows)
{
    uint64_t count = rows->rows.bound;
    if (!sort_bound_is_offered(op))
        return STATUS_OK;
    if (count <= op->base.plan->sort.limit + OFFERED_ROWS)
        return sort_bound_offer(op, rows, 0, count);
    local->unoffered = count;
    return STATUS_OK;
}

/* The task's chunks have a copy of the rows as the last one. */
static status keep_rows(op_sort *op, exec_task *task, sort_local *local, chunk *rows)
{
    chunk *owned;
    TRY(own_rows(op, task, local, rows, &owned));
    TRY(chunk_list_push(&local->chunks, owned));
    local->row_count += owned->rows.bound;
    op_sort_count_chunk(op, local, owned);
    return sort_offer_rows(op, local, owned);
}

/* Rows beyond the limit and as many again that a task may hold. */
static uint64_t spare_rows(const op_sort *op, const sort_local *local)
{
    const device *dev = exec_device(op->base.query);
    uint64_t spare = local->filter.version ? SPARE_ROWS_BOUND : SPARE_ROWS;
    return dev->is_host && dev->chunk_rows < spare ? dev->chunk_rows : spare;
}

/* A task that holds much throws away what the limit leaves out, if that is enough of it, or else
 * what it holds becomes a run, if memory is full. */
static status sort_make_room(op_sort *op, exec_task *task, sort_local *local)
{
    const plan_node *plan = op->base.plan;
    uint64_t limit = plan->sort.limit;
    bool is_full = sort_must_spill(op, task, local->needed);
    uint64_t spare = is_full ? 0 : spare_rows(op, local);
    if (plan->sort.has_limit && local->row_count > limit &&
        (local->unoffered || local->row_count - limit > spare + limit))
        return sort_shrink(op, task, local);
    return is_full ? sort_spill_local(op, task, local) : STATUS_OK;
}

/* Rows that came late, if there are any, are kept. */
static status keep_late(op_sort *op, exec_task *task, sort_local *local, late_chunk *late)
{
    chunk *rows;
    TRY(late_chunk_finish(task->stream, late, &rows));
    if (!rows)
        return STATUS_OK;
    status st = keep_rows(op, task, local, rows);
    chunk_free(rows);
    return st ? st : sort_make_room(op, task, local);
}

/* task->current's rows within the bound are kept, when it is known how many they are. */
static status sort_take_rows(op_sort *op, exec_task *task, sort_local *local)
{
    late_chunk before = local->late;
    if (local->bound)
        TRY(sort_bound_apply(op, task, local->bound, local->current));
    status st = late_chunk_start(task->stream, local->current, &local->late);
    local->current = NULL;
    if (st) {
        local->late = before;
        return st;
    }
    if (before.rows)
        TRY(keep_late(op, task, local, &before));
    return local->late.count.words ? STATUS_OK : keep_late(op, task, local, &local->late);
}

static exec_result sort_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    (void)output;
    op_sort *op = (op_sort *)base;
    sort_local *local = state;
    if (!*input)
        return EXEC_NEED_INPUT;
    exec_result result = sort_add_keys(op, task, local, *input);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, exec_check_error(task));
    result = sort_bound_select(op, task, &local->filter, local->current);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, sort_take_rows(op, task, local));
    return EXEC_NEED_INPUT;
}

static exec_result sort_finish_local(exec_operator *base, exec_task *task, void *state,
                                     chunk **output)
{
    (void)output;
    op_sort *op = (op_sort *)base;
    sort_local *local = state;
    EXEC_TRY(task, keep_late(op, task, local, &local->late));
    mutex_lock(&op->lock);
    bool has_spilled = op->spill.file != NULL;
    mutex_unlock(&op->lock);
    if (has_spilled)
        EXEC_TRY(task, sort_spill_local(op, task, local));
    else if (base->plan->sort.has_limit && local->row_count > base->plan->sort.limit)
        EXEC_TRY(task, sort_shrink(op, task, local)); /* here, as one task alone sorts the rest */
    mutex_lock(&op->lock);
    status st = chunk_list_move(&local->chunks, &op->chunks);
    mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

/* Sorts the rows in memory: all rows, or those of tasks that finished before others had to spill. */
static exec_result op_sort_rest(op_sort *op, exec_task *task)
{
    uint64_t rows = 0;
    if (!op->chunks.count)
        return EXEC_FINISHED;
    for (size_t i = 0; i < op->chunks.count; i++)
        rows += op->chunks.items[i]->rows.bound;
    if (op->spill.file || !sort_fits(op, rows)) {
        EXEC_TRY(task, sort_spill_list(op, task, &op->chunks));
        return EXEC_FINISHED;
    }
    EXEC_TRY(task, sort_narrow_even(op, task->stream->dev, op->chunks.items, op->chunks.count));
    if (sort_lanes_pay(task, rows)) {
        EXEC_TRY(task, sort_lanes_start(op, task, &op->chunks));
        return EXEC_FINISHED;
    }
    EXEC_TRY(task, sort_list(op, task, &op->chunks, &op->sorted));
    EXEC_TRY(task, sort_bound_publish(op, op->sorted)); /* for scans that wait for the result */
    return EXEC_FINISHED;
}

static status lanes_phase(op_sort *op, exec_task *task, unsigned number)
{
    status st = sort_lanes_phase(op, task, number);
    maximum_raise(&op->base.metrics.memory_peak, mem_budget_used(exec_budget(op->base.query)));
    return st;
}

static exec_result sort_phase(exec_operator *base, exec_task *task, unsigned number)
{
    op_sort *op = (op_sort *)base;
    if (number && op->spill.file)
        return sort_pass(op, task, number);
    EXEC_TRY(task, number ? lanes_phase(op, task, number) : STATUS_OK);
    return number || task->index ? EXEC_FINISHED : op_sort_rest(op, task);
}

static status sort_local_open(exec_operator *base, exec_task *task, void *state)
{
    const op_sort *op = (op_sort *)base;
    sort_local *local = state;
    return op->program ? program_run_new(op->program, task, &local->run) : STATUS_OK;
}

static void sort_local_close(exec_operator *base, void *state)
{
    sort_local *local = state;
    chunk_list_release(&local->chunks);
    chunk_free(local->current);
    late_chunk_close(exec_device(base->query), &local->late);
    dev_buffer_unref(local->bound);
    bound_filter_release(&local->filter);
    program_run_free(local->run);
}

static void sort_close(exec_operator *base)
{
    op_sort *op = (op_sort *)base;
    chunk_list_release(&op->chunks);
    chunk_free(op->sorted);
    sort_lanes_release(&op->lanes);
    reserved_columns_release(&op->reserved);
    mem_free(op->types);
    mem_free(op->needed);
    sort_narrow_close(&op->narrow);
    sort_spill_release(op);
    program_free(op->program);
    mem_free(op->key_columns);
    if (op->bound.keys)
        runtime_bound_release(&op->own_bound);
    sort_best_release(&op->best);
    mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops sort_ops = {
    .name = "sort",
    .local_bytes = sizeof(sort_local),
    .local_open = sort_local_open,
    .local_close = sort_local_close,
    .push = sort_push,
    .exact_counts = true,
    .local_finish = sort_finish_local,
    .phase_count = 1 + SORT_PASSES,
    .phase = sort_phase,
    .close = sort_close,
};

/* ---- the source ---- */

typedef struct op_sort_source {
    exec_operator base;
    op_sort *sink;
    _Atomic uint64_t next; /* row, or piece */
    /* One of the two if rows were spilled: */
    sort_ranges *ranges;
    sort_merge *merge; /* by one task, */
    uint64_t merged;   /* and how many chunks it has given */
    bool has_merge;    /* under the sink's lock: they are made */
    /* Set if partitions stay whole: */
    sort_pieces pieces;
    bool has_pieces; /* under the sink's lock: they are made */
} op_sort_source;

typedef struct source_local {
    sort_range range;
    uint64_t piece, first, next,
        end;     /* of rows [first, end) of the piece those from `next` on are left */
    chunk *rows; /* those of the piece, if they are kept narrow */
} source_local;

/* By the first task that asks. */
static status open_merge(op_sort_source *source, const exec_task *task)
{
    op_sort *op = source->sink;
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    if (!source->has_merge) {
        const sort_run_list *runs = sort_spill_runs(op);
        st = sort_ranges_new(op, runs, task->count, &source->ranges);
        if (!st && !source->ranges)
            st = sort_merge_new(op, runs->items, runs->count, sort_widen_columns(op),
                                &source->merge);
        source->has_merge = !st;
    }
    mutex_unlock(&op->lock);
    return st;
}

static exec_result pull_merged(op_sort_source *source, exec_task *task, source_local *local,
                               chunk **output)
{
    chunk *merged;
    EXEC_TRY(task, open_merge(source, task));
    if (source->ranges)
        return sort_ranges_next(source->ranges, task, &local->range, output);
    if (task->index)
        return EXEC_FINISHED;
    exec_result result = sort_merge_next(source->merge, task, &merged);
    if (result != EXEC_HAVE_OUTPUT)
        return result;
    task->turn = source->base.whole_keys ? (exec_turn){0} : (exec_turn){source->merged++, true};
    EXEC_TRY(task, sort_widen(source->sink, task, merged, &merged));
    status st = chunk_to_device(task->stream, merged, "sort", output);
    chunk_free(merged);
    EXEC_TRY(task, st);
    return EXEC_HAVE_OUTPUT;
}

/* By the first task that asks. */
static status open_pieces(op_sort_source *source, const exec_task *task)
{
    status st = STATUS_OK;
    mutex_lock(&source->sink->lock);
    if (!source->has_pieces && source->sink->sorted)
        st = sort_pieces_make(source->sink, task->count, &source->pieces);
    source->has_pieces = !st;
    mutex_unlock(&source->sink->lock);
    return st;
}

/* Rows of the result, as they came. */
static status sort_give(const op_sort *op, exec_task *task, uint64_t first, uint64_t count,
                        chunk **out)
{
    TRY(sort_slice(task, op->sorted, first, count, sort_widen_columns(op), out));
    return sort_widen(op, task, *out, out);
}

/* Rows that are kept narrow are made at once, so that what a window sees of a piece lies together; bitmaps are cut
 * between words alone. */
static status open_piece(op_sort_source *source, exec_task *task, source_local *local)
{
    const op_sort *op = source->sink;
    local->first = local->piece ? source->pieces.items[local->piece - 1] : 0;
    local->next = local->first;
    local->end = source->pieces.items[local->piece];
    if (!op->narrow.is_used || task->stream->dev->chunk_rows % 64)
        return STATUS_OK;
    return sort_give(op, task, local->first, local->end - local->first, &local->rows);
}

static status give_of_piece(const op_sort *op, exec_task *task, source_local *local, uint64_t count,
                            chunk **out)
{
    if (!local->rows)
        return sort_give(op, task, local->next, count, out);
    TRY(sort_slice(task, local->rows, local->next - local->first, count, op->column_count, out));
    if (local->next + count == local->end) {
        chunk_free(local->rows);
        local->rows = NULL;
    }
    return STATUS_OK;
}

/* The next rows of the task's piece, or the first ones of another. */
static exec_result pull_whole(op_sort_source *source, exec_task *task, source_local *local,
                              chunk **output)
{
    uint64_t slice_rows = task->stream->dev->chunk_rows;
    if (local->next == local->end) {
        EXEC_TRY(task, open_pieces(source, task));
        local->piece = atomic_fetch_add_explicit(&source->next, 1, memory_order_relaxed);
        if (local->piece >= source->pieces.count)
            return EXEC_FINISHED;
        EXEC_TRY(task, open_piece(source, task, local));
    }
    uint64_t left = local->end - local->next, count = left < slice_rows ? left : slice_rows;
    EXEC_TRY(task, give_of_piece(source->sink, task, local, count, output));
    local->next += count;
    task->turn = (exec_turn){local->piece, count == left};
    return EXEC_HAVE_OUTPUT;
}

static exec_result sort_source_pull(exec_operator *base, exec_task *task, void *state,
                                    chunk **output)
{
    op_sort_source *source = (op_sort_source *)base;
    const op_sort *op = source->sink;
    if (op->spill.file)
        return pull_merged(source, task, state, output);
    if (base->whole_keys)
        return pull_whole(source, task, state, output);
    uint64_t slice_rows = exec_device(base->query)->chunk_rows;
    uint64_t rows = op->sorted ? op->sorted->rows.bound : 0;
    uint64_t first = atomic_fetch_add_explicit(&source->next, slice_rows, memory_order_relaxed);
    if (first >= rows)
        return EXEC_FINISHED;
    uint64_t count = rows - first < slice_rows ? rows - first : slice_rows;
    EXEC_TRY(task, sort_give(op, task, first, count, output));
    task->turn = (exec_turn){first / slice_rows, true};
    return EXEC_HAVE_OUTPUT;
}

static void sort_source_local_close(exec_operator *base, void *state)
{
    (void)base;
    sort_range_close(&((source_local *)state)->range);
    chunk_free(((source_local *)state)->rows);
}

/* The rows have been given out: slices of them that are still in use hold what they need. */
static void sort_source_release(exec_operator *base)
{
    op_sort *op = ((op_sort_source *)base)->sink;
    chunk_free(op->sorted);
    op->sorted = NULL;
    reserved_columns_release(&op->reserved);
}

static void sort_source_close(exec_operator *base)
{
    sort_merge_free(((op_sort_source *)base)->merge);
    sort_ranges_free(((op_sort_source *)base)->ranges);
    array_release(&((op_sort_source *)base)->pieces);
    mem_free(base);
}

static const exec_operator_ops source_ops = {
    .name = "sort",
    .local_bytes = sizeof(source_local),
    .local_close = sort_source_local_close,
    .pull = sort_source_pull,
    .release = sort_source_release,
    .close = sort_source_close,
};

static status sort_compile(op_sort *op, arena *a, exec_layout input)
{
    const plan_node *plan = op->base.plan;
    expr_list extra = {0};
    column_map columns;
    TRY(column_map_new(a, input.columns, input.count, &columns));
    op->key_columns = mem_new_array(op->key_count + 1, sizeof *op->key_columns);
    if (!op->key_columns)
        return status_no_memory("sort", op->key_count * sizeof *op->key_columns);
    for (uint32_t k = 0; k < op->key_count; k++) {
        const plan_sort_key *key = &plan->sort.keys.items[k];
        op->is_text_first |= !k && type_is_text(key->key->type);
        bool is_column = key->key->kind == EXPR_COLUMN;
        int place = is_column ? column_map_find(&columns, key->key->column_id) : -1;
        op->key_columns[k] = (uint32_t)place;
        if (place >= 0)
            continue;
        op->key_columns[k] = op->column_count + (uint32_t)extra.count;
        TRY(array_push(a, &extra, key->key));
    }
    op->extra_count = (uint32_t)extra.count;
    TRY(sort_bound_share(op, input));
    TRY(sort_narrow_open(op, &columns));
    op->kept_count = op->column_count + op->extra_count + op->narrow.is_used;
    if (!extra.count)
        return STATUS_OK;
    return program_compile((const expr *const *)extra.items, op->extra_count, input, &op->program);
}

status op_sort_open(exec_query *query, const plan_node *plan, exec_layout input,
                    exec_operator **out_sink, exec_operator **out_source)
{
    *out_sink = *out_source = NULL;
    op_sort *op = mem_new(sizeof *op);
    op_sort_source *source = mem_new(sizeof *source);
    if (!op || !source) {
        mem_free(op);
        mem_free(source);
        return status_no_memory("sort", sizeof *op);
    }
    op->base = (exec_operator){.ops = &sort_ops, .query = query, .plan = plan};
    op->input = input;
    op->column_count = input.count;
    op->key_count = (uint32_t)plan->sort.keys.count;
    mutex_init(&op->lock);
    sort_best_init(&op->best);
    status st = sort_compile(op, exec_memory(query), input);
    if (st) {
        sort_close(&op->base);
        mem_free(source);
        return st;
    }
    source->base = (exec_operator){.ops = &source_ops,
                                   .query = query,
                                   .plan = plan,
                                   .task_limit = 1,
                                   .has_turns = exec_device(query)->is_host};
    source->sink = op;
    op->source = &source->base;
    *out_sink = &op->base;
    *out_source = &source->base;
    return STATUS_OK;
}
