/* split.c - where a statement ends: the first semicolon outside of quotes and comments, as PostgreSQL
 * knows them. */
#include "sql/text/split.h"

#include "base/text/utf8.h"

#include <string.h>

/* Each takes the first byte of what it skips and returns the first byte behind it, or NULL: it has
 * no end yet. */

static const char *split_skip_quoted(const char *at, bool has_escapes)
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

static bool split_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool split_is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || split_is_digit(c) || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* $tag$ ... $tag$, or the dollar alone if it opens no quote. */
static const char *skip_dollar(const char *at)
{
    size_t tag = 1;
    while (split_is_name_byte(at[tag]))
        tag++;
    if (at[tag] != '$' || split_is_digit(at[1]))
        return at + 1;
    for (const char *end = at + tag + 1; (end = strchr(end, '$')); end++)
        if (!strncmp(end, at, tag + 1))
            return end + tag + 1;
    return NULL;
}

bool sql_is_comment(const char *at)
{
    return (at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*');
}

static const char *skip_comment(const char *at)
{
    return *at == '-' ? at + strcspn(at, "\r\n") : skip_block_comment(at);
}

const char *sql_skip_token(const char *at)
{
    if (sql_is_comment(at))
        return skip_comment(at);
    if (*at == '\'' || *at == '"')
        return split_skip_quoted(at, false);
    if ((*at == 'E' || *at == 'e') && at[1] == '\'')
        return split_skip_quoted(at + 1, true);
    if (*at == '$')
        return skip_dollar(at);
    if (!split_is_name_byte(*at))
        return at + 1;
    while (split_is_name_byte(*at) || *at == '$')
        at++;
    return at;
}

size_t sql_statement_length(const char *sql, size_t *out_with_end)
{
    const char *at = sql;
    while (at && *at && *at != ';')
        at = sql_skip_token(at);
    size_t bytes = at ? (size_t)(at - sql) : strlen(sql);
    *out_with_end = bytes + (at && *at == ';');
    return bytes;
}

status sql_check_utf8(const char *sql, size_t bytes, const char *what)
{
    uint64_t valid = utf8_valid_bytes(sql, bytes);
    if (valid == bytes)
        return STATUS_OK;
    return status_at(status_new(STATUS_KIND_INVALID, "%s is not valid UTF-8", what),
                     (int64_t)valid);
}
