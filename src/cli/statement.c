/* statement.c - a scan over quotes and comments as PostgreSQL knows them. */
#include "cli/statement.h"

#include <ctype.h>
#include <string.h>

/* Behind the quoted text, comment or dollar quote that begins here; NULL: it has no end yet; `at`
 * itself: none begins here. */
static const char *skip_quoted(const char *at)
{
    if (*at == '\'' || *at == '"') {
        const char *end = strchr(at + 1, *at);
        return end ? end + 1 : NULL; /* a doubled quote begins another one */
    }
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
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
    if (*at == '$') {
        size_t tag = 1;
        while (isalnum((unsigned char)at[tag]) || at[tag] == '_')
            tag++;
        if (at[tag] != '$' || isdigit((unsigned char)at[1]))
            return at;
        for (const char *end = at + tag + 1; (end = strchr(end, '$')); end++)
            if (!strncmp(end, at, tag + 1))
                return end + tag + 1;
        return NULL;
    }
    return at;
}

bool statement_is_complete(const char *text)
{
    bool is_ended = false;
    while (*text) {
        bool is_comment = (text[0] == '-' && text[1] == '-') || (text[0] == '/' && text[1] == '*');
        const char *next = skip_quoted(text);
        if (!next)
            return false;
        if (next != text) {
            is_ended = is_ended && is_comment;
            text = next;
            continue;
        }
        if (!isspace((unsigned char)*text))
            is_ended = *text == ';';
        text++;
    }
    return is_ended;
}

bool statement_is_empty(const char *text)
{
    while (*text) {
        bool is_comment = (text[0] == '-' && text[1] == '-') || (text[0] == '/' && text[1] == '*');
        const char *next = is_comment ? skip_quoted(text) : text;
        if (!next)
            return true;
        if (next == text && !isspace((unsigned char)*text))
            return false;
        text = next == text ? text + 1 : next;
    }
    return true;
}
