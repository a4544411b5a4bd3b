/* op_move.c - see op_move.h. The queue is bounded: a task of the part that finds it full gives its thread back until a chunk has
 * been taken, one of the other query that finds it empty until there is one, or all have come. */
#include "exec/operators/op_move.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/sched/memory.h"

/* Enough that the tasks of both sides do not wait for each other at every chunk. */
#define QUEUE_CHUNKS 8

typedef struct op_move {
    exec_operator base;
    exec_query *part;
    pthread_mutex_t lock; /* of what follows */
    chunk_list chunks;    /* in host memory, FLAT */
    bool has_begun, is_complete;
    exec_task_list takers, givers; /* of the query and of the part: those that wait */
} op_move;

/* ---- the part's sink ---- */

typedef struct op_move_sink {
    exec_operator base;
    op_move *to;
} op_move_sink;

typedef struct move_giver {
    chunk *moved; /* to be queued */
} move_giver;

/* Under the lock. There is always room for one, and nobody waits for any once nobody will be woken (exec_query_free). */
static bool move_has_room(const op_move *op, const exec_task *task)
{
    size_t count = op->chunks.count;
    return !count || exec_is_cancelled(task->query) ||
           (count < QUEUE_CHUNKS && exec_has_host_room(task->query));
}

static status move_try_give(op_move *op, exec_task *task, chunk **moved, bool *out_given)
{
    status st;
    mutex_lock(&op->lock);
    *out_given = move_has_room(op, task);
    if (*out_given) {
        st = chunk_list_push(&op->chunks, *moved);
        *moved = NULL;
    } else {
        st = array_push(NULL, &op->givers, task);
    }
    mutex_unlock(&op->lock);
    return st;
}

static exec_result move_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    (void)output;
    op_move *to = ((op_move_sink *)base)->to;
    move_giver *local = state;
    bool is_given;
    if (*input) {
        EXEC_TRY(task, chunk_to_host(task->stream, *input, false, "move", &local->moved));
        EXEC_TRY(task, exec_await_error(
                           task)); /* rows that kernels failed for would fail otherwise there */
        chunk_free(*input);
        *input = NULL;
    }
    if (!local->moved)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, move_try_give(to, task, &local->moved, &is_given));
    if (!is_given)
        return EXEC_WAIT;
    exec_wake_each(&to->lock, &to->takers);
    return EXEC_NEED_INPUT;
}

static void move_giver_close(exec_operator *base, void *state)
{
    (void)base;
    chunk_free(((move_giver *)state)->moved);
}

/* All rows have come. */
static exec_result move_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)task, (void)number;
    op_move *to = ((op_move_sink *)base)->to;
    mutex_lock(&to->lock);
    to->is_complete = true;
    mutex_unlock(&to->lock);
    exec_wake_each(&to->lock, &to->takers);
    return EXEC_FINISHED;
}

static void move_wake_givers(exec_operator *base)
{
    op_move *to = ((op_move_sink *)base)->to;
    exec_wake_each(&to->lock, &to->givers);
}

static const exec_operator_ops move_sink_ops = {
    .name = "move out",
    .local_bytes = sizeof(move_giver),
    .local_close = move_giver_close,
    .push = move_push,
    .exact_counts = true,
    .phase_count = 1,
    .phase = move_phase,
    .wake_all = move_wake_givers,
};

status op_move_sink_open(exec_query *part, exec_operator *source, exec_operator **out)
{
    *out = NULL;
    op_move_sink *sink = mem_new(sizeof *sink);
    if (!sink)
        return status_no_memory("move", sizeof *sink);
    sink->base = (exec_operator){.ops = &move_sink_ops, .query = part, .plan = source->plan};
    sink->to = (op_move *)source;
    sink->to->part = part;
    *out = &sink->base;
    return STATUS_OK;
}

/* ---- the source ---- */

/* A chunk in host memory, whose rows from `next` on are still to be given. */
typedef struct move_taker {
    chunk *whole;
    uint64_t next;
} move_taker;

