/* op_result.c - the sink of a query: batches in host memory, in a bounded queue.
 *
 * A task that finds the queue full gives its thread back until the client has taken a batch. On a
 * host device a batch borrows the tensors' memory; from others it is copied behind an event. */
#include "exec/operators/op_result.h"

#include "exec/sched/memory.h"
#include "exec/sched/pool.h"
#include "exec/sched/task.h"

/* Enough that the client and the tasks do not wait for each other at every batch. */
#define QUEUE_BATCHES 16

typedef struct op_result {
    exec_operator base;
    uint32_t column_count;
    pthread_mutex_t lock;
    exec_batch *first, **end;
    unsigned count;
    ARRAY(exec_task *) waiting; /* for room */
} op_result;

typedef struct result_local {
    chunk *flat;       /* whose copies are under way */
    exec_batch *batch; /* to be queued */
} result_local;

/* Copies are pinned memory of the batch's device; of batches without one they are plain memory. */
static void free_copy(exec_batch *batch, void *copy, size_t bytes)
{
    if (batch->dev)
        dev_host_free(batch->dev, copy, bytes);
    else
        mem_free(copy);
}

static void release_values(exec_batch *batch, exec_batch_column *column)
{
    tensor_unref(column->owner);
    free_copy(batch, column->host_values, type_values_bytes(column->type, batch->row_count));
    free_copy(batch, column->host_validity, bitmap_bytes(batch->row_count));
    column->owner = NULL;
    column->values = column->host_values = column->host_validity = NULL;
    column->validity = NULL;
}

void exec_batch_keep_heaps(exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        if (column->owner && !column->heap)
            column->heap = string_heap_ref(column->owner->heap);
        release_values(batch, column);
    }
}

void exec_batch_free(exec_batch *batch)
{
    if (!batch)
        return;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        release_values(batch, column);
        string_heap_unref(column->heap);
        free_copy(batch, column->host_heap, column->host_heap_bytes);
    }
    dev_close(batch->dev);
    mem_free(batch);
}

static status batch_new(device *dev, uint32_t column_count, uint64_t row_count, exec_batch **out)
{
    size_t bytes = sizeof(exec_batch) + column_count * sizeof(exec_batch_column);
    exec_batch *batch = mem_new(bytes);
    if (!batch)
        return status_no_memory("result batch", bytes);
    batch->dev = dev_ref(dev);
    batch->column_count = column_count;
    batch->row_count = row_count;
    *out = batch;
    return STATUS_OK;
}

static status borrow_columns(exec_task *task, chunk *input, exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        TRY(tensor_flatten(task->stream, input->columns[i], input->rows, &column->owner));
        column->type = column->owner->type;
        column->values = column->owner->values;
        column->validity = column->owner->validity;
    }
    return STATUS_OK;
}

/* *out is the caller's also if the copy fails. */
static status copy_out(exec_task *task, const void *source, size_t bytes, void **out)
{
    device *dev = task->stream->dev;
    TRY(dev_host_alloc(dev, bytes, "result batch", out));
    return dev->ops->copy_out(task->stream, *out, source, bytes);
}

/* Enqueues the copies of a flat chunk's columns. */
static status copy_columns(exec_task *task, const chunk *flat, exec_batch *batch)
{
    uint64_t rows = batch->row_count;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        const tensor *t = flat->columns[i];
        column->type = t->type;
        TRY(copy_out(task, t->values, type_values_bytes(t->type, rows), &column->host_values));
        column->values = column->host_values;
        if (t->validity) {
            TRY(copy_out(task, t->validity, bitmap_bytes(rows), &column->host_validity));
            column->validity = column->host_validity;
        }
        if (t->heap && t->heap->buffer_count) {
            const dev_buffer *heap = t->heap->buffers[0];
            column->host_heap_bytes = heap->bytes;
            TRY(copy_out(task, heap->address, heap->bytes, &column->host_heap));
        }
    }
    return STATUS_OK;
}

/* Copied views still hold device addresses: into the one heap that chunk_concat made. */
static void point_to_host(const chunk *flat, exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        if (!column->host_heap)
            continue;
        const char *device_heap = flat->columns[i]->heap->buffers[0]->address;
        string_view *views = column->host_values;
        for (uint64_t row = 0; row < batch->row_count; row++)
            if (views[row].bytes > STRING_INLINE_BYTES &&
                (!column->validity || column->validity[row / 64] >> (row % 64) & 1))
                views[row].data = (char *)column->host_heap + (views[row].data - device_heap);
    }
}

