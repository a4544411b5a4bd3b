/* split.c - where a statement ends: the first semicolon outside of quotes and comments. */
#include "sql/text.h"

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Each takes the first byte of what it skips and returns the first byte behind it. */

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
    return at;
}

static const char *skip_block_comment(const char *at)
{
    int depth = 0;
    do {
        if (at[0] == '/' && at[1] == '*') {
            depth++;
            at += 2;
        } else if (at[0] == '*' && at[1] == '/') {
            depth--;
            at += 2;
        } else {
            at++;
        }
    } while (depth > 0 && *at);
    return at;
}

/* $tag$ ... $tag$, or the dollar alone if it opens no quote. */
static const char *skip_dollar(const char *at)
{
    const char *tag_end = at + 1;
    if (*tag_end >= '0' && *tag_end <= '9')
        return tag_end;
    while (is_name_byte(*tag_end))
        tag_end++;
    if (*tag_end != '$')
        return at + 1;
    size_t tag_bytes = (size_t)(tag_end - at) + 1;
    for (const char *close = tag_end + 1; *close; close++)
        if (*close == '$' && !strncmp(close, at, tag_bytes))
            return close + tag_bytes;
    return tag_end + strlen(tag_end);
}

size_t sql_statement_length(const char *sql, size_t *out_with_end)
{
    const char *at = sql;
    while (*at && *at != ';') {
        if (*at == '\'' || *at == '"') {
            at = skip_quoted(at, false);
        } else if ((*at == 'E' || *at == 'e') && at[1] == '\'') {
            at = skip_quoted(at + 1, true);
        } else if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            at = skip_block_comment(at);
        } else if (*at == '$') {
            at = skip_dollar(at);
        } else if (is_name_byte(*at)) {
            while (is_name_byte(*at) || *at == '$')
                at++;
        } else {
            at++;
        }
    }
    size_t bytes = (size_t)(at - sql);
    *out_with_end = bytes + (*at == ';');
    return bytes;
}
