/* session.c - see session.h. */
#include "server/session/session.h"

#include "server/engine.h"
#include "server/protocol/failure.h"
#include "server/session/copy_in.h"
#include "server/session/extended.h"
#include "server/session/login.h"
#include "server/session/simple.h"

#include <stdlib.h>

/* ---- statements ---- */

/* Returns how long a statement may take as the client has set it; 0: any time. */
static int64_t own_milliseconds(const session *s)
{
    static const struct {
        const char *name;
        int64_t milliseconds;
    } units[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
    const char *text = pg_setting_get(&s->settings, pg_setting_find("statement_timeout", 17));
    char *end;
    long number = strtol(text, &end, 10);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (number > 0 && number < INT32_MAX && !strcmp(end, units[i].name))
            return number * units[i].milliseconds;
    return 0;
}

void session_statement_begin(session *s, const char *sql, size_t bytes)
{
    if (s->is_begun)
        return;
    s->is_begun = true;
    s->rows = 0;
    activity_begin(&s->client->activity, sql, bytes, own_milliseconds(s));
}

status session_statement_end(session *s, status st)
{
    if (!s->is_begun)
        return st;
    s->is_begun = false;
    st = activity_explain(&s->client->activity, st);
    activity_end(&s->client->activity, st, st ? failure_state(st) : "", s->rows);
    return st;
}

void session_statement_drop(session *s)
{
    if (s->is_begun)
        activity_drop(&s->client->activity);
    s->is_begun = false;
}

/* The stream's: the thread waits for the client. */
static void note_wait(void *context, const char *name)
{
    session *s = context;
    if (!s->is_begun)
        return;
    if (name)
        activity_pause(&s->client->activity, name);
    else
        activity_go_on(&s->client->activity);
}

/* ---- messages ---- */

static void write_ready(session *s)
{
    activity_set_transaction(&s->client->activity, (char)s->transaction);
    wire_begin(&s->stream.out, 'Z');
    wire_byte(&s->stream.out, (char)s->transaction);
    wire_finish(&s->stream.out);
}

static status refuse_message(char type)
{
    return status_new(STATUS_KIND_CORRUPT, "there is no message of type %d", (unsigned char)type);
}

void session_fail(session *s, status st, size_t start)
{
    if (s->transaction == TRANSACTION_OPEN)
        s->transaction = TRANSACTION_FAILED;
    failure_write(&s->stream.out, st, s->sql, start);
}

void session_note(session *s, const pistachio_result *result)
{
    settings now;
    const sql_statement *statement = result->statement;
    if (statement->kind != SQL_SET || strcmp(statement->name, "timezone") != 0)
        return;
    api_settings(s->connection, &now);
    pg_setting_tell("TimeZone", now.timezone.text, &s->stream.out);
}

/* Answers one message. *out_is_over: it was the last one. */
static status session_answer(session *s, char type, wire_reader *reader, bool *out_is_over)
{
    switch (type) {
    case 'Q':
        TRY(simple_query(s, reader));
        extended_sync(s);
        write_ready(s);
        return stream_flush(&s->stream);
    case 'P':
    case 'B':
    case 'D':
    case 'E':
    case 'C':
        return extended_answer(s, type, reader);
    case 'H':
        return stream_flush(&s->stream);
    case 'S':
        extended_sync(s);
        write_ready(s);
        return stream_flush(&s->stream);
    case 'd': /* of a COPY that has failed */
    case 'c':
    case 'f':
        return STATUS_OK;
    case 'X':
        *out_is_over = true;
        return STATUS_OK;
    default:
        return refuse_message(type);
    }
}

static status say_that_server_ends(session *s)
{
    failure_write_own(&s->stream.out, "FATAL", SQLSTATE_SHUTDOWN, "the server is shutting down",
                      NULL);
    return stream_flush(&s->stream);
}

static status talk(session *s)
{
    bool is_open, is_over = false;
    TRY(login_run(s, &is_open));
    if (!is_open)
        return STATUS_OK;
    s->stream.deadline = 0;
    write_ready(s);
    TRY(stream_flush(&s->stream));
    while (!is_over) {
        stream_end end;
        char type;
        wire_reader reader;
        TRY(stream_read(&s->stream, STREAM_MESSAGE_BYTES_MAX, &end, &type, &reader));
        if (end)
            return end == STREAM_ENDING ? say_that_server_ends(s) : STATUS_OK;
        TRY(session_answer(s, type, &reader, &is_over));
    }
    return STATUS_OK;
}

/* Tells the client why its connection ends, as far as it listens. */
static void say_why(session *s, status st)
{
    if (!st)
        return;
    wire_cut(&s->stream.out, 0);
    failure_write_own(&s->stream.out, "FATAL",
                      status_get_kind(st) == STATUS_KIND_CORRUPT ? SQLSTATE_PROTOCOL
                                                                 : failure_state(st),
                      status_message(st), NULL);
    status_free(st);
    status_free(stream_flush(&s->stream));
}

void session_run(session_shared *shared, client *one)
{
    session s = {.shared = shared,
                 .client = one,
                 .stream = {.socket = one->socket, .ending = shared->ending},
                 .transaction = TRANSACTION_NONE,
                 .copied = -1};
    s.stream.note_wait = note_wait;
    s.stream.note_context = &s;
    s.stream.deadline = stream_milliseconds() + shared->login_milliseconds;
    say_why(&s, session_statement_end(&s, talk(&s)));
    portal_remove_all(&s.lists);
    prepared_remove_all(&s.lists);
    clients_hide(&shared->clients, one);
    definitions_leave(&s.definitions);
    pistachio_disconnect(s.connection);
    copy_in_end(&s);
    stream_release(&s.stream);
    clients_remove(&shared->clients, one);
}
