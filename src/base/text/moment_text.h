/* moment_text.h - dates, times and timestamps to text and back, as PostgreSQL's ISO style, on every
 * device: what type.h declares, under names of its own. */
#ifndef PISTACHIO_BASE_TEXT_MOMENT_TEXT_H
#define PISTACHIO_BASE_TEXT_MOMENT_TEXT_H

#include "base/text/text_print.h"
#include "base/text/text_scan.h"
#include "base/type/calendar.h"

#define MOMENT_DAY_SECONDS ((int64_t)86400)

/* ---- formatting ---- */

/* The year counts from 1 in both directions: 0 is 1 BC. Prints no suffix. */
PORTABLE void print_civil(text_print *p, int32_t days, bool *out_is_bc)
{
    int32_t year;
    unsigned month, day;
    calendar_to_civil(days, &year, &month, &day);
    *out_is_bc = year <= 0;
    print_number(p, (uint64_t)(*out_is_bc ? 1 - (int64_t)year : year), 4);
    print_char(p, '-');
    print_number(p, month, 2);
    print_char(p, '-');
    print_number(p, day, 2);
}

/* hh:mm:ss, then the fraction of a second in units of 10^-places, without closing zeros. */
PORTABLE void print_clock(text_print *p, uint64_t seconds, uint64_t fraction, int places)
{
    print_number(p, seconds / 3600, 2);
    print_char(p, ':');
    print_number(p, seconds / 60 % 60, 2);
    print_char(p, ':');
    print_number(p, seconds % 60, 2);
    print_fraction(p, fraction, places);
}

PORTABLE size_t print_infinity(text_print *p, bool is_negative)
{
    print_text(p, is_negative ? "-infinity" : "infinity");
    return print_end(p);
}

PORTABLE size_t moment_format_date(int32_t days, char *text)
{
    text_print p = {text, 0};
    bool is_bc;
    if (calendar_is_infinite_date(days))
        return print_infinity(&p, days < 0);
    print_civil(&p, days, &is_bc);
    if (is_bc)
        print_text(&p, " BC");
    return print_end(&p);
}

PORTABLE size_t moment_format_time(int64_t microseconds, char *text)
{
    text_print p = {text, 0};
    print_clock(&p, (uint64_t)(microseconds / CALENDAR_SECOND),
                (uint64_t)(microseconds % CALENDAR_SECOND), 6);
    return print_end(&p);
}

/* With the offset's text, of the zone whose clock is so many seconds before UTC's, behind it. */
PORTABLE size_t moment_format_at(int64_t count, unsigned precision, int32_t offset,
                                 const char *offset_text, char *text)
{
    text_print p = {text, 0};
    if (calendar_is_infinite(count))
        return print_infinity(&p, count < 0);
    int64_t per_second = ten_to_64(precision);
    int64_t fraction = count % per_second, seconds = count / per_second;
    if (fraction < 0) {
        fraction += per_second;
        seconds--;
    }
    seconds += offset;
    int64_t second_of_day = seconds % MOMENT_DAY_SECONDS, days = seconds / MOMENT_DAY_SECONDS;
    if (second_of_day < 0) {
        second_of_day += MOMENT_DAY_SECONDS;
        days--;
    }
    bool is_bc;
    print_civil(&p, (int32_t)days, &is_bc);
    print_char(&p, ' ');
    print_clock(&p, (uint64_t)second_of_day, (uint64_t)fraction, (int)precision);
    print_text(&p, offset_text);
    print_text(&p, is_bc ? " BC" : "");
    return print_end(&p);
}

PORTABLE size_t moment_format_timestamp(int64_t count, unsigned precision, bool is_utc, char *text)
{
    return moment_format_at(count, precision, 0, is_utc ? "+00" : "", text);
}

/* ---- parsing ---- */

/* A separator of date parts; all of one date are alike. */
PORTABLE bool scan_separator(text_scan *s, char *separator)
{
    if (scan_done(s) || (*s->at != '-' && *s->at != '/' && *s->at != '.'))
        return false;
    if (*separator && *separator != *s->at)
        return false;
    *separator = *s->at++;
    return true;
}

