/* copy_in.c - see copy_in.h. */
#include "server/copy_in.h"

#include "server/copy_text.h"
#include "server/engine.h"
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

static status write_rows(const session *s, copy_text *t)
{
    for (size_t at = 0; at < t->out.count;) {
        ssize_t bytes = write(s->copied, t->out.items + at, t->out.count - at);
        if (bytes < 0 && errno != EINTR)
            return status_new_errno(errno, "could not write rows of COPY to a temporary file");
        at += bytes > 0 ? (size_t)bytes : 0;
    }
    t->out.count = 0;
    return STATUS_OK;
}

/* Asks the client for its rows: all columns as text. */
static status ask(session *s, uint32_t columns)
{
    wire_writer *out = &s->stream.out;
    wire_begin(out, 'G');
    wire_byte(out, 0);
    wire_16(out, (uint16_t)columns);
    for (uint32_t i = 0; i < columns; i++)
        wire_16(out, 0);
    wire_finish(out);
    return stream_flush(&s->stream);
}

static status refuse_rows(wire_reader *reader)
{
    const char *why = wire_read_text(reader);
    TRY(wire_end(reader, "CopyFail"));
    return status_new(STATUS_KIND_CANCELLED, "COPY from stdin failed: %s", why);
}

/* Takes one message. *out_is_over: it was the last one. */
static status copy_in_take_message(session *s, copy_text *t, bool *out_is_over)
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
        TRY(copy_text_add(t, reader.at, (size_t)(reader.end - reader.at)));
        return t->out.count < WRITE_BYTES ? STATUS_OK : write_rows(s, t);
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

static status take_rows(session *s, copy_text *t)
{
    bool is_over = false;
    while (!is_over)
        TRY(copy_in_take_message(s, t, &is_over));
    TRY(copy_text_end(t));
    return write_rows(s, t);
}

/* The engine's: sql_copy_source. */
static status take(void *context, const sql_copy *copy, const char *const *names, uint32_t columns,
                   const char **out_path)
{
    session *s = context;
    copy_text t = {.style = &copy->text, .names = names, .columns = columns};
    copy_in_end(s);
    if (!columns || columns > INT16_MAX)
        return status_new(STATUS_KIND_LIMIT, "COPY takes 1 to %d columns, not %u", INT16_MAX,
                          (unsigned)columns);
    TRY(open_file(s));
    TRY(ask(s, columns));
    status st = take_rows(s, &t);
    copy_text_release(&t);
    *out_path = t.has_rows ? s->copied_path : NULL;
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
