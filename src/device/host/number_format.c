/* number_format.c - formats of numbers, taken apart. */
#include "device/host/number_format.h"

#include <ctype.h>

typedef struct scan {
    const char *at, *end;
    arena *memory;
    number_format *format;
} scan;

static status number_format_refuse(const char *why)
{
    return status_new(STATUS_KIND_DATA, "the number format %s", why);
}

static status number_format_add(scan *s, number_word_kind kind, char letter)
{
    number_word word = {kind, letter};
    return array_push(s->memory, &s->format->words, word);
}

static bool number_format_is_written(const char *text, const char *word, size_t bytes,
                                     bool is_small)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] != (is_small ? tolower((unsigned char)word[i]) : word[i]))
            return false;
    return true;
}

/* The word in capitals, or in small letters. */
static bool number_format_take(scan *s, const char *word)
{
    size_t bytes = strlen(word);
    if ((size_t)(s->end - s->at) < bytes || (!number_format_is_written(s->at, word, bytes, false) &&
                                             !number_format_is_written(s->at, word, bytes, true)))
        return false;
    s->at += bytes;
    return true;
}

static status number_format_add_digit(scan *s, bool is_zero)
{
    number_format *f = s->format;
    if (f->has_brackets)
        return number_format_refuse("has a digit behind PR");
    if (f->whole + f->fraction + f->shift == NUMBER_DIGITS_MAX)
        return number_format_refuse("has more than 128 digits");
    if (is_zero && !f->has_point && !f->has_zero) {
        f->has_zero = true;
        f->first_zero = f->whole;
    }
    if (f->has_shift && !is_zero)
        f->shift++;
    else if (f->has_point)
        f->fraction++;
    else
        f->whole++;
    if (is_zero)
        f->last_zero = f->whole + f->fraction;
    return number_format_add(s, is_zero ? NUMBER_ZERO : NUMBER_DIGIT, 0);
}

static status add_point(scan *s)
{
    if (s->format->has_point)
        return number_format_refuse("has several decimal points");
    if (s->format->has_shift)
        return number_format_refuse("has both V and a decimal point");
    s->format->has_point = true;
    return number_format_add(s, NUMBER_POINT, 0);
}

static status add_anchored_sign(scan *s)
{
    number_format *f = s->format;
    if (f->has_sign)
        return number_format_refuse("has S twice");
    if (f->has_minus || f->has_plus || f->has_brackets)
        return number_format_refuse("has S and another sign");
    f->has_sign = true;
    f->is_trailing_sign = f->has_point;
    f->before_sign = f->whole;
    return STATUS_OK;
}

static status add_named_sign(scan *s, number_word_kind kind)
{
    if (s->format->has_sign)
        return number_format_refuse("has S and another sign");
    s->format->has_minus |= kind != NUMBER_PLUS;
    s->format->has_plus |= kind != NUMBER_MINUS;
    return number_format_add(s, kind, 0);
}

static status add_shift(scan *s)
{
    if (s->format->has_point)
        return number_format_refuse("has both V and a decimal point");
    s->format->has_shift = true;
    return STATUS_OK;
}

static status add_brackets(scan *s)
{
    const number_format *f = s->format;
    if (f->has_sign || f->has_minus || f->has_plus)
        return number_format_refuse("has PR and another sign");
    s->format->has_brackets = true;
    return STATUS_OK;
}

static status add_scientific(scan *s)
{
    const number_format *f = s->format;
    if (f->is_bare || f->has_sign || f->has_brackets || f->has_minus || f->has_plus ||
        f->is_roman || f->has_shift)
        return number_format_refuse("has EEEE and something else than digits and a point");
    s->format->is_scientific = true;
    return STATUS_OK;
}

static status add_roman(scan *s, char letter)
{
    s->format->is_roman = true;
    return number_format_add(s, NUMBER_ROMAN, letter);
}

static status add_quoted(scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        s->at += *s->at == '\\' && s->at + 1 < s->end;
        TRY(number_format_add(s, NUMBER_TEXT, *s->at));
    }
    s->at += s->at < s->end;
    return STATUS_OK;
}

static status add_plain(scan *s)
{
    s->at += *s->at == '\\' && s->at + 1 < s->end && s->at[1] == '"';
    return number_format_add(s, NUMBER_TEXT, *s->at++);
}

/* TH and RN have small letters or capitals. */
static char letters_of(char first)
{
    return first >= 'a' ? 'a' : 'A';
}

/* Words that are longer than a letter; *out_done: there was one. */
static status next_long_word(scan *s, bool *out_done)
{
    char first = *s->at;
    *out_done = true;
    if (number_format_take(s, "EEEE"))
        return add_scientific(s);
    if (number_format_take(s, "FM")) {
        s->format->is_bare = true;
        return STATUS_OK;
    }
    if (number_format_take(s, "MI"))
        return add_named_sign(s, NUMBER_MINUS);
    if (number_format_take(s, "PL"))
        return add_named_sign(s, NUMBER_PLUS);
    if (number_format_take(s, "SG"))
        return add_named_sign(s, NUMBER_SIGN);
    if (number_format_take(s, "SP"))
        return STATUS_OK; /* spelled out: PostgreSQL knows the word, and does nothing */
    if (number_format_take(s, "PR"))
        return add_brackets(s);
    if (number_format_take(s, "RN"))
        return add_roman(s, letters_of(first));
    if (number_format_take(s, "TH"))
        return number_format_add(s, NUMBER_ORDINAL, letters_of(first));
    *out_done = false;
    return STATUS_OK;
}

static status next_word(scan *s)
{
    bool is_done;
    if (*s->at == '"')
        return add_quoted(s);
    TRY(next_long_word(s, &is_done));
    if (is_done)
        return STATUS_OK;
    char first = *s->at;
    if (!strchr("90.DdBbCc,GgLlSsVv", first))
        return add_plain(s);
    s->at++;
    switch (first) {
    case '9':
    case '0':
        return number_format_add_digit(s, first == '0');
    case '.':
    case 'D':
    case 'd':
        return add_point(s);
    case ',':
    case 'G':
    case 'g':
        return number_format_add(s, NUMBER_GROUP, 0);
    case 'L':
    case 'l':
        return number_format_add(s, NUMBER_CURRENCY, ' ');
    case 'S':
    case 's':
        return add_anchored_sign(s);
    case 'V':
    case 'v':
        return add_shift(s);
    default: /* B, C: known, and nothing */
        return STATUS_OK;
    }
}

status number_format_parse(const char *text, size_t bytes, arena *memory, number_format *out)
{
    scan s = {.at = text, .end = text + bytes, .memory = memory, .format = out};
    *out = (number_format){0};
    while (s.at < s.end) {
        bool is_over = out->is_scientific;
        size_t count = out->words.count;
        TRY(next_word(&s));
        if (is_over && (out->words.count == count || out->words.items[count].kind != NUMBER_TEXT))
            return number_format_refuse("has something behind EEEE");
    }
    return STATUS_OK;
}
