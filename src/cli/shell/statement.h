/* statement.h - what a text consists of: statements, each to its semicolon, and commands. */
#ifndef PISTACHIO_CLI_SHELL_STATEMENT_H
#define PISTACHIO_CLI_SHELL_STATEMENT_H

#include <stdbool.h>

typedef enum statement_kind {
    STATEMENT_NONE,    /* blanks and comments, to the end of the text */
    STATEMENT_COMMAND, /* a line that begins with a dot or a backslash */
    STATEMENT_WHOLE,   /* SQL with its semicolon */
    STATEMENT_OPEN     /* SQL, or a comment, that the text does not end */
} statement_kind;

/* Finds what comes first in `text`: it begins at *out_start and ends before *out_end, a command before the line
 * break. */
statement_kind statement_next(const char *text, const char **out_start, const char **out_end);
/* Is nothing of the text open? */
bool statement_is_complete(const char *text);

#endif
