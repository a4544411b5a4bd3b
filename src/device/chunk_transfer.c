/* chunk_transfer.c - chunks from a device to its host and back, through pinned memory.
 *
 *     chunk_to_host     columns FLAT ─┬─ one wait: rows, bytes of long strings ─ one heap a column ─
 *                                     └─ copies ─ one wait ─ views point into the host's heap
 *     chunk_to_device   views are made to point into the device's heap, copies are enqueued: no wait
 *
 * On host devices both give the columns that are there. */
#include "device/chunk_transfer.h"

#include "device/chunk.h"
#include "device/nested_pack.h"
#include "device/tensor.h"
#include "device/transfer.h"

#include <string.h>

/* A column on its way to the host. */
typedef struct outward {
    tensor *flat; /* on the device: of the rows, or the dictionary */
    dev_count rows;
    uint64_t long_bytes;
    const char *device_heap; /* where the copied views point */
    tensor *host;            /* FLAT */
} outward;

static bool keeps_dictionary(const tensor *t, bool keep_dictionaries)
{
    return keep_dictionaries && t->form == TENSOR_INDEXED && t->is_dictionary;
}

static status chunk_transfer_share_columns(dev_stream *stream, const chunk *c,
                                           bool keep_dictionaries, chunk *to)
{
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *t = c->columns[i];
        if (t && keeps_dictionary(t, keep_dictionaries))
            to->columns[i] = tensor_ref(t);
        else if (t)
            TRY(tensor_flatten(stream, t, c->rows, &to->columns[i]));
    }
    return STATUS_OK;
}

static status flatten_all(dev_stream *stream, const chunk *c, bool keep_dictionaries, outward *all)
{
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *t = c->columns[i];
        if (!t)
            continue;
        all[i].rows = c->rows;
        if (keeps_dictionary(t, keep_dictionaries)) {
            all[i].rows = dev_count_exact(t->base_rows);
            all[i].flat = tensor_ref(t->base);
        } else {
            TRY(tensor_flatten(stream, t, c->rows, &all[i].flat));
        }
    }
    return STATUS_OK;
}

/* Word 0: the rows, if they are not known. Word i + 1: bytes of column i's long strings. */
static status enqueue_sizes(dev_stream *stream, const chunk *c, const outward *all, uint64_t *words)
{
    if (c->rows.actual)
        TRY(stream->dev->ops->copy(stream, words, c->rows.actual, sizeof *words));
    for (uint32_t i = 0; i < c->column_count; i++)
        if (all[i].flat && type_is_text(all[i].flat->type))
            TRY(DEV_LAUNCH(stream, string_bytes, .values = all[i].flat->values,
                           .validity = all[i].flat->validity, .count = all[i].rows,
                           .out_total = words + i + 1));
    return STATUS_OK;
}

static bool has_sizes(const chunk *c, const outward *all)
{
    bool is_needed = c->rows.actual;
    for (uint32_t i = 0; i < c->column_count; i++)
        is_needed |= all[i].flat && type_is_text(all[i].flat->type);
    return is_needed;
}

/* Reads the sizes that the host must know before it takes memory for the copies. */
static status read_sizes(dev_stream *stream, const chunk *c, outward *all, uint64_t *out_rows)
{
    uint32_t count = c->column_count + 1;
    dev_buffer *words;
    *out_rows = c->rows.bound;
    if (!has_sizes(c, all))
        return STATUS_OK;
    uint64_t *read = mem_new_array(count, sizeof *read);
    if (!read)
        return status_no_memory("sizes", count * sizeof *read);
    status st = dev_words_new(stream, count, &words);
    if (!st) {
        st = enqueue_sizes(stream, c, all, words->address);
        if (!st)
            st = dev_words_read(stream, words->address, read, count);
        dev_buffer_unref(words);
    }
    for (uint32_t i = 0; i < c->column_count && !st; i++)
        all[i].long_bytes = read[i + 1];
    if (!st && c->rows.actual && read[0] < *out_rows)
        *out_rows = read[0];
    mem_free(read);
    return st;
}

