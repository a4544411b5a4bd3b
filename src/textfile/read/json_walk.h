/* json_walk.h - the fields of an object in one pass, if its names and texts have no escapes.
 *
 * The walk checks all that it passes, also the values that nobody reads. A record of another form, or that is not JSON, is
 * odd: the caller takes back what it made of the record and gives it to yyjson, which reads escapes and says what is wrong.
 * JSON_WALK_PADDING bytes after the record can be read. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_WALK_H
#define PISTACHIO_TEXTFILE_READ_JSON_WALK_H

#include "base/text/utf8.h"
#include "textfile/read/text_parse.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

#define JSON_WALK_PADDING 16

/* Kinds of the values of a record; the bytes of texts are without quotes and escapes. */
typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_NESTED } json_kind;

typedef enum json_step { JSON_STEP_FIELD, JSON_STEP_END, JSON_STEP_ODD } json_step;

typedef struct json_walk {
    const char *at, *end;
    bool is_inside; /* a field comes before */
} json_walk;

typedef struct json_field {
    const char *name;
    size_t name_bytes;
    json_kind kind;
    const char *text;
    size_t bytes;
    bool is_compact; /* nested: no space stands outside of its texts */
} json_field;

/* ---- parts ---- */

ALWAYS_INLINE bool walk_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

ALWAYS_INLINE const char *walk_spaces(const char *at, const char *end)
{
    while (at < end && walk_is_space(*at))
        at++;
    return at;
}

/* Returns the first quote, backslash or control character, or a byte from `end` on. *high: not 0 if a byte before it is not
 * ASCII. */
#if defined __SSE2__
ALWAYS_INLINE const char *walk_text(const char *at, const char *end, uint32_t *high)
{
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (; at < end; at += sizeof quote) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash));
        marks = _mm_or_si128(marks, _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
        uint32_t stops = (uint32_t)_mm_movemask_epi8(marks);
        uint32_t highs = (uint32_t)_mm_movemask_epi8(bytes);
        if (stops) {
            *high |= highs & ((stops & -stops) - 1);
            return at + __builtin_ctz(stops);
        }
        *high |= highs;
    }
    return at;
}
#else
ALWAYS_INLINE const char *walk_text(const char *at, const char *end, uint32_t *high)
{
    for (; at < end && *at != '"' && *at != '\\' && (uint8_t)*at >= ' '; at++)
        *high |= (uint8_t)*at >> 7;
    return at;
}
#endif

/* Returns the closing quote of the text whose bytes begin at `at`; NULL: it is odd. */
ALWAYS_INLINE const char *walk_string(const char *at, const char *end)
{
    uint32_t high = 0;
    const char *close = walk_text(at, end, &high);
    if (close >= end || *close != '"')
        return NULL;
    size_t bytes = (size_t)(close - at);
    return high && utf8_valid_bytes(at, bytes) != bytes ? NULL : close;
}

ALWAYS_INLINE bool walk_is_digit(const char *at, const char *end)
{
    return at < end && (unsigned)(uint8_t)*at - '0' <= 9;
}

ALWAYS_INLINE const char *walk_digits(const char *at, const char *end)
{
    if (!walk_is_digit(at, end))
        return NULL;
    while (walk_is_digit(at, end))
        at++;
    return at;
}

/* Returns the byte after the number that begins at `at`; NULL: it is odd. */
ALWAYS_INLINE const char *walk_number(const char *at, const char *end)
{
    at += *at == '-';
    at = at < end && *at == '0' ? at + 1 : walk_digits(at, end);
    if (at && at < end && *at == '.')
        at = walk_digits(at + 1, end);
    if (at && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = walk_digits(at, end);
    }
    return at;
}

/* Returns the byte after true, false or null; NULL: something else begins at `at`. */
ALWAYS_INLINE const char *walk_word(const char *at, const char *end, json_kind *kind)
{
    size_t bytes = *at == 'f' ? 5 : 4;
    *kind = *at == 'n' ? JSON_NULL : JSON_BOOL;
    if ((size_t)(end - at) < bytes)
        return NULL;
    return !memcmp(at,
                   *at == 'n'   ? "null"
                   : *at == 't' ? "true"
                                : "false",
                   bytes)
               ? at + bytes
               : NULL;
}

/* Returns the byte after the object or array that begins at `at`; NULL: it is odd. */
const char *json_walk_nested(const char *at, const char *end, bool *is_compact);

/* ---- fields ---- */

/* Begins to walk the record, which begins with no space. False: it is not an object. */
ALWAYS_INLINE bool json_walk_begin(json_walk *w, const char *record, size_t bytes)
{
    *w = (json_walk){.at = record + 1, .end = record + bytes};
    return bytes >= 2 && *record == '{';
}

/* Takes the value at `at`; returns the byte after it, or NULL: it is odd. */
ALWAYS_INLINE const char *walk_value(const char *at, const char *end, json_field *f)
{
    const char *after;
    f->text = at;
    switch (*at) {
    case '"':
        f->kind = JSON_TEXT;
        f->text = at + 1;
        after = walk_string(at + 1, end);
        f->bytes = after ? (size_t)(after - f->text) : 0;
        return after ? after + 1 : NULL;
    case '{':
    case '[':
        f->kind = JSON_NESTED;
        after = json_walk_nested(at, end, &f->is_compact);
        break;
    case 't':
    case 'f':
    case 'n':
        after = walk_word(at, end, &f->kind);
        break;
    default:
        f->kind = JSON_NUMBER;
        after = walk_number(at, end);
        break;
    }
    f->bytes = after ? (size_t)(after - at) : 0;
    return after;
}

/* Passes a name and the colon after it; returns the first byte of the value, or NULL: something is odd. */
ALWAYS_INLINE const char *walk_name(const char *at, const char *end, json_field *f)
{
    if (at >= end || *at != '"')
        return NULL;
    f->name = at + 1;
    at = walk_string(f->name, end);
    if (!at)
        return NULL;
    f->name_bytes = (size_t)(at - f->name);
    at = walk_spaces(at + 1, end);
    if (at >= end || *at != ':')
        return NULL;
    at = walk_spaces(at + 1, end);
    return at < end ? at : NULL;
}

ALWAYS_INLINE json_step json_walk_next(json_walk *w, json_field *f)
{
    const char *at = walk_spaces(w->at, w->end);
    if (at >= w->end)
        return JSON_STEP_ODD;
    if (*at == '}')
        return walk_spaces(at + 1, w->end) == w->end ? JSON_STEP_END : JSON_STEP_ODD;
    if (w->is_inside) {
        if (*at != ',')
            return JSON_STEP_ODD;
        at = walk_spaces(at + 1, w->end);
    }
    w->is_inside = true;
    at = walk_name(at, w->end, f);
    w->at = at ? walk_value(at, w->end, f) : NULL;
    return w->at ? JSON_STEP_FIELD : JSON_STEP_ODD;
}

#endif
