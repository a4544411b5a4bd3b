/* op_shared.c - a common subplan (WITH): its rows are collected once and read by every reference.
 *
 * Lanes append to lists of their own, which are joined under a lock when they finish; readers take
 * chunks from the complete list by an atomic cursor each. */
#include "exec/query.h"

typedef ARRAY(chunk *) chunk_list;

typedef struct op_shared {
    exec_operator base;
    pthread_mutex_t lock;
    chunk_list chunks; /* complete before any reader starts */
} op_shared;

typedef struct shared_lane {
    exec_fetch fetch;
    uint64_t row_count;
    chunk_list chunks;
} shared_lane;

static void release_chunks(chunk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        chunk_free(list->items[i]);
    array_release(list);
}

/* Rows are copied out of the pages that they came with, so that those can be reused. */
static exec_step shared_push(exec_operator *op, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    (void)op;
    (void)output;
    shared_lane *lane = state;
    status st;
    chunk *flat = NULL;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->row_count, &st)) {
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    if ((*input)->rows.bound) {
        EXEC_TRY(task, array_reserve(NULL, &lane->chunks, 1));
        EXEC_TRY(task, chunk_concat(task->stream, input, 1, "common subplan", &flat));
        lane->chunks.items[lane->chunks.count++] = flat;
    }
    return EXEC_NEED_INPUT;
}

static exec_step shared_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    op_shared *op = (op_shared *)base;
    shared_lane *lane = state;
    pthread_mutex_lock(&op->lock);
    status st = array_reserve(NULL, &op->chunks, lane->chunks.count);
    if (!st && lane->chunks.count) {
        memcpy(op->chunks.items + op->chunks.count, lane->chunks.items,
               lane->chunks.count * sizeof *lane->chunks.items);
        op->chunks.count += lane->chunks.count;
        lane->chunks.count = 0;
    }
    pthread_mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

static void shared_lane_close(exec_operator *op, void *state)
{
    shared_lane *lane = state;
    release_chunks(&lane->chunks);
    if (lane->fetch.event)
        op->query->dev->ops->event_free(lane->fetch.event);
}

static void shared_close(exec_operator *base)
{
    op_shared *op = (op_shared *)base;
    release_chunks(&op->chunks);
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops shared_ops = {
    .name = "shared",
    .lane_bytes = sizeof(shared_lane),
    .lane_close = shared_lane_close,
    .push = shared_push,
    .lane_finish = shared_finish,
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
    pthread_mutex_init(&op->lock, NULL);
    *out_sink = &op->base;
    return STATUS_OK;
}

/* ---- the reader ---- */

typedef struct op_shared_source {
    exec_operator base;
    op_shared *sink;
    _Atomic size_t next; /* chunk */
} op_shared_source;

static exec_step source_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_shared_source *op = (op_shared_source *)base;
    size_t index = atomic_fetch_add(&op->next, 1);
    if (index >= op->sink->chunks.count)
        return EXEC_FINISHED;
    const chunk *source = op->sink->chunks.items[index];
    uint32_t count = (uint32_t)base->plan->columns.count;
    EXEC_TRY(task, chunk_new(count, source->rows, output));
    for (uint32_t i = 0; i < count; i++)
        (*output)->columns[i] = tensor_ref(source->columns[base->plan->shared.sources.items[i]]);
    return EXEC_HAVE_OUTPUT;
}

static void source_close(exec_operator *op)
{
    mem_free(op);
}

static const exec_operator_ops source_ops = {
    .name = "shared scan",
    .pull = source_pull,
    .close = source_close,
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
