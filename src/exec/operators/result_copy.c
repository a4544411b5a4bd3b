/* result_copy.c - a batch's way from a lazy device into pinned memory: one block for all columns. */
#include "exec/operators/result_copy.h"

#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/operators/result_batch.h"

static size_t result_copy_padded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* chunk_concat made one buffer of a column's long strings, or none. */
static const dev_buffer *heap_of(const tensor *t)
{
    return t->heap && t->heap->buffer_count ? t->heap->buffers[0] : NULL;
}

static size_t result_copy_column_bytes(const tensor *t, uint64_t rows)
{
    const dev_buffer *heap = heap_of(t);
    return result_copy_padded(type_values_bytes(t->type, rows)) +
           (t->validity ? result_copy_padded(bitmap_bytes(rows)) : 0) +
           (heap ? result_copy_padded(heap->bytes) : 0);
}

/* Enqueues a copy to *place, which advances. */
static status copy_bytes(dev_stream *stream, const void *source, size_t bytes, char **place)
{
    void *target = *place;
    *place += result_copy_padded(bytes);
    return stream->dev->ops->copy_out(stream, target, source, bytes);
}

static status result_copy_column(dev_stream *stream, const tensor *t, uint64_t rows,
                                 exec_batch_column *column, char **place)
{
    const dev_buffer *heap = heap_of(t);
    column->type = t->type;
    column->values = *place;
    TRY(copy_bytes(stream, t->values, type_values_bytes(t->type, rows), place));
    column->validity = t->validity ? (const uint64_t *)(void *)*place : NULL;
    if (t->validity)
        TRY(copy_bytes(stream, t->validity, bitmap_bytes(rows), place));
    column->pinned_heap = heap ? *place : NULL;
    column->own_heap_bytes = heap ? heap->bytes : 0;
    return heap ? copy_bytes(stream, heap->address, heap->bytes, place) : STATUS_OK;
}

/* Copies columns; what kernels have reported by then comes with the rows. */
static status result_copy_columns(dev_stream *stream, const chunk *flat, exec_batch *batch,
                                  const dev_error *error)
{
    size_t bytes = result_copy_padded(sizeof *error);
    void *pinned = NULL;
    for (uint32_t i = 0; i < batch->column_count; i++)
        bytes += result_copy_column_bytes(flat->columns[i], batch->row_count);
    TRY(dev_host_alloc(stream->dev, bytes, "result batch", &pinned));
    batch->pinned = pinned;
    batch->pinned_bytes = bytes;
    char *place = pinned;
    TRY(copy_bytes(stream, error, sizeof *error, &place));
    for (uint32_t i = 0; i < batch->column_count; i++)
        TRY(result_copy_column(stream, flat->columns[i], batch->row_count, &batch->columns[i],
                               &place));
    return STATUS_OK;
}

void result_copy_close(device *dev, result_copy *copy)
{
    if (copy->event)
        dev->ops->event_free(copy->event);
    chunk_free(copy->flat);
    exec_batch_free(copy->batch);
    *copy = (result_copy){0};
}

status result_copy_start(exec_task *task, chunk *c, result_copy *out)
{
    dev_stream *stream = task->stream;
    *out = (result_copy){0};
    if (stream->begin) /* the error cell comes with it */
        TRY(dev_stream_begin(stream));
    out->since = dev_moment_of(stream);
    status st = exec_batch_new(stream->dev, c->column_count, c->rows.bound, &out->batch);
    if (!st)
        st = chunk_concat(stream, &c, 1, "result", &out->flat);
    if (!st)
        st = result_copy_columns(stream, out->flat, out->batch, task->error);
    if (!st)
        st = stream->dev->ops->event_record(stream, NULL, NULL, &out->event);
    if (st)
        result_copy_close(stream->dev, out);
    return st;
}

/* Copied views still hold device addresses. */
static void result_copy_point_to_host(const chunk *flat, exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        const exec_batch_column *column = &batch->columns[i];
        if (!column->pinned_heap)
            continue;
        const char *device_heap = heap_of(flat->columns[i])->address;
        string_view *views = (string_view *)(void *)column->values;
        for (uint64_t row = 0; row < batch->row_count; row++)
            if (views[row].bytes > STRING_INLINE_BYTES &&
                (!column->validity || column->validity[row / 64] >> (row % 64) & 1))
                views[row].data = column->pinned_heap + (views[row].data - device_heap);
    }
}

status result_copy_finish(exec_task *task, result_copy *copy, exec_batch **out)
{
    dev_stream *stream = task->stream;
    dev_event *event = copy->event;
    *out = NULL;
    copy->event = NULL;
    status st = event ? dev_event_await(stream, event, copy->since) : STATUS_OK;
    if (!st && copy->batch)
        st = exec_error_status(task->query, copy->batch->pinned);
    if (!st && copy->batch) {
        if (copy->flat)
            result_copy_point_to_host(copy->flat, copy->batch);
        *out = copy->batch;
        copy->batch = NULL;
    }
    result_copy_close(stream->dev, copy);
    return st;
}
