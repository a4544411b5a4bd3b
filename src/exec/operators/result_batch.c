/* result_batch.c - a batch: what it holds, and how that leaves the engine. */
#include "exec/operators/op_result.h"

static void release_values(exec_batch_column *column)
{
    tensor_unref(column->owner);
    mem_free(column->host_values);
    mem_free(column->host_validity);
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
    if (batch->exported_bytes)
        mem_budget_give_exported(dev_host(batch->dev)->budget, batch->exported_bytes);
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

/* ---- to somebody outside ---- */

static bool is_valid(const exec_batch_column *column, uint64_t row)
{
    return !column->validity || column->validity[row / 64] >> (row % 64) & 1;
}

/* Of the texts that do not lie in their views. */
static uint64_t long_bytes(const exec_batch_column *column, uint64_t rows)
{
    const string_view *views = column->values;
    uint64_t bytes = 0;
    for (uint64_t row = 0; row < rows; row++)
        bytes +=
            views[row].bytes > STRING_INLINE_BYTES && is_valid(column, row) ? views[row].bytes : 0;
    return bytes;
}

static uint64_t held_bytes(const string_heap *heap)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < heap->buffer_count; i++)
        bytes += heap->buffers[i]->bytes;
    return bytes;
}

static void copy_texts(const exec_batch_column *column, uint64_t rows, string_view *views,
                       char *text)
{
    const string_view *from = column->values;
    for (uint64_t row = 0; row < rows; row++) {
        if (!is_valid(column, row))
            continue;
        views[row] = from[row];
        if (from[row].bytes <= STRING_INLINE_BYTES)
            continue;
        memcpy(text, from[row].data, from[row].bytes);
        views[row].data = text;
        text += from[row].bytes;
    }
}

/* The column in memory of its own, of which `heap_bytes` are long texts. */
static status copy_column(exec_batch *batch, exec_batch_column *column, uint64_t heap_bytes)
{
    uint64_t rows = batch->row_count, bytes = bitmap_bytes(rows);
    exec_batch_column copy = {.type = column->type, .own_heap_bytes = heap_bytes};
    copy.host_values = mem_new_array(rows, sizeof(string_view));
    copy.host_validity = column->validity ? mem_new(bytes) : NULL;
    copy.host_heap = mem_new(heap_bytes + 1);
    if (!copy.host_values || (column->validity && !copy.host_validity) || !copy.host_heap) {
        mem_free(copy.host_values);
        mem_free(copy.host_validity);
        mem_free(copy.host_heap);
        return status_no_memory("result batch", rows * sizeof(string_view) + heap_bytes);
    }
    copy_texts(column, rows, copy.host_values, copy.host_heap);
    if (column->validity)
        memcpy(copy.host_validity, column->validity, bytes);
    copy.values = copy.host_values;
    copy.validity = copy.host_validity;
    tensor_unref(column->owner);
    *column = copy;
    bytes = rows * sizeof(string_view) + heap_bytes + (copy.validity ? bytes : 0);
    batch->exported_bytes += bytes;
    mem_budget_add_exported(dev_host(batch->dev)->budget, bytes);
    return STATUS_OK;
}

static status compact_column(exec_batch *batch, exec_batch_column *column)
{
    if (!type_is_text(column->type) || !column->owner || !column->owner->heap)
        return STATUS_OK;
    uint64_t used = long_bytes(column, batch->row_count);
    bool is_small = 2 * used < held_bytes(column->owner->heap);
    return is_small ? copy_column(batch, column, used) : STATUS_OK;
}

static void export_column(const exec_batch_column *column)
{
    const tensor *t = column->owner;
    if (!t)
        return;
    dev_buffer_export(t->values_owner);
    dev_buffer_export(t->validity_owner);
    for (uint32_t i = 0; t->heap && i < t->heap->buffer_count; i++)
        dev_buffer_export(t->heap->buffers[i]);
}

status exec_batch_compact(exec_batch *batch)
{
    for (uint32_t i = 0; batch->dev && i < batch->column_count; i++)
        TRY(compact_column(batch, &batch->columns[i]));
    return STATUS_OK;
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
