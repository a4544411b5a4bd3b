/* op_shared.c - a common subplan (WITH): its rows are collected once and read by every reference.
 *
 * Tasks append to lists of their own, which are joined under a lock when they finish; readers take
 * chunks from the complete list by an atomic cursor each. Rows that are too many for memory go to a
 * temporary file, and each reference reads it. */
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "exec/sched/memory.h"
#include "exec/sched/query.h"
#include "exec/spill/partitions.h"

typedef struct op_shared {
    exec_operator base;
    pthread_mutex_t lock;
    chunk_list chunks; /* complete before any reader starts */
    _Atomic uint64_t held;
    spill_file *file;  /* NULL: all is in memory */
    partitions *parts; /* the first part is the rows that were spilled */
} op_shared;

typedef struct shared_local {
    uint64_t held;
    chunk_list chunks;
} shared_local;

static status begin_spill(op_shared *op)
{
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    if (!op->file)
        st = spill_open(exec_temp_directory(op->base.query), &op->file);
    if (!st && !op->parts)
        st = partitions_new(op->file, &op->base, "common subplan", 0, &op->parts);
    mutex_unlock(&op->lock);
    return st;
}

/* Writes the task's rows if all tasks' are too many. */
static status shared_settle(op_shared *op, exec_task *task, shared_local *local, uint64_t more)
{
    local->held += more;
    uint64_t all = atomic_fetch_add(&op->held, more) + more;
    if (!exec_must_spill(op->base.query, all, all, task->count, local->held))
        return STATUS_OK;
    TRY(begin_spill(op));
    for (; local->chunks.count; local->chunks.count--) {
        chunk *last = local->chunks.items[local->chunks.count - 1];
        TRY(partitions_add(op->parts, task, 0, last));
        chunk_free(last);
    }
    atomic_fetch_sub(&op->held, local->held);
    local->held = 0;
    return STATUS_OK;
}

/* Rows are copied out of the pages that they came with, so that those can be reused. */
static exec_result shared_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    (void)output;
    op_shared *op = (op_shared *)base;
    shared_local *local = state;
    chunk *flat = NULL;
    if (!*input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, array_reserve(NULL, &local->chunks, 1));
    EXEC_TRY(task, chunk_concat(task->stream, input, 1, "common subplan", &flat));
    local->chunks.items[local->chunks.count++] = flat;
    EXEC_TRY(task, shared_settle(op, task, local, exec_chunk_bytes(flat)));
    return EXEC_NEED_INPUT;
}

static exec_result shared_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    op_shared *op = (op_shared *)base;
    shared_local *local = state;
    mutex_lock(&op->lock);
    status st = chunk_list_move(&local->chunks, &op->chunks);
    mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

static void shared_local_close(exec_operator *op, void *state)
{
    (void)op;
    shared_local *local = state;
    chunk_list_release(&local->chunks);
}

static void shared_close(exec_operator *base)
{
    op_shared *op = (op_shared *)base;
    chunk_list_release(&op->chunks);
    partitions_free(op->parts);
    spill_close(op->file);
    mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops shared_ops = {
    .name = "shared",
    .local_bytes = sizeof(shared_local),
    .local_close = shared_local_close,
    .push = shared_push,
    .exact_counts = true,
    .local_finish = shared_finish,
    .close = shared_close,
};

status op_shared_open(exec_query *query, const plan_node *plan, exec_layout input,
                      exec_operator **out_sink)
{
    (void)input;
    *out_sink = NULL;
    op_shared *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("common subplan", sizeof *op);
    op->base = (exec_operator){.ops = &shared_ops, .query = query, .plan = plan};
    mutex_init(&op->lock);
    *out_sink = &op->base;
    return STATUS_OK;
}

/* ---- the reader ---- */

typedef struct op_shared_source {
    exec_operator base;
    op_shared *sink;
    _Atomic size_t next, next_block;
} op_shared_source;

typedef struct shared_reader {
    bool is_open;
    partition_reader blocks;
} shared_reader;

static status pick_columns(const exec_operator *base, const chunk *source, chunk **out)
{
    uint32_t count = (uint32_t)base->plan->columns.count;
    TRY(chunk_new(count, source->rows, out));
    for (uint32_t i = 0; i < count; i++)
        (*out)->columns[i] = tensor_ref(source->columns[base->plan->shared.sources.items[i]]);
    return STATUS_OK;
}

/* Takes the chunk out of the list, if nobody else reads it. */
static status shared_take(const op_shared_source *op, size_t index, chunk **output)
{
    chunk **kept = &op->sink->chunks.items[index];
    if (op->base.plan)
        return pick_columns(&op->base, *kept, output);
    *output = *kept;
    *kept = NULL;
    return STATUS_OK;
}

static exec_result shared_source_pull(exec_operator *base, exec_task *task, void *state,
                                      chunk **output)
{
    op_shared_source *op = (op_shared_source *)base;
    shared_reader *reader = state;
    size_t index = atomic_fetch_add(&op->next, 1);
    if (index < op->sink->chunks.count) {
        EXEC_TRY(task, shared_take(op, index, output));
        return EXEC_HAVE_OUTPUT;
    }
    if (!op->sink->parts)
        return EXEC_FINISHED;
    if (!reader->is_open)
        partition_reader_share(&reader->blocks, op->sink->parts, 0, &op->next_block);
    reader->is_open = true;
    chunk *block;
    exec_result result = partition_next(&reader->blocks, task, &block);
    if (result != EXEC_HAVE_OUTPUT)
        return result;
    if (!base->plan) {
        *output = block;
        return EXEC_HAVE_OUTPUT;
    }
    status st = pick_columns(base, block, output);
    chunk_free(block);
    EXEC_TRY(task, st);
    return EXEC_HAVE_OUTPUT;
}

static void shared_source_local_close(exec_operator *base, void *state)
{
    (void)base;
    partition_reader_close(&((shared_reader *)state)->blocks);
}

static const exec_operator_ops source_ops = {
    .name = "shared scan",
    .local_bytes = sizeof(shared_reader),
    .local_close = shared_source_local_close,
    .pull = shared_source_pull,
};

status op_shared_source_open(exec_query *query, const plan_node *plan, exec_operator *sink,
                             exec_operator **out)
{
    *out = NULL;
    op_shared_source *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("common subplan", sizeof *op);
    op->base = (exec_operator){.ops = &source_ops, .query = query, .plan = plan};
    op->sink = (op_shared *)sink;
    *out = &op->base;
    return STATUS_OK;
}

/* ---- rows that one source reads ---- */

status op_kept_open(exec_query *query, exec_operator **out_sink)
{
    return op_shared_open(query, NULL, (exec_layout){0}, out_sink);
}

status op_kept_source_open(exec_query *query, exec_operator *sink, exec_operator **out)
{
    return op_shared_source_open(query, NULL, sink, out);
}