/* The part begins with the first task that asks. */
static status move_begin(op_move *op)
{
    mutex_lock(&op->lock);
    bool has_begun = op->has_begun;
    op->has_begun = true;
    mutex_unlock(&op->lock);
    return has_begun ? STATUS_OK : op->part->start(op->part);
}

/* Takes the first chunk of the queue, under the lock. */
static chunk *move_shift(op_move *op)
{
    chunk **items = op->chunks.items, *first = items[0];
    op->chunks.count--;
    memmove(items, items + 1, op->chunks.count * sizeof(chunk *));
    return first;
}

static exec_result move_take(op_move *op, exec_task *task, chunk **out)
{
    exec_result result = EXEC_FINISHED;
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    if (op->chunks.count) {
        *out = move_shift(op);
        result = EXEC_HAVE_OUTPUT;
    } else if (!op->is_complete && !exec_is_cancelled(task->query)) {
        st = array_push(NULL, &op->takers, task);
        result = EXEC_WAIT;
    }
    mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    if (result == EXEC_HAVE_OUTPUT)
        exec_wake_each(&op->lock, &op->givers);
    return result;
}

/* Makes a chunk of rows [first, first + rows) that shares the memory of `whole`. */
static status move_slice(const chunk *whole, uint64_t first, uint64_t rows, chunk **out)
{
    chunk *slice;
    status st = STATUS_OK;
    TRY(chunk_new(whole->column_count, dev_count_exact(rows), &slice));
    for (uint32_t i = 0; i < whole->column_count && !st; i++)
        if (whole->columns[i])
            st = tensor_new_slice(whole->columns[i], first, &slice->columns[i]);
    if (st)
        chunk_free(slice);
    else
        *out = slice;
    return st;
}

/* Copies the next rows into the CPU's own memory: the other device's host memory goes with that device. */
static status move_copy_next(exec_task *task, move_taker *local, chunk **out)
{
    uint64_t rows = local->whole->rows.bound - local->next;
    uint64_t most = ((uint64_t)task->stream->dev->chunk_rows + 63) / 64 * 64;
    chunk *slice;
    rows = rows < most ? rows : most;
    TRY(move_slice(local->whole, local->next, rows, &slice));
    status st = chunk_concat(task->stream, &slice, 1, "move", out);
    chunk_free(slice);
    local->next += rows;
    return st;
}

/* Gives the taken chunk, or its next rows, in the device's memory. */
static status move_give_next(exec_task *task, move_taker *local, chunk **out)
{
    if (task->stream->dev->is_host)
        TRY(move_copy_next(task, local, out));
    else
        TRY(chunk_to_device(task->stream, local->whole, "move", out));
    if (task->stream->dev->is_host && local->next < local->whole->rows.bound)
        return STATUS_OK;
    chunk_free(local->whole);
    *local = (move_taker){0};
    return STATUS_OK;
}

static exec_result move_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_move *op = (op_move *)base;
    move_taker *local = state;
    EXEC_TRY(task, move_begin(op));
    if (!local->whole) {
        exec_result result = move_take(op, task, &local->whole);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
    }
    EXEC_TRY(task, move_give_next(task, local, output));
    return EXEC_HAVE_OUTPUT;
}

static void move_taker_close(exec_operator *base, void *state)
{
    (void)base;
    chunk_free(((move_taker *)state)->whole);
}

static void move_wake_takers(exec_operator *base)
{
    op_move *op = (op_move *)base;
    exec_wake_each(&op->lock, &op->takers);
}

static void move_close(exec_operator *base)
{
    op_move *op = (op_move *)base;
    chunk_list_release(&op->chunks);
    array_release(&op->takers);
    array_release(&op->givers);
    mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops move_ops = {
    .name = "move",
    .local_bytes = sizeof(move_taker),
    .local_close = move_taker_close,
    .pull = move_pull,
    .wake_all = move_wake_takers,
    .close = move_close,
};

status op_move_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    *out = NULL;
    op_move *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("move", sizeof *op);
    op->base = (exec_operator){.ops = &move_ops, .query = query, .plan = plan};
    mutex_init(&op->lock);
    status st = array_push(query->memory, &query->moves, &op->base);
    return exec_operator_opened(&op->base, st, out);
}
