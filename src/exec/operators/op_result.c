/* op_result.c - the sink of a query: batches, in host memory if nobody wants them elsewhere, in a bounded queue.
 *
 * A task that finds the queue full gives its thread back until the client has taken a batch. Where
 * batches have turns, the queue is in their order and the first one waits for those before it; the
 * task whose turn it is finds room whatever others have queued. On a
 * host device a batch borrows the tensors' memory; from others it is copied, or laid out on the device if it is to stay
 * there, behind an event at which is looked when the next one is on its way. */
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "exec/operators/result_batch.h"
#include "exec/operators/result_device.h"
#include "exec/operators/result_dictionary.h"
#include "exec/operators/result_entries.h"
#include "exec/operators/result_nested.h"
#include "exec/sched/memory.h"
#include "exec/sched/pool.h"
#include "exec/sched/task.h"

/* Enough that the client and the tasks do not wait for each other at every batch. */
#define QUEUE_BATCHES 16

typedef struct op_result {
    exec_operator base;
    pthread_mutex_t lock;
    exec_batch *first, **end;
    unsigned count;
    bool keeps_turns;
    uint64_t turn;          /* of the batch to be taken next */
    exec_task_list waiting; /* for room */
    _Atomic(const exec_batch_shape *) shape;
    exec_layout columns; /* of the plan: a lazy device's columns are bytes where these are nested */
    bool stays;          /* batches do, on their device, */
    exec_device_layout layout; /* as this says */
} op_result;

typedef struct result_local {
    result_copy copy;  /* under way */
    exec_batch *batch; /* to be queued */
} result_local;

static status borrow_column(exec_task *task, tensor *t, dev_count rows, exec_batch_column *column)
{
    if (type_is_nested(t->type)) {
        TRY(exec_batch_put_nested(task->stream->dev, task->stream, t, rows.bound, column));
        return exec_check_error(task);
    }
    TRY(tensor_flatten(task->stream, t, rows, &column->owner));
    column->type = column->owner->type;
    column->values = column->owner->values;
    column->validity = column->owner->validity;
    return exec_check_error(task);
}

/* As the client wants it; texts that become codes have entries of their own. */
static status result_shape_column(exec_task *task, chunk *input, const exec_batch_shape *shape,
                                  exec_batch *batch, uint32_t index)
{
    tensor *t = input->columns[index];
    bool has_codes = shape->has_dictionaries && type_is_text(t->type);
    if (!has_codes && !type_is_nested(t->type) && exec_batch_has_entries(t, batch->row_count)) {
        TRY(exec_batch_put_entries(batch, index, task->stream, t, shape));
        return exec_check_error(task);
    }
    if (has_codes && exec_batch_keeps_codes(t, batch->row_count))
        exec_batch_put_codes(&batch->columns[index], t);
    else
        TRY(borrow_column(task, t, input->rows, &batch->columns[index]));
    return shape->make(batch, index, shape);
}

static status borrow_columns(exec_task *task, chunk *input, const exec_batch_shape *shape,
                             exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++)
        TRY(shape ? result_shape_column(task, input, shape, batch, i)
                  : borrow_column(task, input->columns[i], input->rows, &batch->columns[i]));
    return STATUS_OK;
}

/* Under the lock: the client finds a batch. */
static bool result_is_ready(const op_result *op)
{
    return op->first && (!op->keeps_turns || op->first->turn.number == op->turn);
}

/* The client always finds a batch, in time; more are made ready while memory_limit leaves some for
 * it. */
static bool result_has_room(const op_result *op, const exec_query *query, const exec_batch *batch)
{
    bool is_next = !op->keeps_turns || batch->turn.number == op->turn;
    return (is_next && !result_is_ready(op)) ||
           (op->count < QUEUE_BATCHES && exec_has_room(query, 0));
}

/* Puts the batch after the batches of its turn and of those before. */
static void result_put(op_result *op, exec_batch *batch)
{
    exec_batch **at = op->end;
    if (op->keeps_turns)
        for (at = &op->first; *at && (*at)->turn.number <= batch->turn.number;)
            at = &(*at)->next;
    batch->next = *at;
    *at = batch;
    if (!batch->next)
        op->end = &batch->next;
    op->count++;
}

/* True if there is room; else the task is registered to be woken. */
static status queue_try_push(op_result *op, exec_task *task, exec_batch **batch, bool *out_pushed)
{
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    *out_pushed = result_has_room(op, task->query, *batch) || exec_is_cancelled(task->query);
    if (*out_pushed) {
        result_put(op, *batch);
        *batch = NULL;
    } else {
        st = array_push(NULL, &op->waiting, task);
    }
    mutex_unlock(&op->lock);
    if (*out_pushed)
        exec_pool_notify(task->query->pool, task->query);
    return st;
}

static status borrow_chunk(exec_task *task, chunk *c, const exec_batch_shape *shape,
                           exec_batch **out)
{
    exec_batch *batch;
    TRY(exec_batch_new(task->stream->dev, c->column_count, c->rows.bound, &batch));
    status st = borrow_columns(task, c, shape, batch);
    if (st)
        exec_batch_free(batch);
    else
        *out = batch;
    return st;
}

