/* statement.c - splits what was typed into statements and commands. */
#include "cli/shell/statement.h"

#include "sql/text/split.h"

#include <ctype.h>
#include <string.h>

statement_kind statement_next(const char *text, const char **out_start, const char **out_end)
{
    const char *at = text;
    while (at && *at && (isspace((unsigned char)*at) || sql_is_comment(at)))
        at = isspace((unsigned char)*at) ? at + 1 : sql_skip_token(at);
    *out_start = at ? at : text;
    *out_end = *out_start + strlen(*out_start);
    if (!at)
        return STATEMENT_OPEN;
    if (!*at)
        return STATEMENT_NONE;
    if (*at == '.' || *at == '\\') {
        *out_end = at + strcspn(at, "\n");
        return STATEMENT_COMMAND;
    }
    while (at && *at && *at != ';')
        at = sql_skip_token(at);
    if (!at || !*at)
        return STATEMENT_OPEN;
    *out_end = at + 1;
    return STATEMENT_WHOLE;
}

bool statement_is_complete(const char *text)
{
    const char *start;
    statement_kind kind;
    while ((kind = statement_next(text, &start, &text)) == STATEMENT_COMMAND ||
           kind == STATEMENT_WHOLE)
        ;
    return kind == STATEMENT_NONE;
}
