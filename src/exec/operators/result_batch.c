/* result_batch.c - a batch: what it holds, and how that leaves the engine. */
#include "exec/operators/result_batch.h"

#include "base/type/nested_type.h"
#include "device/transfer.h"
#include "exec/operators/op_result.h"

static void release_values(exec_batch_column *column)
{
    tensor_unref(column->owner);
    row_index_unref(column->codes);
    dev_buffer_unref(column->dictionary.owner);
    mem_free(column->dictionary.host_owner);
    dev_buffer_unref(column->text);
    mem_free(column->host_values);
    mem_free(column->host_validity);
    if (column->children)
        nested_type_release(column->type);
    exec_batch_free(column->children);
    column->children = NULL;
    column->owner = NULL;
    column->codes = NULL;
    column->dictionary = (exec_batch_dictionary){0};
    column->text = NULL;
    column->values = column->host_values = column->host_validity = NULL;
    column->validity = NULL;
}

void exec_batch_keep_heaps(exec_batch *batch)
{
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        if (column->owner && !column->heap)
            column->heap = string_heap_ref(column->owner->heap);
        release_values(column);
    }
}

uint64_t exec_batch_text_bytes(const exec_batch *batch)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        const exec_batch_column *column = &batch->columns[i];
        const string_heap *heap = column->heap    ? column->heap
                                  : column->owner ? column->owner->heap
                                                  : NULL;
        for (uint32_t k = 0; heap && k < heap->buffer_count; k++)
            bytes += heap->buffers[k]->bytes;
        bytes += column->own_heap_bytes;
        bytes += column->children ? exec_batch_text_bytes(column->children) : 0;
    }
    return bytes;
}

void exec_batch_free(exec_batch *batch)
{
    if (!batch)
        return;
    for (uint32_t i = 0; i < batch->column_count; i++) {
        release_values(&batch->columns[i]);
        string_heap_unref(batch->columns[i].heap);
        mem_free(batch->columns[i].host_heap);
    }
    if (batch->pinned && batch->is_exported)
        dev_host_free_exported(batch->dev, batch->pinned, batch->pinned_bytes);
    else if (batch->pinned)
        dev_host_free(batch->dev, batch->pinned, batch->pinned_bytes);
    dev_close(batch->dev);
    mem_free(batch);
}

status exec_batch_new(device *dev, uint32_t column_count, uint64_t row_count, exec_batch **out)
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

/* ---- what texts lie in ---- */

static const string_heap *shared_heap(const exec_batch_column *column)
{
    return column->heap ? column->heap : column->owner ? column->owner->heap : NULL;
}

uint32_t exec_batch_heap_count(const exec_batch_column *column)
{
    const string_heap *heap = shared_heap(column);
    if (column->host_heap || column->pinned_heap)
        return 1;
    return heap ? heap->buffer_count : 0;
}

exec_heap_part exec_batch_heap(const exec_batch_column *column, uint32_t index)
{
    if (column->host_heap || column->pinned_heap)
        return (exec_heap_part){column->host_heap ? column->host_heap : column->pinned_heap,
                                column->own_heap_bytes};
    const dev_buffer *buffer = shared_heap(column)->buffers[index];
    return (exec_heap_part){buffer->address, buffer->bytes};
}

/* ---- values of another layout ---- */

status exec_batch_new_buffer(const exec_batch *batch, uint64_t bytes, dev_buffer **out)
{
    device *host = dev_host(batch->dev);
    return batch->is_leaving ? host->ops->alloc_exported(host, bytes, "result batch", out)
                             : dev_alloc(host, bytes, "result batch", out);
}

static status result_batch_new_values(const exec_batch *batch, data_type type, tensor **out)
{
    dev_buffer *buffer;
    *out = NULL;
    TRY(exec_batch_new_buffer(batch, type_values_bytes(type, batch->row_count), &buffer));
    status st = tensor_new_view(type, buffer, buffer->address, out);
    dev_buffer_unref(buffer);
    return st;
}

static bool result_batch_is_alone(const exec_batch *batch, const exec_batch_column *column)
{
    const tensor *t = column->owner;
    if (!t)
        return column->host_values || batch->pinned;
    return atomic_load_explicit(&t->references, memory_order_acquire) == 1 && t->values_owner &&
           atomic_load_explicit(&t->values_owner->references, memory_order_acquire) == 1;
}

status exec_batch_make_values(exec_batch *batch, uint32_t index, data_type type,
                              exec_batch_values *out)
{
    exec_batch_column *column = &batch->columns[index];
    *out = (exec_batch_values){0};
    if (type.width == column->type.width && result_batch_is_alone(batch, column)) {
        out->values = (void *)column->values;
        return STATUS_OK;
    }
    TRY(result_batch_new_values(batch, type, &out->owner));
    out->values = out->owner->values;
    return STATUS_OK;
}

static void result_batch_put_values(exec_batch *batch, uint32_t index, exec_batch_values *values)
{
    exec_batch_column *column = &batch->columns[index];
    tensor *made = values->owner, *before = column->owner;
    *values = (exec_batch_values){0};
    if (!made)
        return;
    if (before) {
        made->validity = before->validity;
        made->validity_owner = dev_buffer_ref(before->validity_owner);
        made->heap = string_heap_ref(before->heap);
    }
    tensor_unref(before);
    column->owner = made;
    column->type = made->type;
    column->values = made->values;
}

