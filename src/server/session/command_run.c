/* command_run.c - see command_run.h. */
#include "server/session/command_run.h"

#include "server/engine.h"
#include "server/protocol/failure.h"
#include "server/session/cursor.h"

#include <stdio.h>

status command_check(const session *s, command_kind kind)
{
    bool ends = kind == COMMAND_COMMIT || kind == COMMAND_ROLLBACK || kind == COMMAND_ROLLBACK_TO;
    if (s->transaction != TRANSACTION_FAILED || ends)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID, "the transaction has failed: nothing is run until its end"),
        "ROLLBACK ends it");
}

void command_write_tag(wire_writer *out, const char *tag)
{
    wire_begin(out, 'C');
    wire_text(out, tag);
    wire_finish(out);
}

/* ---- transactions ---- */

static void begin(session *s)
{
    if (s->transaction != TRANSACTION_NONE)
        failure_write_notice(&s->stream.out, "there is already a transaction in progress");
    else
        definitions_begin(&s->definitions);
    s->transaction = TRANSACTION_OPEN;
}

/* Ends it, with its portals. */
static status end(session *s, bool commits)
{
    commits &= s->transaction == TRANSACTION_OPEN;
    if (s->transaction == TRANSACTION_NONE)
        failure_write_notice(&s->stream.out, "there is no transaction in progress");
    s->transaction = TRANSACTION_NONE;
    portal_remove_all(&s->lists);
    if (commits)
        return definitions_commit(&s->definitions);
    definitions_roll_back(&s->definitions);
    return STATUS_OK;
}

static status run_savepoint(session *s, const command *c)
{
    if (s->transaction == TRANSACTION_NONE)
        return status_new(STATUS_KIND_INVALID, "%s can only be used in transaction blocks", c->tag);
    if (c->kind == COMMAND_SAVEPOINT)
        return definitions_save(&s->definitions, c->text);
    TRY(definitions_release(&s->definitions, c->text, c->kind == COMMAND_ROLLBACK_TO));
    s->transaction = TRANSACTION_OPEN;
    return STATUS_OK;
}

/* ---- names ---- */

#define NAME_BYTES_MAX 1000

/* Drops what PREPARE in SQL has made: of a name, or (name empty) all. */
static status deallocate_in_engine(session *s, const char *name)
{
    char text[2 * NAME_BYTES_MAX + 32] = "DEALLOCATE ALL", *to = text;
    pistachio_result *result = NULL;
    if (strlen(name) > NAME_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID, "the name of a prepared statement is too long");
    if (*name) {
        to += snprintf(to, sizeof text, "DEALLOCATE \"");
        for (; *name; name++) {
            if (*name == '"')
                *to++ = '"';
            *to++ = *name;
        }
        memcpy(to, "\"", 2);
    }
    TRY(api_error_status(pistachio_query(s->connection, text, NULL, &result)));
    pistachio_result_free(result);
    return STATUS_OK;
}

/* Drops a statement that a client or PREPARE has made. */
static status deallocate(session *s, const command *c)
{
    if (*c->text && prepared_find(&s->lists, c->text)) {
        prepared_remove(&s->lists, c->text);
        return STATUS_OK;
    }
    if (!*c->text)
        prepared_remove_all(&s->lists);
    return deallocate_in_engine(s, c->text);
}

static status close_portal(session *s, const command *c)
{
    if (*c->text && !portal_find(&s->lists, c->text))
        return status_new(STATUS_KIND_NOT_FOUND, "cursor \"%s\" does not exist", c->text);
    if (*c->text)
        portal_remove(&s->lists, c->text);
    else
        portal_remove_all(&s->lists);
    return STATUS_OK;
}

/* ---- settings ---- */

/* Sets the engine's settings of the session to the database's, too. */
static status reset_all(session *s)
{
    pistachio_result *result = NULL;
    TRY(pg_settings_reset(&s->settings, &s->stream.out));
    status st = api_error_status(pistachio_query(s->connection, "RESET timezone", NULL, &result));
    pistachio_result_free(result);
    return st;
}

static status discard(session *s)
{
    portal_remove_all(&s->lists);
    prepared_remove_all(&s->lists);
    return reset_all(s);
}

static status run(session *s, const command *c)
{
    switch (c->kind) {
    case COMMAND_BEGIN:
        begin(s);
        return STATUS_OK;
    case COMMAND_COMMIT:
    case COMMAND_ROLLBACK:
        return end(s, c->kind == COMMAND_COMMIT);
    case COMMAND_ROLLBACK_TO:
    case COMMAND_SAVEPOINT:
    case COMMAND_RELEASE:
        return run_savepoint(s, c);
    case COMMAND_DEALLOCATE:
        return deallocate(s, c);
    case COMMAND_DECLARE:
        return cursor_declare(s, c);
    case COMMAND_CLOSE:
        return close_portal(s, c);
    case COMMAND_DISCARD:
        return discard(s);
    case COMMAND_SET:
        return pg_setting_set(&s->settings, c->setting, c->has_default ? NULL : c->text,
                              &s->stream.out);
    case COMMAND_RESET:
        return pg_setting_set(&s->settings, c->setting, NULL, &s->stream.out);
    case COMMAND_RESET_ALL:
        return reset_all(s);
    default:
        return STATUS_OK;
    }
}

/* COMMIT of what has failed undoes it, and says so. */
static const char *tag_of(const session *s, const command *c)
{
    if (c->kind == COMMAND_COMMIT && s->transaction == TRANSACTION_FAILED)
        return "ROLLBACK";
    if (c->kind == COMMAND_CLOSE && !*c->text)
        return "CLOSE CURSOR ALL";
    return c->kind == COMMAND_DEALLOCATE && !*c->text ? "DEALLOCATE ALL" : c->tag;
}

status command_run(session *s, const command *c)
{
    const char *tag = tag_of(s, c);
    TRY(command_check(s, c->kind));
    if (c->kind == COMMAND_MOVE)
        return cursor_move(s, c);
    TRY(run(s, c));
    command_write_tag(&s->stream.out, tag);
    return STATUS_OK;
}

void command_show(const session *s, const command *c, char sql[COMMAND_SHOW_BYTES])
{
    size_t at = (size_t)snprintf(sql, COMMAND_SHOW_BYTES, "SELECT '");
    for (const char *value = pg_setting_get(&s->settings, c->setting); *value; value++) {
        if (*value == '\'')
            sql[at++] = '\'';
        sql[at++] = *value;
    }
    snprintf(sql + at, COMMAND_SHOW_BYTES - at, "' AS \"%s\"", pg_setting_name(c->setting));
}
