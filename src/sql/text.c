/* text.c - a statement's text, before it is parsed. Parser and binder recurse, so the depth of what they will see is bounded
 * here. */
#include "sql/text.h"

#include "sql/nesting.h"
#include "sql/statement_word.h"

status sql_text_make(arena *a, const char *sql, size_t bytes, sql_text *out)
{
    pg_token *tokens;
    size_t count;
    *out = (sql_text){0};
    if (bytes > INT32_MAX / 4)
        return status_new(STATUS_KIND_UNSUPPORTED, "statement of %zu bytes is too long", bytes);
    TRY(sql_check_utf8(sql, bytes, "statement"));
    out->text = arena_copy_text(a, sql, bytes);
    if (!out->text)
        return status_no_memory("statement", bytes);
    TRY(sql_scan(a, out->text, &tokens, &count));
    TRY(sql_text_parameters(a, out, tokens, count));
    out->is_empty = count == 0;
    if (out->is_empty)
        return STATUS_OK;
    out->start = tokens[0].start;
    TRY(sql_refused_statement(a, out->text, tokens, count, &out->refused));
    return sql_check_nesting(a, tokens, count, &out->union_count);
}
