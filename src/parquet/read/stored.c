/* stored.c - pieces of memory with pages, and the pages of a column chunk that are in such pieces. */
#include "parquet/read/stored.h"

static status make_piece(size_t bytes, pq_stored_piece **out)
{
    pq_stored_piece *piece = *out = mem_new(sizeof *piece);
    if (!piece)
        return status_no_memory("stored pages", sizeof *piece);
    atomic_init(&piece->references, 1);
    piece->bytes = bytes;
    return STATUS_OK;
}

status pq_stored_piece_new(dev_buffer *buffer, size_t bytes, pq_stored_piece **out)
{
    status st = make_piece(bytes, out);
    if (st) {
        dev_buffer_unref(buffer);
        return st;
    }
    (*out)->dev = buffer->dev;
    (*out)->buffer = buffer;
    return STATUS_OK;
}

status pq_stored_piece_new_pinned(device *dev, size_t bytes, pq_stored_piece **out)
{
    void *pinned;
    *out = NULL;
    TRY(dev->ops->host_alloc(dev, bytes, "stored pages", &pinned));
    status st = make_piece(bytes, out);
    if (st) {
        dev->ops->host_free(dev, pinned, bytes);
        return st;
    }
    (*out)->dev = dev;
    (*out)->pinned = pinned;
    return STATUS_OK;
}

void pq_stored_piece_unref(pq_stored_piece *piece)
{
    if (!piece || atomic_fetch_sub_explicit(&piece->references, 1, memory_order_acq_rel) != 1)
        return;
    if (piece->pinned)
        piece->dev->ops->host_free(piece->dev, piece->pinned, piece->bytes);
    dev_buffer_unref(piece->buffer);
    mem_free(piece);
}

static void add_page(pq_stored_column *column, size_t number, const pq_stored_page *page)
{
    column->stored[number] = *page;
    atomic_fetch_add_explicit(&page->piece->references, 1, memory_order_relaxed);
    column->pages[number] = page->page;
    column->pages[number].stored = &column->stored[number];
    column->bytes += page->described.stored_bytes;
}

status pq_stored_column_new(const pq_stored_page *const *pages, size_t count,
                            const pq_stored_page *dictionary, pq_stored_column **out)
{
    pq_stored_column *column = *out = mem_new(sizeof *column);
    if (!column)
        return status_no_memory("stored pages", sizeof *column);
    column->pages = mem_new_array(count + 1, sizeof *column->pages);
    column->stored = mem_new_array(count + 1, sizeof *column->stored);
    if (!column->pages || !column->stored) {
        pq_stored_column_free(column);
        *out = NULL;
        return status_no_memory("stored pages", (count + 1) * sizeof *column->stored);
    }
    for (; column->count < count; column->count++)
        add_page(column, column->count, pages[column->count]);
    if (dictionary) {
        add_page(column, count, dictionary);
        column->dictionary = &column->pages[count];
    }
    return STATUS_OK;
}

void pq_stored_column_free(pq_stored_column *column)
{
    if (!column)
        return;
    for (size_t i = 0; i < column->count + (column->dictionary != NULL); i++)
        pq_stored_piece_unref(column->stored[i].piece);
    mem_free(column->pages);
    mem_free(column->stored);
    mem_free(column);
}
