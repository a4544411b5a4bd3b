/* statement_word.h - statements that are refused, told by their first words. */
#ifndef PISTACHIO_SQL_TEXT_STATEMENT_WORD_H
#define PISTACHIO_SQL_TEXT_STATEMENT_WORD_H

#include "sql/text/parser.h"

/* Returns the words of a statement that is not supported, like "CREATE INDEX", or NULL: it may be one that is. `count` is
 * not 0. */
CHECKED status sql_refused_statement(arena *a, const char *text, const pg_token *tokens,
                                     size_t count, const char **out);

/* A thing that is not supported within statements, and what takes its place (or NULL). */
typedef struct sql_refused_part {
    const char *name, *instead;
    int start; /* in the text */
} sql_refused_part;

/* Finds what PostgreSQL or DuckDB has and the grammar has not, like MATCH_RECOGNIZE (: the last before token `at`, at which it
 * failed, or there. False: there is none. */
bool sql_find_refused_part(const char *text, const pg_token *tokens, size_t count, size_t at,
                           sql_refused_part *out);

#endif
