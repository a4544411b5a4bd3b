/* simple.c - see simple.h. */
#include "server/simple.h"

#include "server/engine.h"
#include "server/failure.h"
#include "server/rows.h"

static void write_notices(session *s, const pistachio_result *result)
{
    const char *notice;
    for (uint32_t i = 0; (notice = pistachio_notice(result, i)); i++)
        failure_write_notice(&s->stream.out, notice);
}

static status send_result(session *s, pistachio_result *result)
{
    rows r = {.result = result};
    write_notices(s, result);
    if (result->columns.count) {
        TRY(rows_describe(&s->stream.out, &result->columns, (rows_formats){0}));
        TRY(rows_send(&s->stream, &r, (rows_formats){0}, 0));
    }
    rows_write_tag(&s->stream.out, &r);
    return STATUS_OK;
}

/* Runs the statement at *at and sets *at after it. *out_is_empty: there is none. */
static status run_statement(session *s, const char **at, bool *out_is_empty)
{
    pistachio_result *result = NULL;
    status st = api_error_status(pistachio_query(s->connection, *at, at, &result));
    *out_is_empty = !st && !result;
    if (result)
        st = send_result(s, result);
    pistachio_result_free(result);
    return st;
}

static void write_empty(wire_writer *out)
{
    wire_begin(out, 'I');
    wire_finish(out);
}

static void run_statements(session *s, const char *sql)
{
    const char *at = sql;
    bool is_empty = false, has_run = false;
    while (!is_empty && !s->stream.is_gone) {
        const char *start = at;
        status st = run_statement(s, &at, &is_empty);
        if (st) {
            failure_write(&s->stream.out, st, sql, (size_t)(start - sql));
            return;
        }
        has_run |= !is_empty;
        is_empty |= !*at;
    }
    if (!has_run)
        write_empty(&s->stream.out);
}

status simple_query(session *s, wire_reader *reader)
{
    const char *sql = wire_read_text(reader);
    TRY(wire_end(reader, "Query"));
    run_statements(s, sql);
    return wire_status(&s->stream.out);
}
