/* text_scan.h - a cursor over text, for the parsers in this folder, on every device.
 *
 * Each step either matches and moves on, or leaves the cursor where it is and says false. */
#ifndef PISTACHIO_BASE_TEXT_TEXT_SCAN_H
#define PISTACHIO_BASE_TEXT_TEXT_SCAN_H

#include "base/type/portable.h"

typedef struct text_scan {
    const char *at, *end;
} text_scan;

PORTABLE bool scan_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

PORTABLE bool scan_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

PORTABLE bool scan_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The text without the spaces around it. */
PORTABLE text_scan scan_trimmed(const char *text, size_t bytes)
{
    text_scan s = {text, text + bytes};
    while (s.at < s.end && scan_is_space(*s.at))
        s.at++;
    while (s.at < s.end && scan_is_space(s.end[-1]))
        s.end--;
    return s;
}

PORTABLE bool scan_done(const text_scan *s)
{
    return s->at == s->end;
}

PORTABLE void scan_spaces(text_scan *s)
{
    while (s->at < s->end && scan_is_space(*s->at))
        s->at++;
}

PORTABLE bool scan_char(text_scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* '+' or '-', if there is one. */
PORTABLE bool scan_sign(text_scan *s, bool *out_negative)
{
    *out_negative = false;
    if (scan_char(s, '+'))
        return true;
    *out_negative = scan_char(s, '-');
    return *out_negative;
}

/* `word` (lower case) in any case, not followed by another letter. */
PORTABLE bool scan_word(text_scan *s, const char *word)
{
    const char *at = s->at;
    for (; *word; word++, at++)
        if (at == s->end || (*at | 0x20) != *word)
            return false;
    if (at < s->end && scan_is_letter(*at))
        return false;
    s->at = at;
    return true;
}

/* From `least` to `most` digits (most <= 18), all that are there. */
PORTABLE bool scan_digits(text_scan *s, int least, int most, int64_t *out)
{
    int64_t number = 0;
    const char *at = s->at;
    for (; at < s->end && scan_is_digit(*at); at++) {
        if (at - s->at == most)
            return false;
        number = number * 10 + (*at - '0');
    }
    if (at - s->at < least)
        return false;
    s->at = at;
    *out = number;
    return true;
}

/* Exactly `count` digits; more may follow. */
PORTABLE bool scan_digits_exactly(text_scan *s, int count, int64_t *out)
{
    int64_t number = 0;
    if (s->end - s->at < count)
        return false;
    for (int i = 0; i < count; i++) {
        if (!scan_is_digit(s->at[i]))
            return false;
        number = number * 10 + (s->at[i] - '0');
    }
    s->at += count;
    *out = number;
    return true;
}

/* The digits behind a decimal point as a number of 10^-places, rounded half up; `carry` when that
 * gives a whole unit is left in the number (10^places). */
PORTABLE int64_t scan_fraction(text_scan *s, int places)
{
    int64_t number = 0;
    int seen = 0;
    bool rounds_up = false;
    for (; s->at < s->end && scan_is_digit(*s->at); s->at++, seen++) {
        if (seen < places)
            number = number * 10 + (*s->at - '0');
        else if (seen == places)
            rounds_up = *s->at >= '5';
    }
    for (; seen < places; seen++)
        number *= 10;
    return number + rounds_up;
}

#endif
