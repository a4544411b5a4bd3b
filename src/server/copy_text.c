/* copy_text.c - see copy_text.h. */
#include "server/copy_text.h"

#include "server/engine.h"

#define NULL_TEXT "\\N"

static bool is_csv(const copy_text *t)
{
    return t->copy->style.format == ROW_CSV;
}

static char delimiter(const copy_text *t)
{
    return is_csv(t) ? t->copy->style.delimiter : '\t';
}

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
    if (c == '"' || c == '\\')
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

static bool is_null(const copy_text *t)
{
    const char *null = is_csv(t) ? t->copy->style.null_text : NULL_TEXT;
    size_t bytes = strlen(null);
    return !t->was_quoted && t->field.count == bytes &&
           (!bytes || !memcmp(t->field.items, null, bytes));
}

/* Ends a field. The first line may be a head, of which nothing is written. */
static status end_field(copy_text *t)
{
    bool is_head = t->line == 1 && t->copy->style.has_header;
    TRY(array_reserve(NULL, &t->out, 2 * t->field.count + 8));
    if (++t->column > t->columns && !is_head)
        return wrong_line(t, "has more fields than there are columns");
    if (!is_head) {
        if (t->column > 1)
            put(t, ',');
        if (is_null(t)) {
            put(t, '\\'), put(t, 'N');
        } else {
            put(t, '"');
            if (is_csv(t))
                for (size_t i = 0; i < t->field.count; i++)
                    copy_text_put_value(t, t->field.items[i]);
            else
                put_unescaped(t);
            put(t, '"');
        }
    }
    t->field.count = 0;
    t->was_quoted = false;
    return STATUS_OK;
}

static bool is_end_mark(const copy_text *t)
{
    return !t->column && !t->was_quoted && t->field.count == 2 && !memcmp(t->field.items, "\\.", 2);
}

static status end_line(copy_text *t)
{
    bool is_head = t->line == 1 && t->copy->style.has_header;
    if (t->field.count && t->field.items[t->field.count - 1] == '\r')
        t->field.count--;
    t->is_ended = is_end_mark(t);
    if (t->is_ended)
        return STATUS_OK;
    TRY(end_field(t));
    if (t->column < t->columns && !is_head)
        return wrong_line(t, "has fewer fields than there are columns");
    if (!is_head)
        put(t, '\n');
    t->column = 0;
    t->line++;
    return STATUS_OK;
}

/* ---- reading ---- */

static status add_to_field(copy_text *t, char c)
{
    if (t->field.count == COPY_FIELD_BYTES_MAX)
        return wrong_line(t, "has a field of more than 256 MiB");
    return array_push(NULL, &t->field, c);
}

static status add_text(copy_text *t, char c)
{
    bool is_escaped = t->is_escaped;
    t->is_escaped = !is_escaped && c == '\\';
    if (!is_escaped && c == '\n')
        return end_line(t);
    return !is_escaped && c == delimiter(t) ? end_field(t) : add_to_field(t, c);
}

/* A quote in quotes ends them, and a second one after it is one of the value's. */
static status add_csv(copy_text *t, char c)
{
    if (c == '"') {
        bool is_doubled = !t->is_in_quotes && t->was_quoted && t->is_escaped;
        t->is_in_quotes = !t->is_in_quotes;
        t->was_quoted = true;
        t->is_escaped = !t->is_in_quotes; /* it was the last byte */
        return is_doubled ? add_to_field(t, c) : STATUS_OK;
    }
    t->is_escaped = false;
    if (t->is_in_quotes)
        return add_to_field(t, c);
    if (c == '\n')
        return end_line(t);
    return c == delimiter(t) ? end_field(t) : add_to_field(t, c);
}

status copy_text_add(copy_text *t, const char *bytes, size_t count)
{
    t->line += !t->line;
    for (size_t i = 0; i < count && !t->is_ended; i++) {
        if (!bytes[i])
            return wrong_line(t, "has a byte 0");
        TRY(is_csv(t) ? add_csv(t, bytes[i]) : add_text(t, bytes[i]));
    }
    return STATUS_OK;
}

status copy_text_end(copy_text *t)
{
    if (t->is_in_quotes)
        return wrong_line(t, "ends within quotes");
    bool has_row = t->field.count || t->column || t->was_quoted;
    return t->is_ended || !has_row ? STATUS_OK : end_line(t);
}

void copy_text_release(copy_text *t)
{
    array_release(&t->field);
    array_release(&t->out);
}
