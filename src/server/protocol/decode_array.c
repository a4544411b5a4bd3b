/* decode_array.c - see decode_array.h.
 *
 *     text      {1,NULL,"a \"b\""}
 *     binary    dimensions │ 1: some are NULL │ element's type │ elements │ number of the first │ length, bytes │ ...
 *                          4 bytes each */
#include "server/protocol/decode_array.h"

#include "base/type/pg_type.h"
#include "server/engine.h"
#include "server/protocol/decode.h"

/* Returns the type of elements; 0: the type is not one of arrays. */
static uint32_t element_of(uint32_t oid)
{
    const pg_type_entry *entry = pg_type_find(oid);
    return entry ? entry->element : 0;
}

status decode_array_type(uint32_t oid, data_type *out, bool *out_is_array)
{
    uint32_t element = element_of(oid);
    data_type type = element == PG_NUMERIC ? type_decimal(18, 3) : decode_type(element);
    *out = type_make(TYPE_NULL);
    *out_is_array = element && type.id != TYPE_NULL;
    return *out_is_array ? nested_type_make_list(type, out) : STATUS_OK;
}

/* ---- numerics ---- */

/* Digits before the point and after it that hold all elements. */
typedef struct digits {
    unsigned whole, decimals;
} digits;

static void digits_add(digits *d, const value *v)
{
    unsigned whole = (unsigned)(v->type.precision - v->type.scale);
    d->whole = whole > d->whole ? whole : d->whole;
    d->decimals = v->type.scale > d->decimals ? v->type.scale : d->decimals;
}

static data_type digits_type(const digits *d)
{
    unsigned precision = d->whole + d->decimals;
    return type_decimal(precision > 38 ? 38 : precision ? precision : 1, d->decimals);
}

/* Adds the numbers of an array's text; others are left to whom reads the list. */
static status digits_of_text(const char *text, size_t bytes, digits *out)
{
    static const char between[] = "{}, \t\r\n\f\v\"";
    const char *end = text + bytes;
    for (const char *at = text; at < end;) {
        const char *begin = at;
        value v;
        while (at < end && !memchr(between, *at, sizeof between - 1))
            at++;
        if (begin < at && strchr("+-.0123456789", *begin)) {
            TRY(decode_value(PG_NUMERIC, ENCODE_TEXT, begin, (size_t)(at - begin), &v));
            digits_add(out, &v);
        }
        at += at < end;
    }
    return STATUS_OK;
}

/* ---- binary ---- */

static void write_quoted(wire_writer *out, const char *text, size_t bytes)
{
    wire_byte(out, '"');
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '"' || text[i] == '\\')
            wire_byte(out, '\\');
        wire_byte(out, text[i]);
    }
    wire_byte(out, '"');
}

static void write_hex(wire_writer *out, const char *bytes, size_t count)
{
    static const char hex[] = "0123456789abcdef";
    wire_bytes(out, "\"\\\\x", 4);
    for (size_t i = 0; i < count; i++) {
        wire_byte(out, hex[(unsigned char)bytes[i] >> 4]);
        wire_byte(out, hex[bytes[i] & 15]);
    }
    wire_byte(out, '"');
}

static void write_element(wire_writer *out, const value *v)
{
    char text[128];
    if (v->type.id == TYPE_BLOB)
        write_hex(out, v->text, v->bytes);
    else if (type_is_text(v->type))
        write_quoted(out, v->text, v->bytes);
    else
        write_quoted(out, text, zone_format_value(NULL, v, text, sizeof text));
}

/* Reads how many elements there are. */
static status decode_array_read_head(wire_reader *reader, uint32_t oid, uint32_t *out)
{
    uint32_t element = element_of(oid);
    uint32_t dimensions = wire_read_32(reader);
    wire_read_32(reader);
    uint32_t found = wire_read_32(reader);
    *out = dimensions ? wire_read_32(reader) : 0;
    if (dimensions)
        wire_read_32(reader);
    if (reader->is_broken)
        return decode_end(reader, oid);
    if (dimensions > 1)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "the value is an array of %u dimensions; those of more than one are not "
                          "supported",
                          (unsigned)dimensions);
    if (found == element)
        return STATUS_OK;
    return status_new(STATUS_KIND_DATA, "the value is an array of type %u, not of type %u",
                      (unsigned)found, (unsigned)element);
}

static status read_elements(wire_reader *reader, uint32_t oid, wire_writer *room, digits *d)
{
    uint32_t count;
    TRY(decode_array_read_head(reader, oid, &count));
    wire_byte(room, '{');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bytes = wire_read_32(reader);
        const char *at = bytes == UINT32_MAX ? NULL : wire_read_bytes(reader, bytes);
        value v;
        if (reader->is_broken)
            break;
        if (i)
            wire_byte(room, ',');
        if (!at) {
            wire_bytes(room, "NULL", 4);
            continue;
        }
        TRY(decode_value(element_of(oid), ENCODE_BINARY, at, bytes, &v));
        digits_add(d, &v);
        write_element(room, &v);
    }
    wire_byte(room, '}');
    TRY(decode_end(reader, oid));
    return wire_status(room);
}

status decode_array(uint32_t oid, encode_format format, const char *bytes, size_t count,
                    wire_writer *room, value *out)
{
    uint32_t element = element_of(oid);
    data_type type = decode_type(element), list;
    wire_reader reader = {.at = bytes, .end = bytes + count};
    digits d = {0};
    wire_cut(room, 0);
    *out = value_text(bytes, count);
    if (format == ENCODE_BINARY) {
        TRY(read_elements(&reader, oid, room, &d));
        *out = value_text(room->bytes.items, room->bytes.count);
    } else if (element == PG_NUMERIC) {
        TRY(digits_of_text(bytes, count, &d));
    }
    if (element == PG_NUMERIC)
        type = digits_type(&d);
    TRY(nested_type_make_list(type, &list));
    out->type = list;
    return STATUS_OK;
}
