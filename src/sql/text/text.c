/* text.c - a statement's text, before it is parsed. Parser and binder recurse, so the depth of what they will see is bounded
 * here. */
#include "sql/text/text.h"

#include "sql/text/statement_word.h"
#include "sql/text/text_parameter.h"

/* Puts blanks for comments, and for line ends in them: two strings are one only if a line ends between them outside of
 * a comment. The scanner takes time by the square of how deep comments are nested. */
static void blank_comments(char *text)
{
    for (char *at = text, *end; *at; at = end) {
        end = (char *)sql_skip_token(at);
        if (!end)
            return; /* the parser says what has no end */
        if (sql_is_comment(at))
            memset(at, ' ', (size_t)(end - at));
    }
}

status sql_text_make(arena *a, const char *sql, size_t bytes, sql_text *out)
{
    pg_token *tokens;
    char *parsed;
    size_t count;
    *out = (sql_text){0};
    if (bytes > INT32_MAX / 4)
        return status_new(STATUS_KIND_UNSUPPORTED, "statement of %zu bytes is too long", bytes);
    TRY(sql_check_utf8(sql, bytes, "statement"));
    out->text = arena_copy_text(a, sql, bytes);
    out->parsed = parsed = arena_copy_text(a, sql, bytes);
    if (!out->text || !parsed)
        return status_no_memory("statement", bytes);
    blank_comments(parsed);
    TRY(sql_scan(a, parsed, &tokens, &count));
    TRY(sql_text_parameters(a, out, tokens, count));
    out->is_empty = count == 0;
    if (out->is_empty)
        return STATUS_OK;
    out->start = tokens[0].start;
    TRY(sql_refused_statement(a, out->text, tokens, count, &out->refused));
    return sql_check_nesting(a, tokens, count, &out->nesting);
}
