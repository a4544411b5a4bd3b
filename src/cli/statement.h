/* statement.h - where a statement that is being typed ends. */
#ifndef PISTACHIO_CLI_STATEMENT_H
#define PISTACHIO_CLI_STATEMENT_H

#include <stdbool.h>

/* The text ends a statement: its last character that counts is a semicolon outside quotes, dollar
 * quotes and comments. */
bool statement_is_complete(const char *text);
/* Nothing but space and comments. */
bool statement_is_empty(const char *text);

#endif