/* The client always finds a batch; more are made ready while memory_limit leaves some for it. */
static bool has_room(const op_result *op, const exec_query *query)
{
    return !op->count || (op->count < QUEUE_BATCHES && exec_has_room(query, 0));
}

/* True if there is room; else the task is registered to be woken. */
static status queue_try_push(op_result *op, exec_task *task, exec_batch **batch, bool *out_pushed)
{
    status st = STATUS_OK;
    pthread_mutex_lock(&op->lock);
    *out_pushed = has_room(op, task->query) || exec_is_cancelled(task->query);
    if (*out_pushed) {
        *op->end = *batch;
        op->end = &(*batch)->next;
        op->count++;
        *batch = NULL;
    } else {
        st = array_push(NULL, &op->waiting, task);
    }
    pthread_mutex_unlock(&op->lock);
    if (*out_pushed)
        exec_pool_notify(task->query->pool);
    return st;
}

static exec_result result_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    (void)output;
    op_result *op = (op_result *)base;
    result_local *local = state;
    bool is_host = task->stream->dev->is_host;
    if (*input && !local->batch && !local->flat) {
        chunk *c = *input;
        EXEC_TRY(task, dev_count_read(task->stream, &c->rows));
        if (!c->rows.bound) {
            chunk_free(c);
            *input = NULL;
            return EXEC_NEED_INPUT;
        }
        EXEC_TRY(task,
                 batch_new(task->stream->dev, op->column_count, c->rows.bound, &local->batch));
        if (is_host) {
            EXEC_TRY(task, borrow_columns(task, c, local->batch));
        } else {
            EXEC_TRY(task, chunk_concat(task->stream, &c, 1, "result", &local->flat));
            EXEC_TRY(task, copy_columns(task, local->flat, local->batch));
        }
        chunk_free(c);
        *input = NULL;
        EXEC_TRY(task, dev_stream_await(task->stream));
    }
    if (local->flat) {
        point_to_host(local->flat, local->batch);
        chunk_free(local->flat);
        local->flat = NULL;
    }
    if (local->batch) {
        bool is_pushed;
        EXEC_TRY(task, exec_check_error(task));
        EXEC_TRY(task, queue_try_push(op, task, &local->batch, &is_pushed));
        if (!is_pushed)
            return EXEC_WAIT;
    }
    return EXEC_NEED_INPUT;
}

static void result_local_close(exec_operator *op, void *state)
{
    (void)op;
    result_local *local = state;
    exec_batch_free(local->batch);
    chunk_free(local->flat);
}

bool op_result_is_ready(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    pthread_mutex_lock(&op->lock);
    bool is_ready = op->count > 0;
    pthread_mutex_unlock(&op->lock);
    return is_ready;
}

void op_result_wake_all(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    exec_task *task;
    do {
        pthread_mutex_lock(&op->lock);
        task = op->waiting.count ? op->waiting.items[--op->waiting.count] : NULL;
        pthread_mutex_unlock(&op->lock);
        if (task)
            exec_wake(task);
    } while (task);
}

exec_batch *op_result_take(exec_operator *sink)
{
    op_result *op = (op_result *)sink;
    pthread_mutex_lock(&op->lock);
    exec_batch *batch = op->first;
    if (batch) {
        op->first = batch->next;
        if (!op->first)
            op->end = &op->first;
        batch->next = NULL;
        op->count--;
    }
    pthread_mutex_unlock(&op->lock);
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
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops result_ops = {
    .name = "result",
    .local_bytes = sizeof(result_local),
    .local_close = result_local_close,
    .push = result_push,
    .close = result_close,
};

status op_result_open(exec_query *query, exec_layout input, exec_operator **out)
{
    *out = NULL;
    op_result *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("result", sizeof *op);
    op->base = (exec_operator){.ops = &result_ops, .query = query};
    op->column_count = input.count;
    op->end = &op->first;
    pthread_mutex_init(&op->lock, NULL);
    *out = &op->base;
    return STATUS_OK;
}