/* 1995-03-15, 1995/3/15, 19950315: the parts as written. */
PORTABLE bool scan_civil(text_scan *s, int64_t *year, int64_t *month, int64_t *day)
{
    text_scan start = *s;
    char separator = '\0';
    bool is_negative = scan_char(s, '-');
    if (scan_digits(s, 1, 7, year) && scan_separator(s, &separator) &&
        scan_digits(s, 1, 2, month) && scan_separator(s, &separator) && scan_digits(s, 1, 2, day)) {
        if (is_negative)
            *year = -*year;
        return true;
    }
    *s = start;
    return scan_digits_exactly(s, 4, year) && scan_digits_exactly(s, 2, month) &&
           scan_digits_exactly(s, 2, day) && (scan_done(s) || !scan_is_digit(*s->at));
}

PORTABLE bool civil_to_days(int64_t year, int64_t month, int64_t day, bool is_bc, int64_t *out)
{
    if (is_bc) {
        if (year <= 0)
            return false;
        year = 1 - year;
    }
    if (year < -5877641 || year > 5881580 || month < 1 || month > 12 || day < 1 ||
        day > calendar_month_days((int32_t)year, (unsigned)month))
        return false;
    /* The first and last years are not whole: beyond them the day number wraps. */
    int32_t days = calendar_from_civil((int32_t)year, (unsigned)month, (unsigned)day);
    if ((days < 0) != (year < 1970) || calendar_is_infinite_date(days))
        return false;
    *out = days;
    return true;
}

/* hh:mm[:ss[.fraction]] with AM or PM, in units of 10^-places seconds. 24:00:00 is midnight. */
PORTABLE bool scan_clock(text_scan *s, int places, int64_t *out)
{
    int64_t hour, minute, second = 0, fraction = 0;
    if (!scan_digits(s, 1, 2, &hour) || !scan_char(s, ':') || !scan_digits(s, 1, 2, &minute))
        return false;
    if (scan_char(s, ':')) {
        if (!scan_digits(s, 1, 2, &second))
            return false;
        if (scan_char(s, '.'))
            fraction = scan_fraction(s, places);
    }
    text_scan before = *s;
    scan_spaces(s);
    if (scan_word(s, "am") || scan_word(s, "pm")) {
        bool is_pm = (s->at[-2] | 0x20) == 'p';
        if (hour < 1 || hour > 12)
            return false;
        hour = hour % 12 + (is_pm ? 12 : 0);
    } else {
        *s = before;
    }
    if (hour > 24 || minute > 59 || second > 60)
        return false;
    int64_t seconds = hour * 3600 + minute * 60 + second;
    if (seconds > MOMENT_DAY_SECONDS || (seconds == MOMENT_DAY_SECONDS && fraction > 0))
        return false;
    *out = seconds * ten_to_64((unsigned)places) + fraction;
    return true;
}

/* Z, UTC, GMT, +hh, +hhmm, +hh:mm[:ss]; nothing is UTC as well. */
PORTABLE bool scan_zone(text_scan *s, int64_t *out_seconds, bool *out_is_there)
{
    *out_seconds = 0;
    *out_is_there = true;
    text_scan before = *s;
    scan_spaces(s);
    if (scan_word(s, "z") || scan_word(s, "utc") || scan_word(s, "gmt"))
        return true;
    bool is_negative;
    if (!scan_sign(s, &is_negative)) {
        *out_is_there = false;
        *s = before;
        return true;
    }
    int64_t hours, minutes = 0, seconds = 0;
    if (!scan_digits_exactly(s, 2, &hours) && !scan_digits(s, 1, 1, &hours))
        return false;
    if (scan_char(s, ':')) {
        if (!scan_digits_exactly(s, 2, &minutes))
            return false;
        if (scan_char(s, ':') && !scan_digits_exactly(s, 2, &seconds))
            return false;
    } else if (!scan_done(s) && scan_is_digit(*s->at) && !scan_digits_exactly(s, 2, &minutes)) {
        return false;
    }
    if (hours > 15 || minutes > 59 || seconds > 59)
        return false;
    int64_t offset = hours * 3600 + minutes * 60 + seconds;
    *out_seconds = is_negative ? -offset : offset;
    return true;
}

/* BC or AD, as DuckDB writes it in parentheses, or bare; false: neither. */
PORTABLE bool scan_era(text_scan *s, bool *out_is_bc)
{
    text_scan before = *s;
    scan_spaces(s);
    bool is_open = scan_char(s, '(');
    *out_is_bc = scan_word(s, "bc");
    if ((*out_is_bc || scan_word(s, "ad")) && (!is_open || scan_char(s, ')')))
        return true;
    *out_is_bc = false;
    *s = before;
    return false;
}

