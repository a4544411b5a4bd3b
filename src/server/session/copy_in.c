/* copy_in.c - see copy_in.h. */
#include "server/session/copy_in.h"

#include "server/engine.h"
#include "server/session/copy_binary.h"
#include "server/session/copy_text.h"
#include "textfile/table/text_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Rows that are made are written once they are so long. */
#define WRITE_BYTES 65536

static status open_file(session *s)
{
    settings now;
    api_settings(s->connection, &now);
    s->copied = open(now.temp_directory.text, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (s->copied < 0)
        return status_new_errno(errno, "could not make a file in \"%s\"", now.temp_directory.text);
    snprintf(s->copied_path, sizeof s->copied_path, TEXT_SENT_PATH "%d", s->copied);
    return STATUS_OK;
}

/* Rows that come in: as text or in the binary format. */
typedef struct copy_in {
    const sql_copy *copy;
    copy_text text;
    copy_binary binary;
} copy_in;

static status copy_in_write(const session *s, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        ssize_t written = write(s->copied, bytes + at, count - at);
        if (written < 0 && errno != EINTR)
            return status_new_errno(errno, "could not write rows of COPY to a temporary file");
        at += written > 0 ? (size_t)written : 0;
    }
    return STATUS_OK;
}

/* Writes the rows that are made once they are at least so long. */
static status write_rows(const session *s, copy_in *c, size_t least)
{
    bool is_binary = c->copy->is_binary;
    size_t *count = is_binary ? &c->binary.out.count : &c->text.out.count;
    if (*count < least)
        return STATUS_OK;
    TRY(copy_in_write(s, is_binary ? c->binary.out.items : c->text.out.items, *count));
    *count = 0;
    return STATUS_OK;
}

/* Asks the client for its rows: all columns in one format. */
static status ask(session *s, bool is_binary, uint32_t columns)
{
    wire_writer *out = &s->stream.out;
    wire_begin(out, 'G');
    wire_byte(out, is_binary);
    wire_16(out, (uint16_t)columns);
    for (uint32_t i = 0; i < columns; i++)
        wire_16(out, is_binary);
    wire_finish(out);
    return stream_flush(&s->stream);
}

static status refuse_rows(wire_reader *reader)
{
    const char *why = wire_read_text(reader);
    TRY(wire_end(reader, "CopyFail"));
    return status_new(STATUS_KIND_CANCELLED, "COPY from stdin failed: %s", why);
}

static status add_bytes(copy_in *c, const char *bytes, size_t count)
{
    return c->copy->is_binary ? copy_binary_add(&c->binary, bytes, count)
                              : copy_text_add(&c->text, bytes, count);
}

/* Takes one message. *out_is_over: it was the last one. */
static status copy_in_take_message(session *s, copy_in *c, bool *out_is_over)
{
    stream_end end;
    char type;
    wire_reader reader;
    TRY(stream_read(&s->stream, STREAM_MESSAGE_BYTES_MAX, &end, &type, &reader));
    if (end)
        return status_new(STATUS_KIND_IO, "the client has ended in the middle of COPY");
    *out_is_over = type == 'c';
    switch (type) {
    case 'd':
        TRY(add_bytes(c, reader.at, (size_t)(reader.end - reader.at)));
        return write_rows(s, c, WRITE_BYTES);
    case 'c':
    case 'H':
    case 'S':
        return STATUS_OK;
    case 'f':
        return refuse_rows(&reader);
    default:
        return status_new(STATUS_KIND_CORRUPT, "a message %d comes in the middle of COPY",
                          (unsigned char)type);
    }
}

static status take_rows(session *s, copy_in *c)
{
    bool is_over = false;
    while (!is_over)
        TRY(copy_in_take_message(s, c, &is_over));
    TRY(c->copy->is_binary ? copy_binary_end(&c->binary) : copy_text_end(&c->text));
    return write_rows(s, c, 0);
}

/* The engine's: sql_copy_source. */
static status take(void *context, const sql_copy *copy, const sql_copy_column *columns,
                   uint32_t count, const char **out_path)
{
    session *s = context;
    copy_in c = {.copy = copy, .text = {.style = &copy->text, .said = columns, .columns = count}};
    copy_in_end(s);
    if (!count || count > INT16_MAX)
        return status_new(STATUS_KIND_LIMIT, "COPY takes 1 to %d columns, not %u", INT16_MAX,
                          (unsigned)count);
    TRY(open_file(s));
    TRY(ask(s, copy->is_binary, count));
    copy_binary_init(&c.binary, columns, count);
    status st = take_rows(s, &c);
    *out_path = c.text.has_rows || c.binary.has_rows ? s->copied_path : NULL;
    copy_text_release(&c.text);
    copy_binary_release(&c.binary);
    return st;
}

void copy_in_open(session *s)
{
    s->copied = -1;
    s->connection->copies_from = (sql_copy_source){take, s};
}

void copy_in_end(session *s)
{
    if (s->copied >= 0)
        close(s->copied);
    s->copied = -1;
}
