/* statement.c - a scan over quotes and comments as PostgreSQL knows them. */
#include "cli/statement.h"

#include <ctype.h>
#include <string.h>

/* Each takes the first byte of what it skips and returns the first byte behind it, or NULL: it has
 * no end yet. */

static const char *skip_quoted(const char *at, bool has_escapes)
{
    char quote = *at++;
    for (; *at; at++) {
        if (has_escapes && *at == '\\' && at[1])
            at++;
        else if (*at == quote && at[1] == quote)
            at++;
        else if (*at == quote)
            return at + 1;
    }
    return NULL;
}

static const char *skip_block_comment(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (at[0] == '/' && at[1] == '*') {
            depth++;
            at++;
        } else if (at[0] == '*' && at[1] == '/') {
            at++;
            if (!--depth)
                return at + 1;
        }
    }
    return NULL;
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* $tag$ ... $tag$, or the dollar alone if it opens no quote. */
static const char *skip_dollar(const char *at)
{
    size_t tag = 1;
    while (is_name_byte(at[tag]))
        tag++;
    if (at[tag] != '$' || isdigit((unsigned char)at[1]))
        return at + 1;
    for (const char *end = at + tag + 1; (end = strchr(end, '$')); end++)
        if (!strncmp(end, at, tag + 1))
            return end + tag + 1;
    return NULL;
}

static bool is_comment(const char *at)
{
    return (at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*');
}

static const char *skip_comment(const char *at)
{
    return *at == '-' ? at + strcspn(at, "\n") : skip_block_comment(at);
}

static const char *skip_token(const char *at)
{
    if (is_comment(at))
        return skip_comment(at);
    if (*at == '\'' || *at == '"')
        return skip_quoted(at, false);
    if ((*at == 'E' || *at == 'e') && at[1] == '\'')
        return skip_quoted(at + 1, true);
    if (*at == '$')
        return skip_dollar(at);
    if (!is_name_byte(*at))
        return at + 1;
    while (is_name_byte(*at) || *at == '$')
        at++;
    return at;
}

statement_kind statement_next(const char *text, const char **out_start, const char **out_end)
{
    const char *at = text;
    while (at && *at && (isspace((unsigned char)*at) || is_comment(at)))
        at = isspace((unsigned char)*at) ? at + 1 : skip_comment(at);
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
        at = skip_token(at);
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