/* infinity, inf, -infinity, -inf: what is written for what lies behind and before all dates. */
PORTABLE bool scan_infinity(const char *text, size_t bytes, bool *out_is_negative)
{
    text_scan s = scan_trimmed(text, bytes);
    *out_is_negative = scan_char(&s, '-');
    return (scan_word(&s, "infinity") || scan_word(&s, "inf")) && scan_done(&s);
}

/* A date, then perhaps a time, a zone and an era: days since 1970, units into that day (which a
 * zone may move out of it), and whether there was a zone. */
PORTABLE bool parse_moment(const char *text, size_t bytes, int places, int64_t *out_days,
                           int64_t *out_clock, int64_t *out_zone_seconds, bool *out_has_zone)
{
    text_scan s = scan_trimmed(text, bytes);
    int64_t year, month, day, clock = 0, zone = 0;
    *out_has_zone = false;
    if (scan_word(&s, "epoch")) {
        *out_days = *out_clock = *out_zone_seconds = 0;
        *out_has_zone = true;
        return scan_done(&s);
    }
    bool is_bc;
    if (!scan_civil(&s, &year, &month, &day))
        return false;
    bool has_era = scan_era(&s, &is_bc);

    text_scan before = s;
    bool has_gap = scan_char(&s, 'T') || scan_char(&s, 't') || scan_char(&s, ' ');
    scan_spaces(&s);
    if (has_gap && !scan_done(&s) && scan_is_digit(*s.at)) {
        if (!scan_clock(&s, places, &clock) || !scan_zone(&s, &zone, out_has_zone))
            return false;
    } else {
        s = before;
    }
    if (!has_era)
        scan_era(&s, &is_bc);
    scan_spaces(&s);
    if (!scan_done(&s) || !civil_to_days(year, month, day, is_bc, out_days))
        return false;
    *out_clock = clock;
    *out_zone_seconds = zone;
    return true;
}

PORTABLE bool moment_parse_date(const char *text, size_t bytes, int32_t *out_days)
{
    int64_t days, clock, zone;
    bool has_zone, is_negative;
    if (!parse_moment(text, bytes, 6, &days, &clock, &zone, &has_zone)) {
        if (!scan_infinity(text, bytes, &is_negative))
            return false;
        days = is_negative ? -INT32_MAX : INT32_MAX;
    }
    *out_days = (int32_t)days;
    return true;
}

PORTABLE bool moment_parse_time(const char *text, size_t bytes, int64_t *out_microseconds)
{
    text_scan s = scan_trimmed(text, bytes);
    int64_t clock, zone;
    bool has_zone;
    if (!scan_clock(&s, 6, &clock) || !scan_zone(&s, &zone, &has_zone) || !scan_done(&s) ||
        clock > CALENDAR_DAY)
        return false;
    *out_microseconds = clock;
    return true;
}

/* As a timestamp, or (with_zone) an instant; *out_has_zone: the text says of which zone it is. */
PORTABLE bool moment_parse_at(const char *text, size_t bytes, unsigned precision, bool with_zone,
                              int64_t *out, bool *out_has_zone)
{
    int64_t days, clock, zone;
    bool is_negative;
    if (!parse_moment(text, bytes, (int)precision, &days, &clock, &zone, out_has_zone)) {
        *out_has_zone = scan_infinity(text, bytes, &is_negative);
        if (*out_has_zone)
            *out = is_negative ? -INT64_MAX : INT64_MAX;
        return *out_has_zone;
    }
    /* The first day that fits begins before the first moment that does. */
    int64_t per_second = ten_to_64(precision);
    if (!with_zone)
        zone = 0;
    int128 count = (int128)days * MOMENT_DAY_SECONDS * per_second + clock - zone * per_second;
    if (count != (int64_t)count || calendar_is_infinite((int64_t)count))
        return false;
    *out = (int64_t)count;
    return true;
}

PORTABLE bool moment_parse_timestamp(const char *text, size_t bytes, unsigned precision,
                                     bool with_zone, int64_t *out)
{
    bool has_zone;
    return moment_parse_at(text, bytes, precision, with_zone, out, &has_zone);
}

#endif
