/* json_text.c - escaping, span by span; JSON that is written as it is. */
#include "base/row/json_text.h"

#include "base/text/text_scan.h"

static void write_escape(unsigned char c, text_out *out)
{
    char escape[8] = {'\\', (char)c};
    size_t bytes = 2;
    if (c == '\n')
        escape[1] = 'n';
    else if (c == '\t')
        escape[1] = 't';
    else if (c != '"' && c != '\\')
        bytes = (size_t)snprintf(escape, sizeof escape, "\\u%04x", c);
    text_out_add(out, escape, bytes);
}

void json_write_text(const char *text, size_t bytes, text_out *out)
{
    size_t done = 0;
    text_out_char(out, '"');
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        text_out_add(out, text + done, i - done);
        write_escape(c, out);
        done = i + 1;
    }
    text_out_add(out, text + done, bytes - done);
    text_out_char(out, '"');
}

/* ---- texts that are JSON ---- */

#define RAW_DEPTH_MAX 1024

/* Passes JSON, token by token. */
typedef struct raw_check {
    text_scan s;
    unsigned depth;
    uint64_t objects[RAW_DEPTH_MAX / 64]; /* by depth: whether the bracket is an object's */
} raw_check;

static void raw_spaces(raw_check *c)
{
    while (!scan_done(&c->s) && strchr(" \t\n\r", *c->s.at) && *c->s.at)
        c->s.at++;
}

static bool raw_escape(text_scan *s)
{
    if (scan_done(s))
        return false;
    char c = *s->at++;
    if (c != 'u')
        return c && strchr("\"\\/bfnrt", c);
    for (int i = 0; i < 4; i++, s->at++)
        if (scan_done(s) || !*s->at || !strchr("0123456789abcdefABCDEF", *s->at))
            return false;
    return true;
}

static bool raw_string(text_scan *s)
{
    if (!scan_char(s, '"'))
        return false;
    while (!scan_done(s)) {
        unsigned char c = (unsigned char)*s->at++;
        if (c == '"')
            return true;
        if (c < 0x20 || (c == '\\' && !raw_escape(s)))
            return false;
    }
    return false;
}

static bool raw_digits(text_scan *s)
{
    const char *first = s->at;
    while (!scan_done(s) && scan_is_digit(*s->at))
        s->at++;
    return s->at > first;
}

static bool raw_number(text_scan *s)
{
    scan_char(s, '-');
    if (!scan_char(s, '0') && !raw_digits(s))
        return false;
    if (scan_char(s, '.') && !raw_digits(s))
        return false;
    if (!scan_char(s, 'e') && !scan_char(s, 'E'))
        return true;
    if (!scan_char(s, '-'))
        scan_char(s, '+');
    return raw_digits(s);
}

static bool raw_scalar(text_scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (unsigned i = 0; i < 3; i++) {
        size_t bytes = strlen(words[i]);
        if ((size_t)(s->end - s->at) >= bytes && !memcmp(s->at, words[i], bytes)) {
            s->at += bytes;
            return true;
        }
    }
    return !scan_done(s) && *s->at == '"' ? raw_string(s) : raw_number(s);
}

static bool raw_is_object(const raw_check *c)
{
    unsigned level = c->depth - 1;
    return c->objects[level / 64] >> level % 64 & 1;
}

/* Passes an object's name and its colon. */
static bool raw_name(raw_check *c)
{
    raw_spaces(c);
    if (!raw_string(&c->s))
        return false;
    raw_spaces(c);
    return scan_char(&c->s, ':');
}

/* Enters a bracket, up to its first value; *is_empty: it has none, and was passed. */
static bool raw_enter(raw_check *c, bool *is_empty)
{
    bool is_object = *c->s.at++ == '{';
    uint64_t bit = UINT64_C(1) << c->depth % 64;
    if (c->depth == RAW_DEPTH_MAX)
        return false;
    uint64_t *word = &c->objects[c->depth++ / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    raw_spaces(c);
    *is_empty = scan_char(&c->s, is_object ? '}' : ']');
    c->depth -= *is_empty;
    return *is_empty || !is_object || raw_name(c);
}

/* Passes what follows a value, up to the next one or the end. */
static bool raw_after(raw_check *c)
{
    while (c->depth) {
        raw_spaces(c);
        if (scan_char(&c->s, ','))
            return !raw_is_object(c) || raw_name(c);
        if (!scan_char(&c->s, raw_is_object(c) ? '}' : ']'))
            return false;
        c->depth--;
    }
    return true;
}

static bool raw_is_json(const char *text, size_t bytes)
{
    raw_check c = {.s = {text, text + bytes}};
    do {
        bool is_empty = true;
        raw_spaces(&c);
        bool is_bracket = !scan_done(&c.s) && (*c.s.at == '{' || *c.s.at == '[');
        if (!(is_bracket ? raw_enter(&c, &is_empty) : raw_scalar(&c.s)))
            return false;
        if (is_empty && !raw_after(&c))
            return false;
    } while (c.depth);
    raw_spaces(&c);
    return scan_done(&c.s);
}

bool json_write_raw(const char *text, size_t bytes, text_out *out)
{
    if (!raw_is_json(text, bytes))
        return false;
    bool is_quoted = false;
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        if (is_quoted && c == '\\')
            i++;
        else if (c == '"')
            is_quoted = !is_quoted;
        if (is_quoted || !strchr(" \t\n\r", c) || !c)
            continue;
        text_out_add(out, text + done, i - done);
        done = i + 1;
    }
    text_out_add(out, text + done, bytes - done);
    return true;
}