static status unpack_columns(const op_result *op, exec_batch *batch)
{
    for (uint32_t i = 0; batch && i < batch->column_count; i++)
        if (type_is_nested(op->columns.columns[i].type))
            TRY(exec_batch_unpack_nested(batch, i, op->columns.columns[i].type));
    return STATUS_OK;
}

/* Takes what was copied, once it is there. */
static status take_copy(const op_result *op, exec_task *task, result_copy *copy,
                        const exec_batch_shape *shape, exec_batch **out)
{
    TRY(result_copy_finish(task, copy, out));
    if (*out && (*out)->is_on_device) {
        result_device_settle(*out);
        return STATUS_OK;
    }
    TRY(unpack_columns(op, *out));
    for (uint32_t i = 0; shape && *out && i < (*out)->column_count; i++)
        TRY(shape->make(*out, i, shape));
    return STATUS_OK;
}

/* The chunk begins to be copied, the one before it has been. */
static status copy_chunk(const op_result *op, exec_task *task, chunk *c, result_copy *copy,
                         const exec_batch_shape *shape, exec_batch **out)
{
    result_copy before = *copy;
    status st = op->stays ? result_device_start(task, c, op->layout, copy)
                          : result_copy_start(task, c, copy);
    if (!st)
        return take_copy(op, task, &before, shape, out);
    result_copy_close(task->stream->dev, &before);
    return st;
}

/* The batch that is to be queued, if there is one, is. */
static exec_result queue_batch(op_result *op, exec_task *task, result_local *local)
{
    bool is_pushed = true;
    if (local->batch) {
        EXEC_TRY(task, exec_check_error(task));
        EXEC_TRY(task, queue_try_push(op, task, &local->batch, &is_pushed));
    }
    return is_pushed ? EXEC_FINISHED : EXEC_WAIT;
}

static exec_result result_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    (void)output;
    op_result *op = (op_result *)base;
    result_local *local = state;
    if (*input) {
        const exec_batch_shape *shape = atomic_load(&op->shape);
        if (task->stream->dev->is_host) {
            EXEC_TRY(task, borrow_chunk(task, *input, shape, &local->batch));
            local->batch->turn = task->turn;
        } else {
            EXEC_TRY(task, copy_chunk(op, task, *input, &local->copy, shape, &local->batch));
        }
        chunk_free(*input);
        *input = NULL;
    }
    exec_result result = queue_batch(op, task, local);
    return result == EXEC_FINISHED ? EXEC_NEED_INPUT : result;
}

static exec_result result_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    op_result *op = (op_result *)base;
    result_local *local = state;
    if (!local->batch)
        EXEC_TRY(task, take_copy(op, task, &local->copy, atomic_load(&op->shape), &local->batch));
    return queue_batch(op, task, local);
}

static void result_local_close(exec_operator *op, void *state)
{
    result_local *local = state;
    exec_batch_free(local->batch);
    result_copy_close(exec_device(op->query), &local->copy);
}

bool op_result_is_ready(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    mutex_lock(&op->lock);
    bool found = result_is_ready(op);
    mutex_unlock(&op->lock);
    return found;
}

void op_result_keep_turns(exec_operator *sink)
{
    ((op_result *)sink)->keeps_turns = true;
}

void op_result_stay(exec_operator *sink, exec_device_layout layout)
{
    op_result *op = (op_result *)sink;
    op->stays = true;
    op->layout = layout;
}

void op_result_shape(exec_operator *sink, const exec_batch_shape *shape)
{
    atomic_store(&((op_result *)sink)->shape, shape);
}

void op_result_wake_all(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    exec_wake_each(&op->lock, &op->waiting);
}

exec_batch *op_result_take(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    mutex_lock(&op->lock);
    exec_batch *batch = op->first;
    if (batch) {
        op->first = batch->next;
        if (!op->first)
            op->end = &op->first;
        batch->next = NULL;
        op->count--;
        op->turn += batch->turn.is_last;
    }
    mutex_unlock(&op->lock);
    if (batch)
        op_result_wake_all(sink);
    return batch;
}

static void result_close(exec_operator *base)
{
    op_result *op = (op_result *)base;
    while (op->first) {
        exec_batch *batch = op->first;
        op->first = batch->next;
        exec_batch_free(batch);
    }
    array_release(&op->waiting);
    mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops result_ops = {
    .name = "result",
    .local_bytes = sizeof(result_local),
    .local_close = result_local_close,
    .push = result_push,
    .exact_counts = true,
    .local_finish = result_finish,
    .close = result_close,
};

status op_result_open(exec_query *query, exec_layout input, exec_operator **out)
{
    *out = NULL;
    op_result *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("result", sizeof *op);
    op->base = (exec_operator){.ops = &result_ops, .query = query};
    op->end = &op->first;
    op->columns = input;
    mutex_init(&op->lock);
    *out = &op->base;
    return STATUS_OK;
}
