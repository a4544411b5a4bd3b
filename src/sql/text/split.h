/* split.h - where tokens and statements end, and whether a text is UTF-8, for callers without a parser: the shell,
 * clients. */
#ifndef PISTACHIO_SQL_TEXT_SPLIT_H
#define PISTACHIO_SQL_TEXT_SPLIT_H

#include "base/status.h"

#include <stdbool.h>

/* Whether a comment begins here. */
bool sql_is_comment(const char *at);
/* Returns the end of the quoted text, name, comment or single character that begins at `at` (not a zero byte). NULL:
 * a quoted text or comment has no end. */
const char *sql_skip_token(const char *at);
/* Length of the first statement, and of what is behind it up to and with its semicolon. */
size_t sql_statement_length(const char *sql, size_t *out_with_end);

/* INVALID, with the place, where the bytes are not UTF-8; `what` they are, for the message. */
CHECKED status sql_check_utf8(const char *text, size_t bytes, const char *what);

#endif
