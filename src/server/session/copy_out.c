/* copy_out.c - see copy_out.h. */
#include "server/session/copy_out.h"

#include "base/row/csv.h"
#include "server/engine.h"

#include <stdio.h>

/* Beginning of the binary format: a signature, flags, and the length of an extension. */
static const char binary_head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
#define BINARY_HEAD_BYTES (sizeof binary_head - 1)

typedef struct copy_out {
    const sql_copy *copy;
    const api_columns *columns;
    const zone *zone;
    wire_writer value; /* of one field, with its length */
    bool has_head; /* the binary format's was written, with the first message as in PostgreSQL */
} copy_out;

bool copy_out_is(const pistachio_result *result)
{
    return result && result->statement->copy.is_to_client;
}

/* ---- text ---- */

/* As tsv_write_field(), but with another character between fields. Returns the end; there is room for twice the text. */
static char *write_escaped(const char *text, size_t bytes, char delimiter, char *at)
{
    static const char special[] = "\n\r\t\\", letters[] = "nrt\\";
    for (size_t i = 0; i < bytes; i++) {
        const char *found = text[i] ? strchr(special, text[i]) : NULL;
        if (found || text[i] == delimiter)
            *at++ = '\\';
        *at++ = found ? letters[found - special] : text[i];
    }
    return at;
}

static bool copy_out_needs_quotes(const sql_copy_text *style, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == style->delimiter || text[i] == style->quote || text[i] == '\n' ||
            text[i] == '\r')
            return true;
    return bytes == strlen(style->null_text) && !memcmp(text, style->null_text, bytes);
}

/* Writes a text in quotes. Returns the end; there is room for twice the text, and two quotes. */
static char *write_quoted(const sql_copy_text *style, const char *text, size_t bytes, char *at)
{
    *at++ = style->quote;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == style->quote || text[i] == style->escape)
            *at++ = style->escape;
        *at++ = text[i];
    }
    *at++ = style->quote;
    return at;
}

/* A lone \. would end the rows. */
static bool is_end_of_rows(const copy_out *c, const char *text, size_t bytes)
{
    return c->columns->count == 1 && bytes == 2 && !memcmp(text, "\\.", 2);
}

static void write_field(const copy_out *c, const char *text, size_t bytes, bool is_forced,
                        wire_writer *out)
{
    const sql_copy_text *style = &c->copy->text;
    size_t room = 2 * bytes + TEXT_OUT_BYTES_MIN; /* each byte may get another one before it */
    char *begin = wire_room(out, room);
    text_out written = {.begin = begin, .at = begin, .end = begin + room};
    if (!begin)
        return;
    if (style->is_csv && (is_forced || is_end_of_rows(c, text, bytes)))
        written.at = write_quoted(style, text, bytes, begin);
    else if (style->is_csv && style->quote == '"' && style->escape == '"')
        csv_write_field(text, bytes, (csv_dialect){style->delimiter, style->null_text}, &written);
    else if (style->is_csv && copy_out_needs_quotes(style, text, bytes))
        written.at = write_quoted(style, text, bytes, begin);
    else if (style->is_csv)
        written.at = mempcpy(begin, text, bytes);
    else if (style->delimiter == '\t')
        tsv_write_field(text, bytes, &written);
    else
        written.at = write_escaped(text, bytes, style->delimiter, begin);
    wire_fill(out, (size_t)(written.at - begin));
}

static void write_text_value(copy_out *c, const exec_batch *batch, uint32_t column, uint64_t row,
                             wire_writer *out)
{
    const sql_copy_text *style = &c->copy->text;
    wire_cut(&c->value, 0);
    encode_value(&c->value, &batch->columns[column], row, ENCODE_TEXT, c->zone);
    wire_reader reader = {.at = c->value.bytes.items,
                          .end = c->value.bytes.items + c->value.bytes.count};
    if (wire_read_32(&reader) == UINT32_MAX)
        wire_bytes(out, style->null_text, strlen(style->null_text));
    else
        write_field(c, reader.at, (size_t)(reader.end - reader.at),
                    sql_copy_has_name(&style->force_quote, c->columns->names[column]), out);
}

static void write_head(const copy_out *c, wire_writer *out)
{
    const api_columns *columns = c->columns;
    wire_begin(out, 'd');
    for (uint32_t i = 0; i < columns->count; i++) {
        write_field(c, columns->names[i], strlen(columns->names[i]), false, out);
        wire_byte(out, i + 1 == columns->count ? '\n' : c->copy->text.delimiter);
    }
    wire_finish(out);
}

static void write_text_row(copy_out *c, const exec_batch *batch, uint64_t row, wire_writer *out)
{
    wire_begin(out, 'd');
    for (uint32_t i = 0; i < batch->column_count; i++) {
        write_text_value(c, batch, i, row, out);
        wire_byte(out, i + 1 == batch->column_count ? '\n' : c->copy->text.delimiter);
    }
    wire_finish(out);
}

/* ---- binary ---- */

static void begin_binary(copy_out *c, wire_writer *out)
{
    wire_begin(out, 'd');
    if (!c->has_head)
        wire_bytes(out, binary_head, BINARY_HEAD_BYTES);
    c->has_head = true;
}

static void write_binary_row(copy_out *c, const exec_batch *batch, uint64_t row, wire_writer *out)
{
    begin_binary(c, out);
    wire_16(out, (uint16_t)batch->column_count);
    for (uint32_t i = 0; i < batch->column_count; i++)
        encode_value(out, &batch->columns[i], row, ENCODE_BINARY, c->zone);
    wire_finish(out);
}

/* ---- both ---- */

/* Writes CopyOutResponse and what comes before the first row. */
static void begin(const copy_out *c, wire_writer *out)
{
    wire_begin(out, 'H');
    wire_byte(out, c->copy->is_binary);
    wire_16(out, (uint16_t)c->columns->count);
    for (uint32_t i = 0; i < c->columns->count; i++)
        wire_16(out, c->copy->is_binary);
    wire_finish(out);
    if (!c->copy->is_binary && c->copy->text.has_header)
        write_head(c, out);
}

static void end(copy_out *c, uint64_t count, wire_writer *out)
{
    char tag[32];
    if (c->copy->is_binary) {
        begin_binary(c, out);
        wire_16(out, UINT16_MAX);
        wire_finish(out);
    }
    wire_begin(out, 'c');
    wire_finish(out);
    snprintf(tag, sizeof tag, "COPY %llu", (unsigned long long)count);
    wire_begin(out, 'C');
    wire_text(out, tag);
    wire_finish(out);
}

static status copy_out_send_rows(stream *s, rows *r, copy_out *c)
{
    for (;;) {
        TRY(rows_find(r));
        if (r->is_done)
            return wire_status(&c->value);
        if (c->copy->is_binary)
            write_binary_row(c, r->batch->rows, r->row, &s->out);
        else
            write_text_row(c, r->batch->rows, r->row, &s->out);
        r->row++;
        r->sent++;
        TRY(wire_status(&c->value));
        TRY(stream_flush_some(s));
    }
}

status copy_out_send(stream *s, rows *r)
{
    const sql_statement *statement = r->result->statement;
    copy_out c = {
        .copy = &statement->copy, .columns = &r->result->columns, .zone = statement->zone};
    TRY(rows_check_columns(c.columns));
    begin(&c, &s->out);
    status st = copy_out_send_rows(s, r, &c);
    wire_release(&c.value);
    TRY(st);
    end(&c, r->sent, &s->out);
    return STATUS_OK;
}
