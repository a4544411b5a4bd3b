/* copy_binary.c - see copy_binary.h. */
#include "server/session/copy_binary.h"

#include "base/text/utf8.h"
#include "base/type/pg_type.h"
#include "server/engine.h"
#include "server/protocol/decode.h"
#include "server/protocol/decode_array.h"
#include "server/session/copy_text.h"

static const char signature[] = "PGCOPY\n\377\r\n"; /* with its NUL */
#define HEAD_BYTES (sizeof signature + 4 + 4)
/* Flags that must be understood are those from bit 16 on; this one says that rows have object identifiers. */
#define FLAGS_CRITICAL 0xffff0000u
#define FLAG_OIDS 0x10000u
/* Bytes of an extension that are taken at once. */
#define SKIPPED_BYTES 65536u
/* Room for the text of a value that is not a text. */
#define VALUE_TEXT_BYTES 128

static status wrong_head(const char *what)
{
    return status_hint(status_new(STATUS_KIND_DATA, "what is copied %s", what),
                       "(FORMAT text) and (FORMAT csv) are for rows of text");
}

/* Puts the place of the field before what is wrong with it. */
static status at_field(const copy_binary *b, status st)
{
    return status_context(st, "row %llu, column \"%s\"", (unsigned long long)b->row,
                          b->said[b->column].name);
}

static void next_part(copy_binary *b, copy_binary_part part, size_t wanted)
{
    b->part = part;
    b->wanted = wanted;
}

/* ---- writing ---- */

static void put_byte(copy_binary *b, char c)
{
    b->out.items[b->out.count++] = c;
}

/* Writes a field in quotes, and makes room for what comes after it. */
static status put_text(copy_binary *b, const char *text, size_t bytes)
{
    TRY(array_reserve(NULL, &b->out, 2 * bytes + 4));
    put_byte(b, '"');
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '"' || text[i] == '\\')
            put_byte(b, '\\');
        put_byte(b, text[i]);
    }
    put_byte(b, '"');
    return STATUS_OK;
}

static status put_null(copy_binary *b)
{
    TRY(array_reserve(NULL, &b->out, 4));
    put_byte(b, '\\'), put_byte(b, 'N');
    return STATUS_OK;
}

/* Ends a field, and with the last one of a row the row. */
static void end_field(copy_binary *b)
{
    b->column++;
    bool is_last = b->column == b->columns;
    put_byte(b, is_last ? '\n' : ',');
    b->has_rows |= is_last;
    b->row += is_last;
    if (is_last)
        next_part(b, COPY_BINARY_COUNT, 2);
    else
        next_part(b, COPY_BINARY_LENGTH, 4);
}

/* ---- values ---- */

static status check_text(const char *text, size_t bytes)
{
    if (memchr(text, 0, bytes))
        return status_new(STATUS_KIND_DATA, "the value has a byte 0, which no text in UTF-8 has");
    return utf8_valid_bytes(text, bytes) == bytes
               ? STATUS_OK
               : status_new(STATUS_KIND_DATA, "the value's bytes are not UTF-8");
}

/* Fails where the column's type has less room than the type that it is sent as. */
static status check_fits(const char *text, size_t bytes, data_type type)
{
    value ignored;
    char name[TYPE_NAME_BYTES];
    if (value_parse(text, bytes, type, &ignored))
        return STATUS_OK;
    return status_new(STATUS_KIND_DATA, "the value %.*s does not fit %s", (int)bytes, text,
                      type_name(type, name));
}

static bool is_sent_as_other(data_type sent, data_type type)
{
    return sent.id != type.id || sent.precision != type.precision || sent.scale != type.scale;
}

static status put_value(copy_binary *b, const value *v)
{
    data_type type = b->said[b->column].type;
    char text[VALUE_TEXT_BYTES];
    if (v->type.id == TYPE_BLOB)
        return put_text(b, v->text, v->bytes);
    if (type_is_text(v->type)) {
        TRY(check_text(v->text, v->bytes));
        return put_text(b, v->text, v->bytes);
    }
    size_t bytes = zone_format_value(NULL, v, text, sizeof text);
    if (is_sent_as_other(v->type, type))
        TRY(check_fits(text, bytes, type));
    return put_text(b, text, bytes);
}

/* Fails where an element does not fit: each one is in quotes, and has none in it, as it is not a text. */
static status check_elements(const char *text, size_t bytes, data_type type)
{
    const char *end = text + bytes, *begin = memchr(text, '"', bytes);
    while (begin) {
        const char *close = memchr(begin + 1, '"', (size_t)(end - begin - 1));
        if (!close)
            break;
        TRY(check_fits(begin + 1, (size_t)(close - begin - 1), type));
        begin = memchr(close + 1, '"', (size_t)(end - close - 1));
    }
    return STATUS_OK;
}

/* Writes the text of a list, which is cast to the column's type. */
static status put_array(copy_binary *b, uint32_t oid, const char *bytes)
{
    data_type type = nested_type_of(b->said[b->column].type)->fields[0].type;
    value v;
    TRY(decode_array(oid, ENCODE_BINARY, bytes, b->wanted, &b->room, &v));
    data_type sent = nested_type_of(v.type)->fields[0].type;
    nested_type_release(v.type);
    TRY(check_text(v.text, v.bytes));
    if (!type_is_text(sent) && is_sent_as_other(sent, type))
        TRY(check_elements(v.text, v.bytes, type));
    return put_text(b, v.text, v.bytes);
}

