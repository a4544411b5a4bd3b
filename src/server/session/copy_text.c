/* copy_text.c - see copy_text.h. */
#include "server/session/copy_text.h"

#include "server/engine.h"

static status wrong_line(const copy_text *t, const char *what)
{
    return status_new(STATUS_KIND_DATA, "the line %llu of what is copied %s",
                      (unsigned long long)t->line, what);
}

/* ---- writing ---- */

static void put(copy_text *t, char c)
{
    t->out.items[t->out.count++] = c;
}

static void copy_text_put_value(copy_text *t, char c)
{
    if (!t->is_plain && (c == '"' || c == '\\'))
        put(t, '\\');
    put(t, c);
}

static int digit_of(char c, int base)
{
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    return digit < base ? digit : -1;
}

/* Reads up to `most` digits at *at; the number, or -1. */
static int read_code(const char **at, const char *end, int base, int most)
{
    int number = -1;
    for (int i = 0; i < most && *at < end && digit_of(**at, base) >= 0; i++, ++*at)
        number = (number < 0 ? 0 : number) * base + digit_of(**at, base);
    return number;
}

/* Returns what stands after a \ at *at, which is set after it. */
static char copy_text_read_escape(const char **at, const char *end)
{
    static const char letters[] = "bfnrtv", values[] = "\b\f\n\r\t\v";
    const char *start = *at, *found = strchr(letters, *start);
    int code = *start == 'x' ? (++*at, read_code(at, end, 16, 2)) : read_code(at, end, 8, 3);
    if (code >= 0)
        return (char)code;
    *at = start + 1;
    return found && *found ? values[found - letters] : *start;
}

static void put_unescaped(copy_text *t)
{
    const char *at = t->field.items, *end = at + t->field.count;
    while (at < end) {
        char c = *at++;
        copy_text_put_value(t, c == '\\' && at < end ? copy_text_read_escape(&at, end) : c);
    }
}

static void put_field(copy_text *t)
{
    if (!t->style->is_csv)
        put_unescaped(t);
    for (size_t i = 0; t->style->is_csv && i < t->field.count; i++)
        copy_text_put_value(t, t->field.items[i]);
}

/* Returns whether the field of the column is NULL. */
static bool is_null_text(const copy_text *t, const char *name)
{
    const sql_copy_text *style = t->style;
    size_t bytes = strlen(style->null_text);
    bool may_be = t->was_quoted ? sql_copy_has_name(&style->force_null, name)
                                : !sql_copy_has_name(&style->force_not_null, name);
    return may_be && t->field.count == bytes &&
           (!bytes || !memcmp(t->field.items, style->null_text, bytes));
}

static bool is_head(const copy_text *t)
{
    return t->line == 1 && t->style->has_header;
}

/* Looks whether the head has the column's name, if it has to. */
static status end_head_field(copy_text *t)
{
    size_t begin = t->out.count;
    if (!t->style->matches_header)
        return STATUS_OK;
    if (t->column > t->columns)
        return wrong_line(t, "has more names than there are columns");
    t->is_plain = true;
    put_field(t);
    t->is_plain = false;
    const char *name = t->said[t->column - 1].name;
    size_t bytes = t->out.count - begin;
    bool is_same = strlen(name) == bytes && !memcmp(t->out.items + begin, name, bytes);
    t->out.count = begin;
    return is_same ? STATUS_OK
                   : status_new(STATUS_KIND_DATA,
                                "the line 1 of what is copied does not have the name \"%s\" at "
                                "its place %u",
                                name, (unsigned)t->column);
}

static void put_row_field(copy_text *t)
{
    if (t->column > 1)
        put(t, ',');
    if (is_null_text(t, t->said[t->column - 1].name)) {
        put(t, '\\'), put(t, 'N');
        return;
    }
    put(t, '"');
    put_field(t);
    put(t, '"');
}

