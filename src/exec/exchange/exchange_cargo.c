/* exchange_cargo.c - see exchange_cargo.h. */
#include "exec/exchange/exchange_cargo.h"

#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/exchange/exchange_columns.h"

typedef struct exchange_cargo {
    net_cargo base;
    chunk *rows;
} exchange_cargo;

/* ---- packing ---- */

/* A rank's rows, each column FLAT. */
static status take_part(dev_stream *stream, const chunk *rows, const row_index *order,
                        uint32_t first, uint32_t count, chunk **out)
{
    row_index *own = NULL;
    tensor *flat;
    chunk *part;
    *out = NULL;
    TRY(exchange_share(rows, &part));
    status st = order ? row_index_view(order, first, &own) : STATUS_OK;
    if (!st && order)
        st = chunk_select(stream, part, own, dev_count_exact(count), NULL);
    row_index_unref(own);
    for (uint32_t c = 0; c < part->column_count && !st; c++)
        st = chunk_flatten_column(stream, part, c, &flat);
    if (st) {
        chunk_free(part);
        return st;
    }
    *out = part;
    return STATUS_OK;
}

static bool has_texts(const chunk *rows)
{
    for (uint32_t c = 0; c < rows->column_count; c++)
        if (type_is_text(rows->columns[c]->type))
            return true;
    return false;
}

/* Adds each part's bytes of long texts to a word for each of its columns. A NULL's text is empty. */
static status measure_texts(dev_stream *stream, chunk *const *parts, uint32_t ranks,
                            uint32_t columns, uint64_t *words)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t c = 0; parts[rank] && c < columns; c++) {
            const tensor *t = parts[rank]->columns[c];
            if (type_is_text(t->type))
                TRY(DEV_LAUNCH(stream, string_bytes, .values = t->values,
                               .count = parts[rank]->rows,
                               .out_total = words + (size_t)rank * columns + c));
        }
    return STATUS_OK;
}

/* The column with its long texts in a buffer of its own; `used` is a zeroed word. */
static status own_texts(dev_stream *stream, tensor **column, dev_count rows, uint64_t bytes,
                        uint64_t *used)
{
    tensor *from = *column, *to;
    dev_buffer *heap = NULL;
    TRY(tensor_new_flat(stream->dev, from->type, rows.bound, false, &to));
    status st = bytes ? dev_alloc(stream->dev, bytes, "exchange", &heap) : STATUS_OK;
    if (!st)
        st = DEV_LAUNCH(stream, string_copy, .values = from->values, .count = rows,
                        .heap = heap ? heap->address : NULL, .heap_used = used, .out = to->values);
    if (heap) {
        status made = string_heap_new(&heap, 1, &to->heap);
        st = st ? (status_free(made), st) : made;
    }
    if (st) {
        tensor_unref(to);
        return st;
    }
    to->validity = from->validity;
    to->validity_owner = dev_buffer_ref(from->validity_owner);
    tensor_unref(from);
    *column = to;
    return STATUS_OK;
}

static status pack_texts(dev_stream *stream, chunk **parts, uint32_t ranks, uint32_t columns,
                         const uint64_t *bytes, uint64_t *used)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t c = 0; parts[rank] && c < columns; c++) {
            size_t at = (size_t)rank * columns + c;
            if (type_is_text(parts[rank]->columns[c]->type))
                TRY(own_texts(stream, &parts[rank]->columns[c], parts[rank]->rows, bytes[at],
                              used + at));
        }
    return STATUS_OK;
}

/* One wait for the sizes of all parts' texts. */
static status size_and_pack_texts(dev_stream *stream, chunk **parts, uint32_t ranks,
                                  uint32_t columns)
{
    uint32_t count = ranks * columns;
    dev_buffer *words = NULL, *used = NULL;
    uint64_t *bytes = mem_new_array(count, sizeof *bytes);
    if (!bytes)
        return status_no_memory("exchange", count * sizeof *bytes);
    status st = dev_words_new(stream, count, &words);
    if (!st)
        st = dev_words_new(stream, count, &used);
    if (!st)
        st = measure_texts(stream, parts, ranks, columns, words->address);
    if (!st)
        st = dev_words_read(stream, words->address, bytes, count);
    if (!st)
        st = pack_texts(stream, parts, ranks, columns, bytes, used->address);
    dev_buffer_unref(words);
    dev_buffer_unref(used);
    mem_free(bytes);
    return st;
}

