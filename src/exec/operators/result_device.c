/* result_device.c - a batch that stays in the memory of a lazy device, its columns as Arrow has them.
 *
 *   selected rows, constants   gathered and spread into memory of the batch's own
 *   what lies there already    copied within the device: the batch shares no page with the query
 *   decimals, intervals, UUIDs made by a kernel, where Arrow has them otherwise
 *   texts                      offsets, then, once the host knows where the last one ends, their bytes
 *
 * The host awaits the ends of texts, of all columns at once; else nothing but what it looks at a batch later: what
 * kernels reported, and how many rows are not NULL. */
#include "exec/operators/result_device.h"

#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/operators/result_batch.h"

/* Offset in the batch's pinned memory of words for each column, its rows that are not NULL; before them is what
 * kernels reported. */
#define ERROR_BYTES 64
static_assert(sizeof(dev_error) <= ERROR_BYTES, "words come behind it");

static bool result_device_has_values(data_type type)
{
    return type.id != TYPE_NULL;
}

static data_type type_laid_out(data_type type, exec_device_layout layout)
{
    if (type.id == TYPE_DECIMAL)
        type.width = layout.has_narrow_decimals && type.precision <= 18 ? 8 : 16;
    return type;
}

static bool result_device_is_made(data_type from, data_type to)
{
    return from.id == TYPE_INTERVAL || from.id == TYPE_UUID || from.width != to.width;
}

/* ---- numbers, times, bits ---- */

static status result_device_copy_validity(dev_stream *stream, const tensor *from, uint64_t rows,
                                          tensor *to)
{
    if (!from->validity)
        return STATUS_OK;
    TRY(stream->dev->ops->zero(stream, to->validity, bitmap_bytes(rows)));
    return DEV_LAUNCH(stream, copy_bits, .source = from->validity, .count = dev_count_exact(rows),
                      .target = to->validity);
}

static status result_device_copy_values(dev_stream *stream, const tensor *from, uint64_t rows,
                                        tensor *to)
{
    const dev_ops *ops = stream->dev->ops;
    if (from->type.width)
        return ops->copy(stream, to->values, from->values, type_values_bytes(from->type, rows));
    TRY(ops->zero(stream, to->values, bitmap_bytes(rows)));
    return DEV_LAUNCH(stream, copy_bits, .source = from->values, .count = dev_count_exact(rows),
                      .target = to->values);
}

static status result_device_make_values(exec_task *task, const tensor *from, uint64_t rows,
                                        tensor *to)
{
    dev_count count = dev_count_exact(rows);
    if (from->type.id == TYPE_DECIMAL)
        return DEV_LAUNCH(task->stream, cast_number, .from = from->type, .to = to->type,
                          .values = from->values, .validity = from->validity, .count = count,
                          .out = to->values, .error = task->error, .location = DEV_LOCATION_NONE);
    return DEV_LAUNCH(task->stream, arrow_values, .type = from->type, .values = from->values,
                      .validity = from->validity, .count = count, .out = to->values,
                      .error = task->error, .location = DEV_LOCATION_NONE);
}

static status fill_values(exec_task *task, const tensor *from, uint64_t rows, tensor *to)
{
    TRY(result_device_copy_validity(task->stream, from, rows, to));
    return result_device_is_made(from->type, to->type)
               ? result_device_make_values(task, from, rows, to)
               : result_device_copy_values(task->stream, from, rows, to);
}

/* ---- texts ---- */

/* `out_end`: a word on the device that gets the bytes of all texts. */
static status fill_offsets(dev_stream *stream, const tensor *texts, uint64_t rows, tensor *to,
                           uint64_t *out_end)
{
    int64_t *offsets = to->values;
    TRY(result_device_copy_validity(stream, texts, rows, to));
    TRY(DEV_LAUNCH(stream, string_offsets, .values = texts->values, .validity = texts->validity,
                   .count = dev_count_exact(rows), .out = offsets));
    return stream->dev->ops->copy(stream, out_end, offsets + rows, sizeof *offsets);
}

static status fill_text(dev_stream *stream, const tensor *texts, uint64_t rows, uint64_t bytes,
                        exec_batch_column *column)
{
    if (!bytes)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, bytes, "result", &column->text));
    return DEV_LAUNCH(stream, string_place, .values = texts->values, .validity = texts->validity,
                      .count = dev_count_exact(rows), .offsets = column->values,
                      .out = column->text->address);
}

/* Ends of texts are at the first words: asked for once for all columns. */
static status result_device_fill_texts(dev_stream *stream, const chunk *c, const uint64_t *words,
                                       exec_batch *batch)
{
    bool has_text = false;
    for (uint32_t i = 0; i < batch->column_count; i++)
        has_text |= type_is_text(batch->columns[i].type);
    if (!has_text)
        return STATUS_OK;
    uint64_t *ends = mem_new_array(batch->column_count, sizeof *ends);
    if (!ends)
        return status_no_memory("result", batch->column_count * sizeof *ends);
    status st = dev_words_read(stream, words, ends, batch->column_count);
    for (uint32_t i = 0; i < batch->column_count && !st; i++)
        if (type_is_text(batch->columns[i].type))
            st = fill_text(stream, c->columns[i], batch->row_count, ends[i], &batch->columns[i]);
    mem_free(ends);
    return st;
}