/* Ends a field. The first line may be a head, of which nothing is written. */
static status end_field(copy_text *t)
{
    TRY(array_reserve(NULL, &t->out, 2 * t->field.count + 8));
    t->column++;
    if (is_head(t))
        TRY(end_head_field(t));
    else if (t->column > t->columns)
        return wrong_line(t, "has more fields than there are columns");
    else
        put_row_field(t);
    t->field.count = 0;
    t->was_quoted = t->has_return = false;
    return STATUS_OK;
}

static bool is_end_mark(const copy_text *t)
{
    return !t->column && !t->was_quoted && t->field.count == 2 && !memcmp(t->field.items, "\\.", 2);
}

static status end_line(copy_text *t)
{
    bool was_head = is_head(t);
    t->field.count -= t->has_return;
    t->is_ended = is_end_mark(t);
    if (t->is_ended)
        return STATUS_OK;
    TRY(end_field(t));
    if (t->column < t->columns && (!was_head || t->style->matches_header))
        return wrong_line(t, was_head ? "has fewer names than there are columns"
                                      : "has fewer fields than there are columns");
    if (!was_head)
        put(t, '\n');
    t->has_rows |= !was_head;
    t->column = 0;
    t->line++;
    return STATUS_OK;
}

/* ---- reading ---- */

static status add_to_field(copy_text *t, char c)
{
    if (t->field.count == COPY_FIELD_BYTES_MAX)
        return wrong_line(t, "has a field of more than 256 MiB");
    t->has_return = false;
    return array_push(NULL, &t->field, c);
}

/* Takes a byte that is in no quotes and has no \ before it. */
static status add_bare(copy_text *t, char c)
{
    if (c == '\n')
        return end_line(t);
    if (c == t->style->delimiter)
        return end_field(t);
    TRY(add_to_field(t, c));
    t->has_return = c == '\r';
    return STATUS_OK;
}

static status add_text(copy_text *t, char c)
{
    bool is_escaped = t->is_escaped;
    t->is_escaped = !is_escaped && c == '\\';
    return is_escaped ? add_to_field(t, c) : add_bare(t, c);
}

/* Takes the byte after an escape in quotes, which stands before a quote or an escape; else for itself, or where it is the
 * quote it was the last one. */
static status add_after_escape(copy_text *t, char c)
{
    const sql_copy_text *style = t->style;
    t->is_escaped = false;
    if (c == style->quote || c == style->escape)
        return add_to_field(t, c);
    t->is_in_quotes = style->escape != style->quote;
    if (!t->is_in_quotes)
        return add_bare(t, c);
    TRY(add_to_field(t, style->escape));
    return add_to_field(t, c);
}

static status add_csv(copy_text *t, char c)
{
    const sql_copy_text *style = t->style;
    if (t->is_escaped)
        return add_after_escape(t, c);
    if (t->is_in_quotes && c == style->escape) {
        t->is_escaped = true;
        return STATUS_OK;
    }
    if (c == style->quote) {
        t->is_in_quotes = !t->is_in_quotes;
        t->was_quoted = true;
        t->has_return = false;
        return STATUS_OK;
    }
    return t->is_in_quotes ? add_to_field(t, c) : add_bare(t, c);
}

status copy_text_add(copy_text *t, const char *bytes, size_t count)
{
    t->line += !t->line;
    for (size_t i = 0; i < count && !t->is_ended; i++) {
        if (!bytes[i])
            return wrong_line(t, "has a byte 0");
        TRY(t->style->is_csv ? add_csv(t, bytes[i]) : add_text(t, bytes[i]));
    }
    return STATUS_OK;
}

status copy_text_end(copy_text *t)
{
    bool was_last_quote = t->is_escaped && t->style->escape == t->style->quote;
    if (t->is_in_quotes && !was_last_quote)
        return wrong_line(t, "ends within quotes");
    bool has_row = t->field.count || t->column || t->was_quoted;
    return t->is_ended || !has_row ? STATUS_OK : end_line(t);
}

void copy_text_release(copy_text *t)
{
    array_release(&t->field);
    array_release(&t->out);
}