status exchange_cargo_pack(dev_stream *stream, const chunk *rows, const row_index *order,
                           const uint32_t *offsets, uint32_t ranks, chunk **out)
{
    const uint32_t all[] = {0, (uint32_t)rows->rows.bound};
    const uint32_t *ends = order ? offsets : all;
    status st = STATUS_OK;
    memset(out, 0, ranks * sizeof(chunk *));
    for (uint32_t rank = 0; rank < ranks && !st; rank++)
        if (ends[rank + 1] > ends[rank])
            st =
                take_part(stream, rows, order, ends[rank], ends[rank + 1] - ends[rank], &out[rank]);
    if (!st && has_texts(rows))
        st = size_and_pack_texts(stream, out, ranks, rows->column_count);
    if (!st)
        st = dev_stream_await(stream);
    for (uint32_t rank = 0; st && rank < ranks; rank++) {
        chunk_free(out[rank]);
        out[rank] = NULL;
    }
    return st;
}

/* ---- messages ---- */

static void drop(net_cargo *base)
{
    exchange_cargo *cargo = (exchange_cargo *)base;
    chunk_free(cargo->rows);
    mem_free(cargo);
}

static uint64_t exchange_cargo_tensor_bytes(const tensor *t, uint64_t rows)
{
    return type_values_bytes(t->type, rows) + (t->validity ? bitmap_bytes(rows) : 0) +
           (t->heap ? t->heap->buffers[0]->bytes : 0);
}

status exchange_cargo_load(net_message *message, const chunk *rows)
{
    exchange_cargo *cargo = mem_new(sizeof *cargo);
    if (!cargo)
        return status_no_memory("exchange", sizeof *cargo);
    status st = exchange_share(rows, &cargo->rows);
    if (st) {
        mem_free(cargo);
        return st;
    }
    cargo->base.drop = drop;
    for (uint32_t c = 0; c < rows->column_count; c++)
        cargo->base.bytes += exchange_cargo_tensor_bytes(rows->columns[c], rows->rows.bound);
    message->cargo = &cargo->base;
    return STATUS_OK;
}

uint64_t exchange_cargo_bytes(const net_message *message)
{
    return message->bytes + (message->cargo ? message->cargo->bytes : 0);
}

/* ---- fetching ---- */

/* Long texts' bytes, and views that point to them. */
static status fetch_texts(dev_stream *stream, const tensor *from, uint64_t rows, tensor *to)
{
    dev_buffer *their_heap = from->heap->buffers[0], *views = NULL, *heap;
    size_t view_bytes = rows * sizeof(string_view);
    TRY(dev_alloc(stream->dev, their_heap->bytes, "exchange", &heap));
    dev_buffer *kept = heap;
    TRY(string_heap_new(&kept, 1, &to->heap));
    status st = stream->dev->ops->copy_from(stream, heap->address, their_heap->dev,
                                            their_heap->address, their_heap->bytes);
    if (!st)
        st = dev_alloc(stream->dev, view_bytes, "exchange", &views);
    if (!st)
        st = stream->dev->ops->copy_from(stream, views->address, their_heap->dev, from->values,
                                         view_bytes);
    if (!st)
        st = DEV_LAUNCH(stream, string_point, .values = views->address,
                        .count = dev_count_exact(rows), .from = (uintptr_t)their_heap->address,
                        .heap = heap->address, .out = to->values);
    dev_buffer_unref(views);
    return st;
}

static status fetch_column(dev_stream *stream, const tensor *from, uint64_t rows, tensor **out)
{
    device *theirs = from->values_owner->dev;
    tensor *to;
    TRY(tensor_new_flat(stream->dev, from->type, rows, from->validity, &to));
    status st;
    if (from->heap)
        st = fetch_texts(stream, from, rows, to);
    else
        st = stream->dev->ops->copy_from(stream, to->values, theirs, from->values,
                                         type_values_bytes(from->type, rows));
    if (!st && from->validity)
        st = stream->dev->ops->copy_from(stream, to->validity, theirs, from->validity,
                                         bitmap_bytes(rows));
    if (st) {
        tensor_unref(to);
        return st;
    }
    *out = to;
    return STATUS_OK;
}

static bool is_here(const chunk *rows, const device *dev)
{
    return !rows->column_count || rows->columns[0]->values_owner->dev == dev;
}

status exchange_cargo_fetch(dev_stream *stream, const net_message *message, const char *name,
                            chunk **out)
{
    *out = NULL;
    if (!message->cargo)
        return status_new(STATUS_KIND_CORRUPT, "a message of %s from rank %u has no rows", name,
                          message->peer);
    const chunk *rows = ((const exchange_cargo *)message->cargo)->rows;
    if (is_here(rows, stream->dev))
        return exchange_share(rows, out);
    TRY(chunk_new(rows->column_count, rows->rows, out));
    status st = STATUS_OK;
    for (uint32_t c = 0; c < rows->column_count && !st; c++)
        st = fetch_column(stream, rows->columns[c], rows->rows.bound, &(*out)->columns[c]);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}