static status put_field(copy_binary *b, const char *bytes)
{
    data_type type = b->said[b->column].type;
    uint32_t oid = pg_type_of(type).oid;
    value v;
    if (pg_is_array(type))
        return put_array(b, oid, bytes);
    TRY(decode_value(oid, ENCODE_BINARY, bytes, b->wanted, &v));
    return put_value(b, &v);
}

/* ---- parts ---- */

static status take_head(copy_binary *b, const char *bytes)
{
    wire_reader reader = {.at = bytes + sizeof signature, .end = bytes + HEAD_BYTES};
    uint32_t flags = wire_read_32(&reader), extension = wire_read_32(&reader);
    if (memcmp(bytes, signature, sizeof signature) != 0)
        return wrong_head("does not begin as PostgreSQL's binary format does");
    if (flags & FLAG_OIDS)
        return wrong_head("has object identifiers, which are not supported");
    if (flags & FLAGS_CRITICAL)
        return wrong_head("has flags that are not supported");
    if (extension > INT32_MAX)
        return wrong_head("has an extension of a negative length");
    b->skipped = extension;
    next_part(b, COPY_BINARY_EXTENSION, 0);
    return STATUS_OK;
}

static void skip_extension(copy_binary *b)
{
    b->skipped -= (uint32_t)b->wanted;
    if (b->skipped)
        next_part(b, COPY_BINARY_EXTENSION,
                  b->skipped < SKIPPED_BYTES ? b->skipped : SKIPPED_BYTES);
    else
        next_part(b, COPY_BINARY_COUNT, 2);
}

static status take_count(copy_binary *b, const char *bytes)
{
    wire_reader reader = {.at = bytes, .end = bytes + 2};
    int16_t count = (int16_t)wire_read_16(&reader);
    b->column = 0;
    if (count == -1) {
        next_part(b, COPY_BINARY_END, 1);
        return STATUS_OK;
    }
    next_part(b, COPY_BINARY_LENGTH, 4);
    return count >= 0 && (uint32_t)count == b->columns
               ? STATUS_OK
               : status_new(STATUS_KIND_DATA,
                            "the row %llu of what is copied has %d fields, not %u",
                            (unsigned long long)b->row, (int)count, (unsigned)b->columns);
}

static status take_length(copy_binary *b, const char *bytes)
{
    wire_reader reader = {.at = bytes, .end = bytes + 4};
    uint32_t length = wire_read_32(&reader);
    if (length == UINT32_MAX) {
        TRY(put_null(b));
        end_field(b);
        return STATUS_OK;
    }
    if (length > INT32_MAX)
        return at_field(b, status_new(STATUS_KIND_DATA, "the value has a negative length"));
    if (length > COPY_FIELD_BYTES_MAX)
        return at_field(b, status_new(STATUS_KIND_LIMIT, "the value has more than 256 MiB"));
    next_part(b, COPY_BINARY_FIELD, length);
    return STATUS_OK;
}

static status take_part(copy_binary *b, const char *bytes)
{
    switch (b->part) {
    case COPY_BINARY_HEAD:
        return take_head(b, bytes);
    case COPY_BINARY_EXTENSION:
        skip_extension(b);
        return STATUS_OK;
    case COPY_BINARY_COUNT:
        return take_count(b, bytes);
    case COPY_BINARY_LENGTH:
        return take_length(b, bytes);
    case COPY_BINARY_FIELD:
        TRY(at_field(b, put_field(b, bytes)));
        end_field(b);
        return STATUS_OK;
    default:
        return status_new(STATUS_KIND_DATA, "what is copied goes on after its end");
    }
}

/* ---- pieces ---- */

void copy_binary_init(copy_binary *b, const sql_copy_column *said, uint32_t columns)
{
    *b = (copy_binary){.said = said, .columns = columns, .row = 1};
    next_part(b, COPY_BINARY_HEAD, HEAD_BYTES);
}

/* Returns the bytes of the part, which are held where they came in several pieces; NULL: more are to come. */
static status gather(copy_binary *b, const char **at, size_t *left, const char **out)
{
    size_t missing = b->wanted - b->held.count, some = *left < missing ? *left : missing;
    *out = some == missing ? *at : NULL;
    if (!*left)
        return STATUS_OK;
    if (b->held.count || some < missing) {
        TRY(array_reserve(NULL, &b->held, some));
        memcpy(b->held.items + b->held.count, *at, some);
        b->held.count += some;
        *out = some == missing ? b->held.items : NULL;
    }
    *at += some;
    *left -= some;
    return STATUS_OK;
}

status copy_binary_add(copy_binary *b, const char *bytes, size_t count)
{
    for (;;) {
        const char *part;
        TRY(gather(b, &bytes, &count, &part));
        if (!part)
            return STATUS_OK;
        b->held.count = 0;
        TRY(take_part(b, part));
    }
}

status copy_binary_end(const copy_binary *b)
{
    if (b->part == COPY_BINARY_END || (b->part == COPY_BINARY_COUNT && !b->held.count))
        return STATUS_OK;
    if (b->part == COPY_BINARY_HEAD || b->part == COPY_BINARY_EXTENSION)
        return wrong_head("ends within the head of PostgreSQL's binary format");
    return status_new(STATUS_KIND_DATA, "the row %llu of what is copied is not whole",
                      (unsigned long long)b->row);
}

void copy_binary_release(copy_binary *b)
{
    array_release(&b->held);
    array_release(&b->out);
    wire_release(&b->room);
}
