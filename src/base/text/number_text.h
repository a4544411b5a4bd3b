/* number_text.h - booleans, 128-bit integers and decimals to text and back, on every device: what type.h
 * declares, under names of its own. */
#ifndef PISTACHIO_BASE_TEXT_NUMBER_TEXT_H
#define PISTACHIO_BASE_TEXT_NUMBER_TEXT_H

#include "base/text/text_scan.h"

/* The scale is at most 38. */
PORTABLE size_t number_format(int128 number, unsigned scale, char *text)
{
    uint128 rest = number < 0 ? -(uint128)number : (uint128)number;
    char reversed[INT128_TEXT_BYTES];
    size_t digits = 0;

    /* 64-bit division is several times as fast, and nearly every number fits. */
    while (rest > UINT64_MAX) {
        reversed[digits++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    for (uint64_t low = (uint64_t)rest; low; low /= 10)
        reversed[digits++] = (char)('0' + low % 10);
    while (digits <= scale)
        reversed[digits++] = '0';

    size_t length = 0;
    if (number < 0)
        text[length++] = '-';
    while (digits > 0) {
        if (digits == scale)
            text[length++] = '.';
        text[length++] = reversed[--digits];
    }
    text[length] = '\0';
    return length;
}

/* *number = *number * 10 + digit; false when it leaves 128 bits. Signed, as `negative` says, so
 * that the least integer can be read. */
PORTABLE bool append_digit(int128 *number, int digit, bool is_negative)
{
    const int128 most = (int128)(~(uint128)0 >> 1), limit = most / 10;
    int last = (int)(most % 10) + is_negative; /* the digit that fits behind the limit */
    if (*number > limit || *number < -limit)
        return false;
    if ((*number == limit || *number == -limit) && digit > last)
        return false;
    *number = *number * 10 + (is_negative ? -digit : digit);
    return true;
}

PORTABLE bool number_parse_integer(const char *text, size_t bytes, int128 *out)
{
    text_scan s = scan_trimmed(text, bytes);
    bool is_negative;
    scan_sign(&s, &is_negative);
    if (scan_done(&s))
        return false;
    int128 number = 0;
    for (; !scan_done(&s); s.at++)
        if (!scan_is_digit(*s.at) || !append_digit(&number, *s.at - '0', is_negative))
            return false;
    *out = number;
    return true;
}

/* e+12: clipped to a million, which is beyond every number that fits. */
PORTABLE bool scan_exponent(text_scan *s, int *out)
{
    *out = 0;
    if (!scan_char(s, 'e') && !scan_char(s, 'E'))
        return true;
    bool is_negative;
    scan_sign(s, &is_negative);
    if (scan_done(s) || !scan_is_digit(*s->at))
        return false;
    int exponent = 0;
    for (; !scan_done(s) && scan_is_digit(*s->at); s->at++)
        if (exponent < 1000000)
            exponent = exponent * 10 + (*s->at - '0');
    *out = is_negative ? -exponent : exponent;
    return true;
}

PORTABLE bool number_parse_decimal(const char *text, size_t bytes, unsigned scale, int128 *out)
{
    text_scan s = scan_trimmed(text, bytes);
    bool is_negative;
    scan_sign(&s, &is_negative);

    const char *whole = s.at;
    while (!scan_done(&s) && scan_is_digit(*s.at))
        s.at++;
    const char *whole_end = s.at, *fraction = s.at, *fraction_end = s.at;
    if (scan_char(&s, '.')) {
        fraction = s.at;
        while (!scan_done(&s) && scan_is_digit(*s.at))
            s.at++;
        fraction_end = s.at;
    }
    int exponent;
    if (whole == whole_end && fraction == fraction_end)
        return false;
    if (!scan_exponent(&s, &exponent) || !scan_done(&s))
        return false;

    /* Digit i of whole and fraction together counts 10^(whole digits - 1 - i + exponent). */
    int64_t whole_digits = whole_end - whole, digits = whole_digits + (fraction_end - fraction);
    int64_t kept = whole_digits + exponent + (int64_t)scale; /* digits before the rounding place */
    int128 number = 0;
    for (int64_t i = 0; i < kept; i++) {
        if (i >= digits && number == 0)
            break; /* zero, however many zeros follow */
        char c = i >= digits ? '0' : i < whole_digits ? whole[i] : fraction[i - whole_digits];
        if (!append_digit(&number, c - '0', false))
            return false;
    }
    if (kept >= 0 && kept < digits) {
        char c = kept < whole_digits ? whole[kept] : fraction[kept - whole_digits];
        number += c >= '5';
    }
    if (number >= TEN_TO_38)
        return false;
    *out = is_negative ? -number : number;
    return true;
}

PORTABLE_TABLE char boolean_words[8][6] = {"true", "yes", "on", "1", "false", "no", "off", "0"};

/* A word, or how one begins. */
PORTABLE bool boolean_parse(const char *text, size_t bytes, bool *out)
{
    text_scan s = scan_trimmed(text, bytes);
    size_t length = (size_t)(s.end - s.at);
    int found = -1;
    for (int w = 0; w < 8; w++) {
        const char *word = boolean_words[w];
        size_t i = 0;
        while (i < length && word[i] && (s.at[i] | 0x20) == (word[i] | 0x20))
            i++;
        if (length == 0 || i < length)
            continue;
        if (found >= 0 && (found < 4) != (w < 4))
            return false; /* "o" begins on and off */
        found = w;
    }
    if (found < 0)
        return false;
    *out = found < 4;
    return true;
}

#endif
