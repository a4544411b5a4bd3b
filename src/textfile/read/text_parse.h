/* text_parse.h - numbers, dates and timestamps of the usual forms, read where they stand; what is of another form is left to
 * base/type/type.h. */
#ifndef PISTACHIO_TEXTFILE_READ_TEXT_PARSE_H
#define PISTACHIO_TEXTFILE_READ_TEXT_PARSE_H

#include "base/text/type_parse.h"
#include "base/type/calendar.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- numbers ---- */

/* Eight digits; false: some are not. */
ALWAYS_INLINE bool eight_digits(const char *text, uint64_t *out)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    uint64_t digits = word - UINT64_C(0x3030303030303030);
    if (((word + UINT64_C(0x4646464646464646)) | digits) & UINT64_C(0x8080808080808080))
        return false;
    digits = digits * 10 + (digits >> 8);
    *out = ((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (digits >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
    return true;
}

/* Digits of a text of at most 18; false: something else stands there. */
ALWAYS_INLINE bool short_digits(const char *text, size_t bytes, uint64_t *out)
{
    uint64_t number = 0, eight;
    for (; bytes >= 8; text += 8, bytes -= 8) {
        if (!eight_digits(text, &eight))
            return false;
        number = number * 100000000 + eight;
    }
    for (; bytes; text++, bytes--) {
        unsigned digit = (unsigned)(uint8_t)*text - '0';
        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return true;
}

#define SHORT_DIGITS 18

ALWAYS_INLINE bool parse_int64(const char *text, size_t bytes, int64_t *out)
{
    bool is_negative = bytes > 1 && *text == '-';
    uint64_t number;
    int128 wide;
    if (bytes - is_negative <= SHORT_DIGITS && bytes &&
        short_digits(text + is_negative, bytes - is_negative, &number)) {
        *out = is_negative ? -(int64_t)number : (int64_t)number;
        return true;
    }
    if (!int128_parse(text, bytes, &wide) || wide != (int64_t)wide)
        return false;
    *out = (int64_t)wide;
    return true;
}

/* Up to 18 digits with a point between them somewhere: the number without it, and how many stand behind it. */
ALWAYS_INLINE bool point_digits(const char *text, size_t bytes, uint64_t *out, unsigned *out_behind)
{
    const char *point = memchr(text, '.', bytes);
    uint64_t whole = 0, behind = 0;
    size_t before = point ? (size_t)(point - text) : bytes;
    size_t rest = point ? bytes - before - 1 : 0;
    if (before + rest > SHORT_DIGITS || before + rest == 0 || !short_digits(text, before, &whole))
        return false;
    if (rest && !short_digits(point + 1, rest, &behind))
        return false;
    *out = whole * (uint64_t)power_of_ten_64[rest] + behind;
    *out_behind = (unsigned)rest;
    return true;
}

#define EXACT_DOUBLE (UINT64_C(1) << 53)

/* A number and a power of ten that are both exact have an exact quotient (Clinger 1990). */
ALWAYS_INLINE bool parse_double(const char *text, size_t bytes, double *out)
{
    bool is_negative = bytes > 1 && *text == '-';
    uint64_t number;
    unsigned behind;
    if (bytes && bytes <= SHORT_DIGITS + 2 &&
        point_digits(text + is_negative, bytes - is_negative, &number, &behind) &&
        number < EXACT_DOUBLE) {
        double value = (double)number / (double)power_of_ten_64[behind];
        *out = is_negative ? -value : value;
        return true;
    }
    return double_parse(text, bytes, out);
}

/* ---- times ---- */

ALWAYS_INLINE bool two_digits(const char *text, unsigned *out)
{
    unsigned high = (unsigned)(uint8_t)text[0] - '0', low = (unsigned)(uint8_t)text[1] - '0';
    *out = high * 10 + low;
    return high <= 9 && low <= 9;
}

#define DATE_BYTES 10 /* 1995-03-15 */
#define MOMENT_BYTES 19

ALWAYS_INLINE bool iso_date(const char *text, int32_t *out)
{
    unsigned century, year, month, day;
    if (!two_digits(text, &century) || !two_digits(text + 2, &year) || text[4] != '-' ||
        !two_digits(text + 5, &month) || text[7] != '-' || !two_digits(text + 8, &day))
        return false;
    year += century * 100;
    if (!year || month - 1 > 11 || !day ||
        (day > 28 && day > date_month_days((int32_t)year, month)))
        return false;
    *out = date_from_civil((int32_t)year, month, day);
    return true;
}

ALWAYS_INLINE bool parse_date(const char *text, size_t bytes, int32_t *out)
{
    if (bytes == DATE_BYTES && iso_date(text, out))
        return true;
    return date_parse(text, bytes, out);
}

ALWAYS_INLINE bool parse_timestamp(const char *text, size_t bytes, data_type type, int64_t *out)
{
    int32_t days;
    unsigned hour, minute, second;
    if (bytes == MOMENT_BYTES && type.precision == 6 && (text[10] == ' ' || text[10] == 'T') &&
        iso_date(text, &days) && two_digits(text + 11, &hour) && text[13] == ':' &&
        two_digits(text + 14, &minute) && text[16] == ':' && two_digits(text + 17, &second) &&
        hour < 24 && minute < 60 && second < 60) {
        *out = (((int64_t)days * 24 + hour) * 60 + minute) * 60000000 + (int64_t)second * 1000000;
        return true;
    }
    return timestamp_parse(text, bytes, type.precision, type.id == TYPE_TIMESTAMP_TZ, out);
}

#endif
