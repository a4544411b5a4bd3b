/* json_index.c - records by line ends, or by the depth of brackets outside of strings. */
#include "textfile/read/json_index.h"

#include "base/cancel.h"
#include "base/text/text_scan.h"

static status add_record(csv_index *x, size_t begin, size_t end)
{
    TRY(array_push(NULL, &x->begins, (uint32_t)begin));
    TRY(array_push(NULL, &x->ends, (uint32_t)end));
    x->record_count++;
    return STATUS_OK;
}

static status index_lines(const char *text, size_t bytes, bool is_last, csv_index *out)
{
    size_t at = 0;
    for (size_t line = 0; at < bytes; line++) {
        const char *feed = memchr(text + at, '\n', bytes - at);
        size_t end = feed ? (size_t)(feed - text) : bytes, begin = at;
        if (cancel_look(line))
            TRY(cancel_check());
        if (!feed && !is_last)
            break;
        while (begin < end && scan_is_space(text[begin]))
            begin++;
        if (begin < end)
            TRY(add_record(out, begin, end));
        at = feed ? end + 1 : end;
    }
    out->used = at;
    return STATUS_OK;
}

/* The place behind a string that begins at `at`; `bytes` if it does not end. */
static size_t skip_string(const char *text, size_t at, size_t bytes)
{
    for (at++; at < bytes; at++) {
        if (text[at] == '\\')
            at++;
        else if (text[at] == '"')
            return at + 1;
    }
    return bytes;
}

/* Returns whether a byte may stand between records; ] ends the array that they are in. */
static bool json_index_is_between(char c)
{
    return scan_is_space(c) || c == ',' || c == ']';
}

/* Passes the bracket of the array that the file's records are in. *out_is_blank: there are only spaces. */
static size_t skip_bracket(const char *text, size_t bytes, bool *out_is_blank)
{
    size_t at = 0;
    while (at < bytes && scan_is_space(text[at]))
        at++;
    *out_is_blank = at == bytes;
    return at < bytes && text[at] == '[' ? at + 1 : 0;
}

/* The place behind the value that begins at `at`; false: it does not end within the text, as far as one can tell. */
static bool json_index_skip_value(const char *text, size_t bytes, size_t *at)
{
    size_t depth = 0, i = *at;
    do {
        char c = text[i];
        if (c == '"') {
            size_t end = skip_string(text, i, bytes);
            if (end == bytes && (text[bytes - 1] != '"' || end == i + 1))
                return false;
            i = end;
        } else {
            depth += c == '{' || c == '[';
            depth -= depth && (c == '}' || c == ']');
            i++;
        }
        bool is_plain = !depth && c != '"' && c != '}' && c != ']';
        while (is_plain && i < bytes && !json_index_is_between(text[i]) && text[i] != '}' &&
               text[i] != '[')
            i++;
        if (is_plain && i == bytes)
            return false;
    } while (depth && i < bytes);
    *at = i;
    return !depth;
}

static status index_values(const char *text, size_t bytes, json_form form, csv_index *out)
{
    bool is_blank = false;
    size_t at = form.is_first ? skip_bracket(text, bytes, &is_blank) : 0;
    out->used = 0;
    if (is_blank && !form.is_last)
        return STATUS_OK;
    for (size_t count = 0;; count++) {
        if (cancel_look(count))
            TRY(cancel_check());
        while (at < bytes && json_index_is_between(text[at]))
            at++;
        size_t begin = at;
        if (at == bytes)
            break;
        if (!json_index_skip_value(text, bytes, &at)) {
            at = form.is_last ? bytes : begin;
            if (form.is_last)
                TRY(add_record(out, begin, bytes));
            break;
        }
        TRY(add_record(out, begin, at));
    }
    out->used = at;
    return STATUS_OK;
}

status json_index_make(json_form form, const char *text, size_t bytes, csv_index *out)
{
    out->begins.count = out->ends.count = out->record_count = 0;
    out->is_open = out->is_odd = false;
    return form.are_lines ? index_lines(text, bytes, form.is_last, out)
                          : index_values(text, bytes, form, out);
}