/* The column's long strings side by side on the device, then on the host; the views are the copy's. */
static status copy_long_text(dev_stream *stream, outward *column, uint64_t rows, const char *who,
                             dev_buffer **out_views)
{
    const dev_ops *ops = stream->dev->ops;
    dev_buffer *heap = NULL, *used = NULL, *host_heap = NULL;
    status st = dev_alloc(stream->dev, column->long_bytes, who, &heap);
    if (!st)
        st = dev_alloc(stream->dev, rows * sizeof(string_view), who, out_views);
    if (!st)
        st = dev_words_new(stream, 1, &used);
    if (!st)
        st = DEV_LAUNCH(stream, string_copy, .values = column->flat->values,
                        .validity = column->flat->validity, .count = dev_count_exact(rows),
                        .heap = heap->address, .heap_used = used->address,
                        .out = (*out_views)->address);
    if (!st)
        st = dev_alloc(dev_host(stream->dev), column->long_bytes, who, &host_heap);
    if (!st) {
        column->device_heap = heap->address;
        st = ops->copy_out(stream, host_heap->address, heap->address, column->long_bytes);
        status made = string_heap_new(&host_heap, 1, &column->host->heap);
        if (st)
            status_free(made);
        else
            st = made;
    }
    dev_buffer_unref(used);
    dev_buffer_unref(heap);
    return st;
}

/* Enqueues the copies of a FLAT column. */
static status chunk_transfer_copy_flat(dev_stream *stream, outward *column, uint64_t rows,
                                       const char *who)
{
    const dev_ops *ops = stream->dev->ops;
    const tensor *flat = column->flat;
    dev_buffer *views = NULL;
    TRY(tensor_new_flat(dev_host(stream->dev), flat->type, rows, flat->validity, &column->host));
    status st = STATUS_OK;
    if (column->long_bytes)
        st = copy_long_text(stream, column, rows, who, &views);
    if (!st)
        st = ops->copy_out(stream, column->host->values, views ? views->address : flat->values,
                           type_values_bytes(flat->type, rows));
    if (!st && flat->validity)
        st = ops->copy_out(stream, column->host->validity, flat->validity, bitmap_bytes(rows));
    dev_buffer_unref(views);
    return st;
}

static status copy_index(dev_stream *stream, const tensor *t, outward *column, uint64_t rows,
                         tensor **out)
{
    row_index *index;
    TRY(row_index_new(dev_host(stream->dev), rows, &index));
    index->has_nulls = t->index->has_nulls;
    status st =
        stream->dev->ops->copy_out(stream, index->rows, t->index->rows, rows * sizeof *index->rows);
    if (!st)
        st = tensor_new_indexed(stream, column->host, t->base_rows, index, dev_count_exact(rows),
                                out);
    row_index_unref(index);
    if (!st)
        (*out)->is_dictionary = true;
    return st;
}

static status chunk_transfer_copy_all(dev_stream *stream, const chunk *c, bool keep_dictionaries,
                                      uint64_t rows, const char *who, outward *all, chunk *to)
{
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = c->columns[i];
        if (!t)
            continue;
        bool is_kept = keeps_dictionary(t, keep_dictionaries);
        TRY(chunk_transfer_copy_flat(stream, &all[i], is_kept ? t->base_rows : rows, who));
        if (is_kept)
            TRY(copy_index(stream, t, &all[i], rows, &to->columns[i]));
        else
            to->columns[i] = tensor_ref(all[i].host);
    }
    return STATUS_OK;
}

