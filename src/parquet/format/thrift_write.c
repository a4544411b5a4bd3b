/* thrift_write.c - writing Thrift's compact protocol. */
#include "parquet/format/thrift_write.h"

#include <assert.h>

thrift_writer thrift_writer_make(pq_buffer *out)
{
    return (thrift_writer){.out = out};
}

static void put_head(thrift_writer *writer, int16_t id, thrift_type type)
{
    int16_t *last = &writer->last[writer->depth];
    assert(id > *last);
    if (id - *last <= 15) {
        pq_buffer_add_byte(writer->out, (uint8_t)((id - *last) << 4 | type));
    } else {
        pq_buffer_add_byte(writer->out, (uint8_t)type);
        pq_buffer_add_zigzag(writer->out, id);
    }
    *last = id;
}

static void open_struct(thrift_writer *writer)
{
    assert(writer->depth + 1 < THRIFT_DEPTH_MAX);
    writer->last[++writer->depth] = 0;
}

void thrift_put_bool(thrift_writer *writer, int16_t id, bool boolean)
{
    put_head(writer, id, boolean ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_i8(thrift_writer *writer, int16_t id, int8_t number)
{
    put_head(writer, id, THRIFT_I8);
    pq_buffer_add_byte(writer->out, (uint8_t)number);
}

void thrift_put_i16(thrift_writer *writer, int16_t id, int16_t number)
{
    put_head(writer, id, THRIFT_I16);
    pq_buffer_add_zigzag(writer->out, number);
}

void thrift_put_i32(thrift_writer *writer, int16_t id, int32_t number)
{
    put_head(writer, id, THRIFT_I32);
    pq_buffer_add_zigzag(writer->out, number);
}

void thrift_put_i64(thrift_writer *writer, int16_t id, int64_t number)
{
    put_head(writer, id, THRIFT_I64);
    pq_buffer_add_zigzag(writer->out, number);
}

void thrift_put_binary(thrift_writer *writer, int16_t id, const void *data, size_t bytes)
{
    put_head(writer, id, THRIFT_BINARY);
    thrift_item_binary(writer, data, bytes);
}

void thrift_put_text(thrift_writer *writer, int16_t id, const char *text)
{
    thrift_put_binary(writer, id, text, strlen(text));
}

void thrift_put_struct(thrift_writer *writer, int16_t id)
{
    put_head(writer, id, THRIFT_STRUCT);
    open_struct(writer);
}

void thrift_end(thrift_writer *writer)
{
    pq_buffer_add_byte(writer->out, THRIFT_STOP);
    if (writer->depth)
        writer->depth--;
}

void thrift_put_empty(thrift_writer *writer, int16_t id)
{
    thrift_put_struct(writer, id);
    thrift_end(writer);
}

void thrift_put_encoded(thrift_writer *writer, int16_t id, const void *data, size_t bytes)
{
    put_head(writer, id, THRIFT_STRUCT);
    pq_buffer_add(writer->out, data, bytes);
}

void thrift_put_list(thrift_writer *writer, int16_t id, thrift_type element, size_t count)
{
    put_head(writer, id, THRIFT_LIST);
    if (count < 15) {
        pq_buffer_add_byte(writer->out, (uint8_t)(count << 4 | element));
    } else {
        pq_buffer_add_byte(writer->out, (uint8_t)(15 << 4 | element));
        pq_buffer_add_varint(writer->out, count);
    }
}

void thrift_item_bool(thrift_writer *writer, bool boolean)
{
    pq_buffer_add_byte(writer->out, boolean ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_item_int(thrift_writer *writer, int64_t number)
{
    pq_buffer_add_zigzag(writer->out, number);
}

void thrift_item_binary(thrift_writer *writer, const void *data, size_t bytes)
{
    pq_buffer_add_varint(writer->out, bytes);
    pq_buffer_add(writer->out, data, bytes);
}

void thrift_item_struct(thrift_writer *writer)
{
    open_struct(writer);
}
