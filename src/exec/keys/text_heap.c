/* text_heap.c - buffers for long strings, filled one after the other. */
#include "exec/keys/text_heap.h"

#include "device/transfer.h"

#define HEAP_BYTES_MIN (64u << 10)
#define HEAP_BYTES_MAX (16u << 20)

void text_heap_release(text_heap *heap)
{
    for (size_t i = 0; i < heap->buffers.count; i++)
        dev_buffer_unref(heap->buffers.items[i]);
    array_release(&heap->buffers);
    dev_buffer_unref(heap->words);
    *heap = (text_heap){0};
}

status text_heap_reserve(text_heap *heap, dev_stream *stream, const char *who, uint64_t bytes)
{
    size_t count = heap->buffers.count;
    dev_buffer *last = count ? heap->buffers.items[count - 1] : NULL, *next;
    if (!bytes || (last && last->bytes - heap->used >= bytes))
        return STATUS_OK;
    /* A caller knows the most that it may need: what it does not use of a buffer's last part is lost if the next
     * one's most is more than that, so buffers are large for such parts. */
    uint64_t room = last ? heap->bytes / 2 : HEAP_BYTES_MIN;
    room = room < HEAP_BYTES_MIN ? HEAP_BYTES_MIN : room > HEAP_BYTES_MAX ? HEAP_BYTES_MAX : room;
    room = room < bytes ? bytes : room;
    if (!heap->words)
        TRY(dev_words_new(stream, 1, &heap->words));
    TRY(array_reserve(NULL, &heap->buffers, 1));
    TRY(dev_alloc(stream->dev, room, who, &next));
    dev_buffer_hold_texts(next);
    heap->buffers.items[heap->buffers.count++] = next;
    heap->used = 0;
    heap->bytes += room;
    return stream->dev->ops->zero(stream, heap->words->address, sizeof(uint64_t));
}

status text_heap_settle(text_heap *heap, dev_stream *stream)
{
    return heap->words ? dev_words_read(stream, heap->words->address, &heap->used, 1) : STATUS_OK;
}

static bool text_heap_has(const text_heap *heap, const dev_buffer *buffer)
{
    for (size_t i = 0; i < heap->buffers.count; i++)
        if (heap->buffers.items[i] == buffer)
            return true;
    return false;
}

static status share_buffers(text_heap *heap, dev_buffer *const *buffers, size_t count)
{
    TRY(array_reserve(NULL, &heap->buffers, count));
    for (size_t i = 0; i < count; i++) {
        dev_buffer *buffer = buffers[i];
        if (text_heap_has(heap, buffer))
            continue;
        heap->buffers.items[heap->buffers.count++] = dev_buffer_ref(buffer);
        heap->used = buffer->bytes; /* the last one is another's to fill */
    }
    return STATUS_OK;
}

status text_heap_share(text_heap *heap, const text_heap *other)
{
    return share_buffers(heap, other->buffers.items, other->buffers.count);
}

status text_heap_share_string(text_heap *heap, const string_heap *other)
{
    return other ? share_buffers(heap, other->buffers, other->buffer_count) : STATUS_OK;
}

status text_heap_view(const text_heap *heap, string_heap **out)
{
    *out = NULL;
    if (!heap->buffers.count)
        return STATUS_OK;
    for (size_t i = 0; i < heap->buffers.count; i++)
        dev_buffer_ref(heap->buffers.items[i]);
    return string_heap_new(heap->buffers.items, (uint32_t)heap->buffers.count, out);
}