void exec_batch_put_values(exec_batch *batch, uint32_t index, exec_batch_values *values)
{
    result_batch_put_values(batch, index, values);
    batch->columns[index].is_shaped = true;
}

void exec_batch_drop_values(exec_batch_values *values)
{
    tensor_unref(values->owner);
    *values = (exec_batch_values){0};
}

/* ---- what uses little of what it lies in ---- */

static bool result_batch_is_valid(const exec_batch_column *column, uint64_t row)
{
    return !column->validity || column->validity[row / 64] >> (row % 64) & 1;
}

static status new_heap(const exec_batch *batch, uint64_t bytes, string_heap **out)
{
    dev_buffer *buffer;
    TRY(exec_batch_new_buffer(batch, bytes, &buffer));
    return string_heap_new(&buffer, 1, out);
}

static uint64_t result_batch_held_bytes(const string_heap *heap)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < heap->buffer_count; i++)
        bytes += heap->buffers[i]->bytes;
    return bytes;
}

#define COUNTED_ROWS 512

/* Counts the bytes of texts that do not lie in their views; stops counting at `enough`. */
static uint64_t result_batch_long_bytes(const exec_batch_column *column, uint64_t rows,
                                        uint64_t enough)
{
    const string_view *views = column->values;
    uint64_t bytes = 0;
    for (uint64_t row = 0; row < rows && bytes < enough;) {
        uint64_t end = rows - row < COUNTED_ROWS ? rows : row + COUNTED_ROWS;
        for (; row < end; row++) {
            uint32_t length = result_batch_is_valid(column, row) ? views[row].bytes : 0;
            bytes += length > STRING_INLINE_BYTES ? length : 0;
        }
    }
    return bytes;
}

static void copy_texts(const exec_batch_column *column, uint64_t rows, string_view *views,
                       char *text)
{
    const string_view *from = column->values;
    for (uint64_t row = 0; row < rows; row++) {
        if (!result_batch_is_valid(column, row)) {
            views[row] = (string_view){0};
            continue;
        }
        views[row] = from[row];
        if (from[row].bytes <= STRING_INLINE_BYTES)
            continue;
        memcpy(text, from[row].data, from[row].bytes);
        views[row].data = text;
        text += from[row].bytes;
    }
}

/* The column's texts in memory of their own, of which `bytes` are long ones. */
static status result_batch_copy_column(exec_batch *batch, uint32_t index, uint64_t bytes)
{
    exec_batch_column *column = &batch->columns[index];
    exec_batch_values made;
    string_heap *heap = NULL;
    if (bytes)
        TRY(new_heap(batch, bytes, &heap));
    status st = exec_batch_make_values(batch, index, column->type, &made);
    if (st) {
        string_heap_unref(heap);
        return st;
    }
    if (bytes || made.owner) /* else all of them lie in their views, and these stay */
        copy_texts(column, batch->row_count, made.values, heap ? heap->buffers[0]->address : NULL);
    result_batch_put_values(batch, index, &made);
    string_heap_unref(column->owner->heap);
    column->owner->heap = heap;
    return STATUS_OK;
}

static status compact_texts(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    if (!type_is_text(column->type) || column->is_shaped || !column->owner->heap)
        return STATUS_OK;
    uint64_t half = result_batch_held_bytes(column->owner->heap) / 2 + 1;
    uint64_t used = result_batch_long_bytes(column, batch->row_count, half);
    return used < half ? result_batch_copy_column(batch, index, used) : STATUS_OK;
}

/* The batches of a page share it, and each is a part of it: only what is far less than such a part is copied. */
#define LITTLE_PART 32
#define LITTLE_BYTES 4096

static status compact_values(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    const dev_buffer *held = column->owner->values_owner;
    size_t bytes = type_values_bytes(column->type, batch->row_count);
    exec_batch_values made = {0};
    if (!held || held->bytes <= LITTLE_BYTES || bytes >= held->bytes / LITTLE_PART)
        return STATUS_OK;
    TRY(result_batch_new_values(batch, column->type, &made.owner));
    memcpy(made.owner->values, column->values, bytes);
    result_batch_put_values(batch, index, &made);
    return STATUS_OK;
}

status exec_batch_compact(exec_batch *batch, uint32_t index)
{
    const exec_batch_column *column = &batch->columns[index];
    for (uint32_t i = 0; column->children && i < column->children->column_count; i++)
        TRY(exec_batch_compact(column->children, i));
    if (!batch->dev || !column->owner || column->codes || column->dictionary.offsets)
        return STATUS_OK;
    TRY(compact_texts(batch, index));
    return compact_values(batch, index);
}

/* ---- to somebody outside ---- */

static void export_column(const exec_batch_column *column)
{
    const tensor *t = column->owner;
    if (column->children)
        exec_batch_export(column->children);
    dev_buffer_export(column->dictionary.owner);
    dev_buffer_export(column->text);
    if (!t)
        return;
    dev_buffer_export(t->values_owner);
    dev_buffer_export(t->validity_owner);
    for (uint32_t i = 0; t->heap && i < t->heap->buffer_count; i++)
        dev_buffer_export(t->heap->buffers[i]);
}

void exec_batch_export(exec_batch *batch)
{
    if (batch->is_exported || !batch->dev)
        return;
    for (uint32_t i = 0; i < batch->column_count; i++)
        export_column(&batch->columns[i]);
    if (batch->pinned)
        dev_host_export(batch->dev, batch->pinned_bytes);
    batch->is_exported = true;
}
