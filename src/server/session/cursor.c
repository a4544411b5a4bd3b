/* cursor.c - see cursor.h. */
#include "server/session/cursor.h"

#include "server/engine.h"
#include "server/session/command_run.h"

#include <stdio.h>

static status declare(session *s, const command *c)
{
    portal *made;
    if (s->transaction == TRANSACTION_NONE)
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "DECLARE CURSOR can only be used in transaction blocks"),
                           "BEGIN comes before it");
    if (!*c->text)
        return status_new(STATUS_KIND_INVALID, "a cursor has a name");
    TRY(portal_add(&s->lists, c->text, &made));
    made->rows.limit = s->client->activity.limits.rows;
    status st =
        api_error_status(pistachio_query(s->connection, c->query, NULL, &made->rows.result));
    if (!st && !made->rows.result)
        st = status_new(STATUS_KIND_INVALID, "DECLARE CURSOR has no query");
    made->rows.needs_turn = activity_has_turn(&s->client->activity);
    if (st)
        portal_remove(&s->lists, c->text);
    else
        made->rows.is_done = !made->rows.result->columns.count;
    return st;
}

status cursor_declare(session *s, const command *c)
{
    status st = declare(s, c);
    if (st) /* its place is one in the query */
        s->sql = NULL;
    return st;
}

static status find(session *s, const command *c, rows_formats formats, portal **out)
{
    *out = portal_find(&s->lists, c->text);
    if (!*out || !(*out)->rows.result)
        return status_new(STATUS_KIND_NOT_FOUND, "cursor \"%s\" does not exist", c->text);
    size_t columns = (*out)->rows.result->columns.count;
    if (formats.count > 1 && formats.count != columns)
        return status_new(STATUS_KIND_CORRUPT, "a message Bind has %zu formats for %zu columns",
                          formats.count, columns);
    return STATUS_OK;
}

status cursor_describe(session *s, const command *c, rows_formats formats)
{
    portal *p;
    TRY(find(s, c, formats, &p));
    return rows_describe(&s->stream.out, &p->rows.result->columns, formats);
}

static void write_count(session *s, const char *word, uint64_t rows)
{
    char tag[40];
    snprintf(tag, sizeof tag, "%s %llu", word, (unsigned long long)rows);
    command_write_tag(&s->stream.out, tag);
}

status cursor_fetch(session *s, const command *c, rows_formats formats)
{
    portal *p;
    TRY(find(s, c, formats, &p));
    uint64_t before = p->rows.sent;
    if (p->rows.needs_turn)
        TRY(activity_await_turn(&s->client->activity));
    status st = c->is_all || c->count
                    ? rows_send(&s->stream, &p->rows, formats, c->is_all ? 0 : c->count)
                    : STATUS_OK;
    s->rows = p->rows.sent - before;
    if (st) {
        s->sql = NULL; /* its place is one in DECLARE's query */
        return st;
    }
    write_count(s, "FETCH", s->rows);
    return STATUS_OK;
}

status cursor_move(session *s, const command *c)
{
    portal *p;
    uint64_t moved = 0;
    TRY(find(s, c, (rows_formats){0}, &p));
    if (p->rows.needs_turn)
        TRY(activity_await_turn(&s->client->activity));
    status st =
        c->is_all || c->count ? rows_skip(&p->rows, c->is_all ? 0 : c->count, &moved) : STATUS_OK;
    if (st) {
        s->sql = NULL; /* its place is one in DECLARE's query */
        return st;
    }
    write_count(s, "MOVE", moved);
    return STATUS_OK;
}
