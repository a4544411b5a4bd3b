/* encode_nested.c - see encode_nested.h. */
#include "server/protocol/encode_nested.h"

#include "base/type/nested_type.h"
#include "base/type/pg_type.h"
#include "server/engine.h"

#include <ctype.h>
#include <strings.h>

/* ---- arrays as text ---- */

/* Returns whether an array's text has the element in quotes, as PostgreSQL does. */
static bool needs_quotes(const char *text, size_t bytes)
{
    if (!bytes || (bytes == 4 && !strncasecmp(text, "null", 4)))
        return true;
    for (size_t i = 0; i < bytes; i++)
        if (strchr("{}\",\\", text[i]) || isspace((unsigned char)text[i]))
            return true;
    return false;
}

static size_t count_escaped(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += text[i] == '"' || text[i] == '\\';
    return count;
}

/* Puts the element into quotes, whose length and text begin at this offset; its length goes. */
static void quote_element(wire_writer *out, size_t begin)
{
    size_t bytes = out->bytes.count - begin - 4;
    size_t escaped = count_escaped(out->bytes.items + begin + 4, bytes);
    if (!wire_room(out, escaped))
        return;
    wire_fill(out, escaped);
    char *to = out->bytes.items + begin, *end = out->bytes.items + out->bytes.count;
    const char *from = end - bytes;
    memmove(end - bytes, to + 4, bytes);
    *to++ = '"';
    for (; from < end; from++) {
        if (*from == '"' || *from == '\\')
            *to++ = '\\';
        *to++ = *from;
    }
    *to++ = '"';
    wire_cut(out, (size_t)(to - out->bytes.items));
}

static void write_text_element(wire_writer *out, const exec_batch_column *child, uint64_t row,
                               const zone *zone)
{
    size_t begin = out->bytes.count;
    encode_value(out, child, row, ENCODE_TEXT, zone);
    if (out->is_failed || out->is_too_long)
        return;
    char *text = out->bytes.items + begin + 4;
    size_t bytes = out->bytes.count - begin - 4;
    wire_reader length = {.at = text - 4, .end = text};
    if (wire_read_32(&length) == UINT32_MAX) {
        wire_cut(out, begin);
        wire_bytes(out, "NULL", 4);
    } else if (needs_quotes(text, bytes)) {
        quote_element(out, begin);
    } else {
        memmove(text - 4, text, bytes);
        wire_cut(out, begin + bytes);
    }
}

/* ---- arrays in binary ---- */

static bool has_null_element(const exec_batch_column *child, nested_value v)
{
    for (uint64_t row = v.offset; row < (uint64_t)v.offset + v.length; row++)
        if (encode_is_null(child, row))
            return true;
    return false;
}

static void write_array_head(wire_writer *out, const exec_batch_column *child, nested_value v)
{
    wire_32(out, v.length ? 1 : 0); /* dimensions */
    wire_32(out, has_null_element(child, v));
    wire_32(out, pg_type_of(child->type).oid);
    if (!v.length)
        return;
    wire_32(out, v.length);
    wire_32(out, 1); /* the first element's number */
}

/* ---- both ---- */

static void write_array(wire_writer *out, const exec_batch_column *column, nested_value v,
                        encode_format format, const zone *zone)
{
    const exec_batch_column *child = &column->children->columns[0];
    if (format == ENCODE_BINARY)
        write_array_head(out, child, v);
    else
        wire_byte(out, '{');
    for (uint32_t i = 0; i < v.length; i++) {
        if (format == ENCODE_BINARY) {
            encode_value(out, child, (uint64_t)v.offset + i, format, zone);
            continue;
        }
        if (i)
            wire_byte(out, ',');
        write_text_element(out, child, (uint64_t)v.offset + i, zone);
    }
    if (format == ENCODE_TEXT)
        wire_byte(out, '}');
}

/* ---- json ---- */

#define JSON_ROOM ((size_t)4096)

/* Writes into more and more room until the text is whole. */
static void write_json(wire_writer *out, const exec_batch_column *column, uint64_t row,
                       const zone *zone)
{
    for (size_t room = JSON_ROOM;; room *= 2) {
        char *begin = wire_room(out, room);
        text_out text = {.begin = begin, .at = begin, .end = begin + room};
        if (!begin)
            return;
        api_row_text_json(column, row, zone, &text);
        if (!text.is_full) {
            wire_fill(out, (size_t)(text.at - begin));
            return;
        }
    }
}

void encode_nested(wire_writer *out, const exec_batch_column *column, uint64_t row,
                   encode_format format, const zone *zone)
{
    size_t begin = out->bytes.count;
    wire_32(out, 0);
    if (pg_is_array(column->type))
        write_array(out, column, ((const nested_value *)column->values)[row], format, zone);
    else
        write_json(out, column, row, zone);
    if (!out->is_failed && !out->is_too_long)
        wire_set_32(out, begin, (uint32_t)(out->bytes.count - begin - 4));
}