/* Copied views hold device addresses: into the one heap that was made for the copy. */
static void chunk_transfer_point_to_host(const outward *column, uint64_t rows)
{
    if (!column->device_heap)
        return;
    const tensor *t = column->host;
    const char *heap = t->heap->buffers[0]->address;
    string_view *views = t->values;
    for (uint64_t row = 0; row < rows; row++)
        if (views[row].bytes > STRING_INLINE_BYTES)
            views[row].data = heap + (views[row].data - column->device_heap);
}

static void chunk_transfer_release(outward *all, uint32_t count)
{
    for (uint32_t i = 0; i < count && all; i++) {
        tensor_unref(all[i].flat);
        tensor_unref(all[i].host);
    }
    mem_free(all);
}

static status chunk_transfer_bring(dev_stream *stream, const chunk *c, bool keep_dictionaries,
                                   const char *who, outward *all, chunk *to)
{
    uint64_t rows;
    TRY(flatten_all(stream, c, keep_dictionaries, all));
    TRY(read_sizes(stream, c, all, &rows));
    to->rows = dev_count_exact(rows);
    TRY(chunk_transfer_copy_all(stream, c, keep_dictionaries, rows, who, all, to));
    TRY(dev_stream_await(stream));
    for (uint32_t i = 0; i < c->column_count; i++)
        chunk_transfer_point_to_host(&all[i], all[i].rows.actual ? rows : all[i].rows.bound);
    return STATUS_OK;
}

status chunk_to_host(dev_stream *stream, const chunk *c, bool keep_dictionaries, const char *who,
                     chunk **out)
{
    chunk *to;
    *out = NULL;
    TRY(chunk_new(c->column_count, c->rows, &to));
    status st;
    if (stream->dev->is_host) {
        dev_count_settle(stream->dev, &to->rows);
        st = chunk_transfer_share_columns(stream, c, keep_dictionaries, to);
    } else {
        outward *all = mem_new_array(c->column_count + 1, sizeof *all);
        st = all ? chunk_transfer_bring(stream, c, keep_dictionaries, who, all, to)
                 : status_no_memory(who, c->column_count * sizeof *all);
        chunk_transfer_release(all, c->column_count);
    }
    if (st) {
        /* Copies into it may be under way: its memory is reused only behind them. */
        chunk_free(to);
        return st;
    }
    *out = to;
    return STATUS_OK;
}

/* ---- to the device ---- */

/* The bytes that a host tensor's part has, from memory of any kind. */
static status chunk_transfer_send(dev_stream *stream, void *target, const void *source,
                                  size_t bytes, const dev_buffer *owner, const char *who)
{
    if (owner && owner->dev == dev_host(stream->dev))
        return stream->dev->ops->copy_in(stream, target, source, bytes);
    return dev_upload(stream, target, source, bytes, who);
}

static uint64_t long_bytes_of(const string_view *views, uint64_t rows)
{
    uint64_t bytes = 0;
    for (uint64_t row = 0; row < rows; row++)
        bytes += views[row].bytes > STRING_INLINE_BYTES ? views[row].bytes : 0;
    return bytes;
}

/* Long strings side by side into `staged`; the views say where that will be on the device. */
static void stage_text(const string_view *views, uint64_t rows, string_view *staged_views,
                       char *staged_heap, const char *device_heap)
{
    uint64_t at = 0;
    for (uint64_t row = 0; row < rows; row++) {
        staged_views[row] = views[row];
        if (views[row].bytes <= STRING_INLINE_BYTES)
            continue;
        memcpy(staged_heap + at, views[row].data, views[row].bytes);
        staged_views[row].data = device_heap + at;
        at += views[row].bytes;
    }
}