/* ---- batches ---- */

static void result_device_put(exec_batch_column *column, data_type type, tensor *owner)
{
    column->type = type;
    column->owner = owner;
    column->values = owner->values;
    column->validity = owner->validity;
}

/* The column's values, but the bytes of its texts. What is made flat for it is the batch's at once, unless it is to be
 * made otherwise. */
static status fill_column(exec_task *task, chunk *c, uint32_t index, exec_device_layout layout,
                          uint64_t *end, exec_batch *batch)
{
    exec_batch_column *column = &batch->columns[index];
    uint64_t rows = batch->row_count;
    bool is_new = c->columns[index]->form != TENSOR_FLAT;
    tensor *flat, *to;
    TRY(chunk_flatten_column(task->stream, c, index, &flat));
    data_type type = type_laid_out(flat->type, layout);
    bool is_text = type_is_text(type);
    if (is_new && !is_text && !result_device_is_made(flat->type, type)) {
        result_device_put(column, type, tensor_ref(flat));
        return STATUS_OK;
    }
    TRY(tensor_new_flat(task->stream->dev, is_text ? type_make(TYPE_INT64) : type, rows + is_text,
                        flat->validity, &to));
    result_device_put(column, type, to);
    return is_text ? fill_offsets(task->stream, flat, rows, to, end)
                   : fill_values(task, flat, rows, to);
}

/* Fills the columns. `words`: two for each column, zeroed: ends of texts, then rows that are not NULL. */
static status result_device_fill_columns(exec_task *task, chunk *c, exec_device_layout layout,
                                         uint64_t *words, exec_batch *batch)
{
    uint32_t columns = batch->column_count;
    for (uint32_t i = 0; i < columns; i++) {
        batch->columns[i].type = c->columns[i]->type;
        if (result_device_has_values(c->columns[i]->type))
            TRY(fill_column(task, c, i, layout, words + i, batch));
    }
    TRY(result_device_fill_texts(task->stream, c, words, batch));
    for (uint32_t i = 0; i < columns; i++)
        if (batch->columns[i].validity)
            TRY(DEV_LAUNCH(task->stream, count_bits, .bits = batch->columns[i].validity,
                           .word_count = (batch->row_count + 63) / 64,
                           .out_total = words + columns + i));
    return STATUS_OK;
}

static status result_device_copy_words(exec_task *task, const uint64_t *words, exec_batch *batch)
{
    const dev_ops *ops = task->stream->dev->ops;
    size_t bytes = batch->column_count * sizeof *words;
    void *pinned = NULL;
    TRY(dev_host_alloc(task->stream->dev, ERROR_BYTES + bytes, "result", &pinned));
    batch->pinned = pinned;
    batch->pinned_bytes = ERROR_BYTES + bytes;
    TRY(ops->copy_out(task->stream, pinned, task->error, sizeof *task->error));
    return ops->copy_out(task->stream, (char *)pinned + ERROR_BYTES, words + batch->column_count,
                         bytes);
}

static status result_device_fill(exec_task *task, chunk *c, exec_device_layout layout,
                                 exec_batch *batch)
{
    dev_buffer *words;
    TRY(dev_words_new(task->stream, 2 * batch->column_count, &words));
    status st = result_device_fill_columns(task, c, layout, words->address, batch);
    if (!st)
        st = result_device_copy_words(task, words->address, batch);
    dev_buffer_unref(words);
    return st;
}

status result_device_start(exec_task *task, chunk *c, exec_device_layout layout, result_copy *out)
{
    dev_stream *stream = task->stream;
    *out = (result_copy){0};
    if (stream->begin) /* the error cell is copied */
        TRY(dev_stream_begin(stream));
    out->since = dev_moment_of(stream);
    status st = exec_batch_new(stream->dev, c->column_count, c->rows.bound, &out->batch);
    if (!st) {
        out->batch->is_on_device = true;
        st = result_device_fill(task, c, layout, out->batch);
    }
    if (!st)
        st = stream->dev->ops->event_record(stream, NULL, NULL, &out->event);
    if (st)
        result_copy_close(stream->dev, out);
    return st;
}

/* The column may have NULLs and has none. */
static void result_device_drop_validity(exec_batch_column *column)
{
    dev_buffer_unref(column->owner->validity_owner);
    column->owner->validity_owner = NULL;
    column->owner->validity = NULL;
    column->validity = NULL;
}

void result_device_settle(exec_batch *batch)
{
    const uint64_t *valid = (const void *)((const char *)batch->pinned + ERROR_BYTES);
    for (uint32_t i = 0; i < batch->column_count; i++) {
        exec_batch_column *column = &batch->columns[i];
        column->null_count = result_device_has_values(column->type) ? 0 : batch->row_count;
        if (!column->validity)
            continue;
        column->null_count = batch->row_count - valid[i];
        if (!column->null_count)
            result_device_drop_validity(column);
    }
    dev_host_free(batch->dev, batch->pinned, batch->pinned_bytes);
    batch->pinned = NULL;
    batch->pinned_bytes = 0;
}
