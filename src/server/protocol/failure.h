/* failure.h - failures as clients of PostgreSQL get them: SQLSTATE, message, position, hint. */
#ifndef PISTACHIO_SERVER_PROTOCOL_FAILURE_H
#define PISTACHIO_SERVER_PROTOCOL_FAILURE_H

#include "server/protocol/wire.h"

/* SQLSTATEs that the server itself says. */
#define SQLSTATE_PROTOCOL "08P01"
#define SQLSTATE_FEATURE "0A000"
#define SQLSTATE_PASSWORD "28P01"
#define SQLSTATE_AUTHORIZATION "28000"
#define SQLSTATE_PRIVILEGE "42501"
#define SQLSTATE_TOO_MANY "53300"
#define SQLSTATE_SHUTDOWN "57P01"

/* Counts the characters of so many bytes of UTF-8. */
size_t failure_characters(const char *text, size_t bytes);
/* Returns the SQLSTATE, five letters, of a failure of the engine's. */
const char *failure_state(status st);
/* Writes an ErrorResponse and frees st. sql: the text in which its position lies, `start` bytes after its beginning; or
 * NULL. */
void failure_write(wire_writer *out, status st, const char *sql, size_t start);
/* Writes one of the server's own; severity: "ERROR", the client may go on, or "FATAL". */
void failure_write_own(wire_writer *out, const char *severity, const char *state,
                       const char *message, const char *hint);
/* Writes a NoticeResponse. */
void failure_write_notice(wire_writer *out, const char *message);

#endif
