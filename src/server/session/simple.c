/* simple.c - see simple.h. */
#include "server/session/simple.h"

#include "server/engine.h"
#include "server/protocol/failure.h"
#include "server/session/command_run.h"
#include "server/session/copy_in.h"
#include "server/session/copy_out.h"
#include "server/session/cursor.h"
#include "server/session/rows.h"

/* Writes notices from the one with this number on, and returns how many there are. */
static uint32_t write_notices(session *s, const pistachio_result *result, uint32_t first)
{
    const char *notice;
    for (; (notice = pistachio_notice(result, first)); first++)
        failure_write_notice(&s->stream.out, notice);
    return first;
}

static status simple_send_result(session *s, pistachio_result *result)
{
    rows r = {.result = result, .limit = s->client->activity.limits.rows};
    uint32_t notices = write_notices(s, result, 0);
    if (copy_out_is(result)) {
        status st = copy_out_send(&s->stream, &r);
        s->rows = r.sent;
        return st;
    }
    if (result->columns.count) {
        TRY(rows_describe(&s->stream.out, &result->columns, (rows_formats){0}));
        status st = rows_send(&s->stream, &r, (rows_formats){0}, 0);
        s->rows = r.sent;
        TRY(st);
    }
    write_notices(s, result, notices); /* of its run */
    session_note(s, result);
    rows_write_tag(&s->stream.out, &r);
    return STATUS_OK;
}

/* Runs a statement of the engine at *at and sets *at after it. *out_is_empty: there is none. */
static status simple_run_query(session *s, const char *sql, const char **out_rest,
                               bool *out_is_empty)
{
    pistachio_result *result = NULL;
    status st = api_error_status(pistachio_query(s->connection, sql, out_rest, &result));
    *out_is_empty = !st && !result;
    if (result)
        st = simple_send_result(s, result);
    pistachio_result_free(result);
    copy_in_end(s);
    return st;
}

/* Runs a statement that was read; of the session's own, its rest is at *at. */
static status simple_run_read(session *s, const command *c, const char **at, bool *out_is_empty)
{
    char shown[COMMAND_SHOW_BYTES];
    if (c->kind && c->kind != COMMAND_SHOW && c->kind != COMMAND_FETCH)
        return command_run(s, c);
    TRY(command_check(s, c->kind));
    if (c->kind == COMMAND_FETCH) {
        TRY(cursor_describe(s, c, (rows_formats){0}));
        return cursor_fetch(s, c, (rows_formats){0});
    }
    if (!c->kind)
        return simple_run_query(s, *at, at, out_is_empty);
    command_show(s, c, shown);
    return simple_run_query(s, shown, NULL, out_is_empty);
}

static status simple_run_statement(session *s, const char **at, bool *out_is_empty)
{
    command c;
    const char *sql = *at;
    size_t with_end, bytes = sql_statement_length(sql, &with_end);
    *out_is_empty = false;
    session_statement_begin(s, sql, bytes);
    status st = command_read(sql, &c, at);
    if (!st)
        st = simple_run_read(s, &c, at, out_is_empty);
    if (*out_is_empty)
        session_statement_drop(s);
    return session_statement_end(s, st);
}

static void run_statements(session *s, const char *sql)
{
    const char *at = sql;
    bool has_run = false;
    while (*at && !s->stream.is_gone) {
        const char *start = at;
        bool is_empty;
        status st = simple_run_statement(s, &at, &is_empty);
        if (st) {
            session_fail(s, st, (size_t)(start - sql));
            return;
        }
        has_run |= !is_empty;
    }
    if (!has_run) {
        wire_begin(&s->stream.out, 'I');
        wire_finish(&s->stream.out);
    }
}

status simple_query(session *s, wire_reader *reader)
{
    const char *text = wire_read_text(reader);
    TRY(wire_end(reader, "Query"));
    portal_remove(&s->lists, "");
    prepared_remove(&s->lists, "");
    char *sql = mem_copy_text(text, strlen(text)); /* COPY reads further messages */
    if (!sql)
        return status_no_memory("statement", strlen(text));
    s->sql = sql;
    run_statements(s, sql);
    s->sql = NULL;
    mem_free(sql);
    return wire_status(&s->stream.out);
}
