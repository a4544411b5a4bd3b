/* command.h - statements that are the session's, not the engine's: transactions, PostgreSQL's settings, cursors' ends.
 *
 * They are told by their first words, as they have no expressions. A transaction covers the definitions that sessions share
 * (definitions.h). After a failure nothing but its end is taken. */
#ifndef PISTACHIO_SERVER_SESSION_COMMAND_H
#define PISTACHIO_SERVER_SESSION_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum command_kind {
    COMMAND_NONE, /* the engine's */
    COMMAND_BEGIN,
    COMMAND_COMMIT,
    COMMAND_ROLLBACK,
    COMMAND_ROLLBACK_TO,
    COMMAND_SAVEPOINT,
    COMMAND_RELEASE,
    COMMAND_DEALLOCATE,
    COMMAND_CLOSE,
    COMMAND_DECLARE, /* a cursor */
    COMMAND_FETCH,
    COMMAND_MOVE,
    COMMAND_DISCARD,
    COMMAND_NOTHING, /* has no effect here */
    COMMAND_SET,
    COMMAND_RESET,
    COMMAND_RESET_ALL,
    COMMAND_SHOW
} command_kind;

#define COMMAND_TEXT_BYTES 256

typedef struct command {
    command_kind kind;
    const char *tag;
    const char *query; /* DECLARE: in the statement's text */
    uint32_t count;    /* FETCH, MOVE: rows, unless */
    bool is_all;
    int setting;                   /* SET, RESET, SHOW: pg_setting.h's number */
    bool has_default;              /* SET ... TO DEFAULT */
    char text[COMMAND_TEXT_BYTES]; /* the value; a statement's or cursor's name, "" for all */
} command;

/* Reads the first statement of sql; *out_rest is set after it if it is the session's. Fails where a value is too long. */
CHECKED status command_read(const char *sql, command *out, const char **out_rest);

#endif
