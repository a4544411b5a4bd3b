/* statement_word.h - statements that are refused, told by their first words. */
#ifndef PISTACHIO_SQL_TEXT_STATEMENT_WORD_H
#define PISTACHIO_SQL_TEXT_STATEMENT_WORD_H

#include "sql/text/parser.h"

/* Returns the words of a statement that is not supported, like "CREATE INDEX", or NULL: it may be one that is. `count` is
 * not 0. */
CHECKED status sql_refused_statement(arena *a, const char *text, const pg_token *tokens,
                                     size_t count, const char **out);

#endif