static status send_text(dev_stream *stream, const tensor *t, uint64_t rows, const char *who,
                        tensor *to)
{
    device *dev = stream->dev;
    size_t view_bytes = rows * sizeof(string_view);
    uint64_t bytes = long_bytes_of(t->values, rows);
    dev_buffer *heap = NULL;
    void *staged;
    if (bytes) {
        TRY(dev_alloc(dev, bytes, who, &heap));
        dev_buffer *owner = heap;
        TRY(string_heap_new(&owner, 1, &to->heap));
    }
    TRY(dev_host_alloc(dev, view_bytes + bytes, who, &staged));
    char *staged_heap = (char *)staged + view_bytes;
    stage_text(t->values, rows, staged, staged_heap, heap ? heap->address : NULL);
    status st = dev->ops->copy_in(stream, to->values, staged, view_bytes);
    if (!st && bytes)
        st = dev->ops->copy_in(stream, heap->address, staged_heap, bytes);
    dev_host_free(dev, staged, view_bytes + bytes);
    return st;
}

static status send_flat(dev_stream *stream, const tensor *t, uint64_t rows, const char *who,
                        tensor **out)
{
    tensor *to;
    TRY(tensor_new_flat(stream->dev, t->type, rows, t->validity, &to));
    status st;
    if (type_is_text(t->type))
        st = send_text(stream, t, rows, who, to);
    else
        st = chunk_transfer_send(stream, to->values, t->values, type_values_bytes(t->type, rows),
                                 t->values_owner, who);
    if (!st && t->validity)
        st = chunk_transfer_send(stream, to->validity, t->validity, bitmap_bytes(rows),
                                 t->validity_owner, who);
    if (st) {
        tensor_unref(to);
        return st;
    }
    *out = to;
    return STATUS_OK;
}

static status send_indexed(dev_stream *stream, const tensor *t, uint64_t rows, const char *who,
                           tensor **out)
{
    tensor *base;
    row_index *index = NULL;
    TRY(send_flat(stream, t->base, t->base_rows, who, &base));
    status st = row_index_new(stream->dev, rows, &index);
    if (!st) {
        index->has_nulls = t->index->has_nulls;
        st = chunk_transfer_send(stream, index->rows, t->index->rows, rows * sizeof *index->rows,
                                 t->index->owner, who);
    }
    if (!st)
        st = tensor_new_indexed(stream, base, t->base_rows, index, dev_count_exact(rows), out);
    if (!st)
        (*out)->is_dictionary = t->is_dictionary;
    row_index_unref(index);
    tensor_unref(base);
    return st;
}

status chunk_to_device(dev_stream *stream, const chunk *c, const char *who, chunk **out)
{
    chunk *to;
    uint64_t rows = c->rows.bound;
    *out = NULL;
    TRY(chunk_new(c->column_count, c->rows, &to));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++) {
        tensor *t = c->columns[i];
        if (!t)
            continue;
        if (stream->dev->is_host)
            to->columns[i] = tensor_ref(t);
        else if (t->form == TENSOR_INDEXED)
            st = send_indexed(stream, t, rows, who, &to->columns[i]);
        else
            st = send_flat(stream, t, rows, who, &to->columns[i]);
    }
    if (st) {
        chunk_free(to);
        return st;
    }
    *out = to;
    return STATUS_OK;
}

static status chunk_transfer_pack(dev_stream *host, chunk *c, uint32_t column, const char *who)
{
    tensor *flat, *packed;
    TRY(chunk_flatten_column(host, c, column, &flat));
    TRY(nested_pack(host->dev, flat, 0, c->rows.bound, NESTED_EXACT, who, &packed));
    tensor_unref(flat);
    c->columns[column] = packed;
    return STATUS_OK;
}

status chunk_to_device_as_bytes(dev_stream *stream, chunk *made, const char *who, chunk **out)
{
    dev_stream host = {.dev = dev_host(stream->dev)};
    tensor *flat;
    for (uint32_t i = 0; i < made->column_count; i++) {
        if (made->columns[i]->form != TENSOR_FLAT)
            TRY(chunk_flatten_column(&host, made, i, &flat));
        if (type_is_nested(made->columns[i]->type))
            TRY(chunk_transfer_pack(&host, made, i, who));
    }
    return chunk_to_device(stream, made, who, out);
}
