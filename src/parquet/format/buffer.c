/* buffer.c - bytes that grow. */
#include "parquet/format/buffer.h"

uint8_t *pq_buffer_room(pq_buffer *buffer, size_t bytes)
{
    if (buffer->has_failed)
        return NULL;
    if (bytes > buffer->capacity - buffer->count || !buffer->items) {
        status st = array_reserve(NULL, buffer, bytes ? bytes : 1);
        if (st) {
            status_free(st);
            buffer->has_failed = true;
            return NULL;
        }
    }
    return buffer->items + buffer->count;
}

void pq_buffer_add(pq_buffer *buffer, const void *data, size_t bytes)
{
    uint8_t *room = pq_buffer_room(buffer, bytes);
    if (room && bytes) {
        memcpy(room, data, bytes);
        buffer->count += bytes;
    }
}

void pq_buffer_add_byte(pq_buffer *buffer, uint8_t byte)
{
    pq_buffer_add(buffer, &byte, 1);
}

void pq_buffer_add_varint(pq_buffer *buffer, uint64_t number)
{
    uint8_t bytes[10];
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (uint8_t)(number | 0x80);
    bytes[count++] = (uint8_t)number;
    pq_buffer_add(buffer, bytes, count);
}

void pq_buffer_add_zigzag(pq_buffer *buffer, int64_t number)
{
    pq_buffer_add_varint(buffer, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

status pq_buffer_check(const pq_buffer *buffer, const char *what)
{
    return buffer->has_failed ? status_no_memory(what, buffer->count) : STATUS_OK;
}

void pq_buffer_clear(pq_buffer *buffer)
{
    buffer->count = 0;
}

void pq_buffer_release(pq_buffer *buffer)
{
    mem_free(buffer->items);
    *buffer = (pq_buffer){0};
}
