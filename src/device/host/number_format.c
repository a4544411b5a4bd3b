/* number_format.c - formats of numbers, taken apart. */
#include "device/host/number_format.h"

#include <strings.h>

typedef struct scan {
    const char *at, *end;
    arena *memory;
    number_format *format;
    bool has_shift, has_s, has_named_sign, is_over; /* V, S, MI PL or SG, EEEE was seen */
} scan;

static status refuse(const char *why)
{
    return status_new(STATUS_KIND_DATA, "the number format %s", why);
}

static status add(scan *s, number_word_kind kind, char letter)
{
    number_word word = {kind, letter};
    return array_push(s->memory, &s->format->words, word);
}

static bool take(scan *s, const char *word)
{
    size_t bytes = strlen(word);
    if ((size_t)(s->end - s->at) < bytes || strncasecmp(s->at, word, bytes) != 0)
        return false;
    s->at += bytes;
    return true;
}

static status add_digit(scan *s, bool is_zero)
{
    number_format *f = s->format;
    if (f->has_brackets)
        return refuse("has a digit behind PR");
    if (f->whole + f->fraction == NUMBER_DIGITS_MAX)
        return refuse("has more than 128 digits");
    if (is_zero && !f->has_point && f->first_zero == NUMBER_DIGITS_MAX)
        f->first_zero = f->whole;
    if (f->has_point)
        f->fraction++;
    else
        f->whole++;
    f->shift += s->has_shift;
    if (is_zero)
        f->last_zero = f->whole + f->fraction;
    return add(s, NUMBER_DIGIT, is_zero ? '0' : '9');
}

static status add_point(scan *s)
{
    if (s->format->has_point)
        return refuse("has several decimal points");
    if (s->has_shift)
        return refuse("has both V and a decimal point");
    s->format->has_point = true;
    return add(s, NUMBER_POINT, '.');
}

static status add_anchored_sign(scan *s)
{
    number_format *f = s->format;
    if (s->has_s)
        return refuse("has S twice");
    if (s->has_named_sign || f->has_brackets)
        return refuse("has S and another sign");
    s->has_s = true;
    f->is_trailing_sign = f->whole + f->fraction > 0;
    f->is_leading_sign = !f->is_trailing_sign;
    return STATUS_OK;
}

static status add_named_sign(scan *s, number_word_kind kind)
{
    if (s->has_s || s->format->has_brackets)
        return refuse("has S or PR and another sign");
    s->has_named_sign = true;
    s->format->has_sign |= kind != NUMBER_PLUS;
    return add(s, kind, 0);
}

static status add_shift(scan *s)
{
    if (s->format->has_point)
        return refuse("has both V and a decimal point");
    s->has_shift = true;
    return STATUS_OK;
}

static status add_brackets(scan *s)
{
    if (s->has_s || s->has_named_sign)
        return refuse("has PR and another sign");
    s->format->has_brackets = true;
    return STATUS_OK;
}

static status add_roman(scan *s, char letter)
{
    if (s->format->is_roman)
        return refuse("has RN twice");
    s->format->is_roman = true;
    return add(s, NUMBER_ROMAN, letter);
}

static status add_quoted(scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        s->at += *s->at == '\\' && s->at + 1 < s->end;
        TRY(add(s, NUMBER_TEXT, *s->at));
    }
    s->at += s->at < s->end;
    return STATUS_OK;
}

/* TH and RN have small letters or capitals, as their first has. */
static char letters_of(char first)
{
    return first >= 'a' ? 'a' : 'A';
}

static status next_word(scan *s)
{
    char first = *s->at;
    if (s->is_over)
        return refuse("has something behind EEEE");
    if (first == '"')
        return add_quoted(s);
    if (take(s, "EEEE")) {
        s->is_over = s->format->is_scientific = true;
        return STATUS_OK;
    }
    if (take(s, "FM")) {
        s->format->is_bare = true;
        return STATUS_OK;
    }
    if (take(s, "MI"))
        return add_named_sign(s, NUMBER_MINUS);
    if (take(s, "PL"))
        return add_named_sign(s, NUMBER_PLUS);
    if (take(s, "SG"))
        return add_named_sign(s, NUMBER_SIGN);
    if (take(s, "PR"))
        return add_brackets(s);
    if (take(s, "RN"))
        return add_roman(s, letters_of(first));
    if (take(s, "TH"))
        return add(s, NUMBER_ORDINAL, letters_of(first));
    s->at++;
    switch (first) {
    case '9':
    case '0':
        return add_digit(s, first == '0');
    case '.':
    case 'D':
    case 'd':
        return add_point(s);
    case ',':
    case 'G':
    case 'g':
        return add(s, NUMBER_GROUP, ',');
    case 'L':
    case 'l':
        return add(s, NUMBER_CURRENCY, ' ');
    case 'S':
    case 's':
        return add_anchored_sign(s);
    case 'V':
    case 'v':
        return add_shift(s);
    default:
        return add(s, NUMBER_TEXT, first);
    }
}

/* Of EEEE digits and a point alone. */
static status check_scientific(const scan *s)
{
    const number_format *f = s->format;
    bool is_plain = !s->has_shift && !s->has_s && !f->has_brackets && !f->is_bare;
    for (size_t i = 0; i < f->words.count && is_plain; i++)
        is_plain = f->words.items[i].kind == NUMBER_DIGIT || f->words.items[i].kind == NUMBER_POINT;
    return is_plain ? STATUS_OK : refuse("has EEEE and something else than digits and a point");
}

status number_format_parse(const char *text, size_t bytes, arena *memory, number_format *out)
{
    scan s = {.at = text, .end = text + bytes, .memory = memory, .format = out};
    *out = (number_format){.first_zero = NUMBER_DIGITS_MAX};
    while (s.at < s.end)
        TRY(next_word(&s));
    if (out->first_zero > out->whole)
        out->first_zero = out->whole;
    return out->is_scientific ? check_scientific(&s) : STATUS_OK;
}
