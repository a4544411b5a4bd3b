/* wire.c - see wire.h. */
#include "server/protocol/wire.h"

#include "server/engine.h"

/* ---- reading ---- */

const char *wire_read_bytes(wire_reader *reader, size_t count)
{
    const char *bytes = reader->at;
    if (reader->is_broken || count > (size_t)(reader->end - reader->at)) {
        reader->is_broken = true;
        return NULL;
    }
    reader->at += count;
    return bytes;
}

static uint32_t read_number(wire_reader *reader, size_t bytes)
{
    const unsigned char *from = (const unsigned char *)wire_read_bytes(reader, bytes);
    uint32_t number = 0;
    for (size_t i = 0; from && i < bytes; i++)
        number = number << 8 | from[i];
    return number;
}

uint8_t wire_read_byte(wire_reader *reader)
{
    return (uint8_t)read_number(reader, 1);
}

uint16_t wire_read_16(wire_reader *reader)
{
    return (uint16_t)read_number(reader, 2);
}

uint32_t wire_read_32(wire_reader *reader)
{
    return read_number(reader, 4);
}

const char *wire_read_text(wire_reader *reader)
{
    const char *text = reader->at;
    const char *end = reader->is_broken || text == reader->end
                          ? NULL
                          : memchr(text, 0, (size_t)(reader->end - text));
    if (!end) {
        reader->is_broken = true;
        return "";
    }
    reader->at = end + 1;
    return text;
}

status wire_end(const wire_reader *reader, const char *message)
{
    if (!reader->is_broken && reader->at == reader->end)
        return STATUS_OK;
    return status_new(STATUS_KIND_CORRUPT, "a message %s is %s", message,
                      reader->is_broken ? "shorter than its fields" : "longer than its fields");
}

/* ---- writing ---- */

char *wire_room(wire_writer *writer, size_t count)
{
    if (writer->is_failed)
        return NULL;
    if (count > WIRE_BYTES_MAX - writer->bytes.count) {
        writer->is_failed = writer->is_too_long = true;
        return NULL;
    }
    status st = array_reserve(NULL, &writer->bytes, count);
    writer->is_failed = st;
    status_free(st);
    return writer->is_failed ? NULL : writer->bytes.items + writer->bytes.count;
}

void wire_fill(wire_writer *writer, size_t count)
{
    writer->bytes.count += count;
}

void wire_bytes(wire_writer *writer, const void *bytes, size_t count)
{
    char *room = count ? wire_room(writer, count) : NULL;
    if (!room)
        return;
    memcpy(room, bytes, count);
    writer->bytes.count += count;
}

void wire_byte(wire_writer *writer, char byte)
{
    wire_bytes(writer, &byte, 1);
}

void wire_16(wire_writer *writer, uint16_t number)
{
    number = __builtin_bswap16(number);
    wire_bytes(writer, &number, sizeof number);
}

void wire_32(wire_writer *writer, uint32_t number)
{
    number = __builtin_bswap32(number);
    wire_bytes(writer, &number, sizeof number);
}

void wire_64(wire_writer *writer, uint64_t number)
{
    number = __builtin_bswap64(number);
    wire_bytes(writer, &number, sizeof number);
}

void wire_text(wire_writer *writer, const char *text)
{
    wire_bytes(writer, text, strlen(text) + 1);
}

void wire_set_32(wire_writer *writer, size_t offset, uint32_t number)
{
    number = __builtin_bswap32(number);
    if (!writer->is_failed)
        memcpy(writer->bytes.items + offset, &number, sizeof number);
}

void wire_begin(wire_writer *writer, char type)
{
    wire_byte(writer, type);
    writer->begun = writer->bytes.count;
    wire_32(writer, 0);
}

void wire_finish(wire_writer *writer)
{
    wire_set_32(writer, writer->begun, (uint32_t)(writer->bytes.count - writer->begun));
}

void wire_cut(wire_writer *writer, size_t offset)
{
    writer->bytes.count = offset;
    writer->is_failed = writer->is_too_long = false;
}

status wire_status(const wire_writer *writer)
{
    if (writer->is_too_long)
        return status_hint(
            status_new(STATUS_KIND_LIMIT, "a row for the client takes more than 1 GiB"),
            "select fewer or shorter texts, or parts of them");
    return writer->is_failed ? status_no_memory("message", writer->bytes.count) : STATUS_OK;
}

void wire_release(wire_writer *writer)
{
    array_release(&writer->bytes);
}
