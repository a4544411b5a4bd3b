/* interval_text.h - intervals to text and back, on every device: PostgreSQL's default style, ISO 8601
 * durations. */
#ifndef PISTACHIO_BASE_TEXT_INTERVAL_TEXT_H
#define PISTACHIO_BASE_TEXT_INTERVAL_TEXT_H

#include "base/text/text_print.h"
#include "base/text/text_scan.h"
#include "base/type/calendar.h"

/* Counts of a unit in each of an interval's three parts; exactly one is not zero. */
typedef struct interval_unit {
    char name[12];
    int32_t months, days;
    int64_t microseconds;
} interval_unit;

PORTABLE_TABLE interval_unit interval_units[] = {
    {"microsecond", 0, 0, 1},
    {"us", 0, 0, 1},
    {"usec", 0, 0, 1},
    {"millisecond", 0, 0, 1000},
    {"ms", 0, 0, 1000},
    {"msec", 0, 0, 1000},
    {"second", 0, 0, CALENDAR_SECOND},
    {"sec", 0, 0, CALENDAR_SECOND},
    {"s", 0, 0, CALENDAR_SECOND},
    {"minute", 0, 0, 60 * CALENDAR_SECOND},
    {"min", 0, 0, 60 * CALENDAR_SECOND},
    {"m", 0, 0, 60 * CALENDAR_SECOND},
    {"hour", 0, 0, 3600 * CALENDAR_SECOND},
    {"hr", 0, 0, 3600 * CALENDAR_SECOND},
    {"h", 0, 0, 3600 * CALENDAR_SECOND},
    {"day", 0, 1, 0},
    {"d", 0, 1, 0},
    {"week", 0, 7, 0},
    {"w", 0, 7, 0},
    {"month", 1, 0, 0},
    {"mon", 1, 0, 0},
    {"quarter", 3, 0, 0},
    {"year", 12, 0, 0},
    {"yr", 12, 0, 0},
    {"y", 12, 0, 0},
    {"decade", 120, 0, 0},
    {"century", 1200, 0, 0},
    {"millennium", 12000, 0, 0},
};
PORTABLE_TABLE interval_unit interval_second = {"second", 0, 0, CALENDAR_SECOND};
PORTABLE_TABLE interval_unit interval_minute = {"minute", 0, 0, 60 * CALENDAR_SECOND};
PORTABLE_TABLE interval_unit interval_hour = {"hour", 0, 0, 3600 * CALENDAR_SECOND};
PORTABLE_TABLE interval_unit interval_day = {"day", 0, 1, 0};
PORTABLE_TABLE interval_unit interval_month = {"month", 1, 0, 0};
PORTABLE_TABLE interval_unit interval_year = {"year", 12, 0, 0};

/* The fields behind INTERVAL '...' (or ::interval): DAY TO SECOND are INTERVAL_DAY up to
 * INTERVAL_SECOND. 0: none, all of them. */
enum {
    INTERVAL_YEAR = 1,
    INTERVAL_MONTH = 2,
    INTERVAL_DAY = 4,
    INTERVAL_HOUR = 8,
    INTERVAL_MINUTE = 16,
    INTERVAL_SECOND = 32
};

/* ---- formatting ---- */

typedef struct interval_print {
    text_print p;
    bool is_after_negative; /* then a positive part needs its sign */
} interval_print;

PORTABLE void print_interval_part(interval_print *to, int32_t number, const char *name)
{
    text_print *p = &to->p;
    if (number == 0)
        return;
    print_text(p, p->length ? " " : "");
    print_text(p, number < 0 ? "-" : to->is_after_negative ? "+" : "");
    print_number(p, (uint64_t)(number < 0 ? -(int64_t)number : number), 1);
    print_char(p, ' ');
    print_text(p, name);
    print_text(p, number == 1 ? "" : "s");
    to->is_after_negative = number < 0;
}

PORTABLE size_t interval_format_text(interval_value interval, char *text)
{
    interval_print to = {{text, 0}, false};
    text_print *p = &to.p;
    print_interval_part(&to, interval.months / 12, "year");
    print_interval_part(&to, interval.months % 12, "mon");
    print_interval_part(&to, interval.days, "day");
    if (interval.microseconds == 0 && p->length > 0)
        return print_end(p);

    bool is_negative = interval.microseconds < 0;
    uint64_t rest =
        is_negative ? -(uint64_t)interval.microseconds : (uint64_t)interval.microseconds;
    uint64_t seconds = rest / CALENDAR_SECOND;
    print_text(p, p->length ? " " : "");
    print_text(p, is_negative ? "-" : to.is_after_negative ? "+" : "");
    print_number(p, seconds / 3600, 2);
    print_char(p, ':');
    print_number(p, seconds / 60 % 60, 2);
    print_char(p, ':');
    print_number(p, seconds % 60, 2);
    print_fraction(p, rest % CALENDAR_SECOND, 6);
    return print_end(p);
}

/* ---- parsing ---- */

/* A number as written: whole, and millionths. */
typedef struct interval_amount {
    bool is_negative;
    int64_t whole, millionths;
} interval_amount;

/* Adds sign * (whole + millionths / 10^6) * per to *sum; the product may have a fraction of
 * millionths, which is dropped. */
PORTABLE bool interval_add_scaled(int64_t *sum, const interval_amount *a, int64_t per)
{
    int128 product = (int128)a->whole * per + (int128)a->millionths * per / 1000000;
    int128 total = *sum + (a->is_negative ? -product : product);
    if (total > INT64_MAX || total < INT64_MIN)
        return false;
    *sum = (int64_t)total;
    return true;
}

typedef struct interval_sums {
    int64_t months, days, microseconds;
} interval_sums;

/* Adds so many days, and of each the millionths, which go down to the time. */
PORTABLE bool interval_add_days(interval_sums *to, const interval_amount *a, int32_t days)
{
    interval_amount whole = {a->is_negative, a->whole, 0}, more = {a->is_negative, 0, 0};
    interval_amount rest = {a->is_negative, 0, a->millionths};
    if (days > 1) {
        more.whole = a->millionths * days / 1000000;
        rest.millionths = a->millionths * days % 1000000;
    }
    return interval_add_scaled(&to->days, &whole, days) &&
           interval_add_scaled(&to->days, &more, 1) &&
           interval_add_scaled(&to->microseconds, &rest, CALENDAR_DAY);
}

/* A fraction goes down to the next smaller part: half a month is 15 days, half a day 12 hours; of a
 * year or more it stays in whole months. */
PORTABLE bool interval_add(interval_sums *to, interval_amount a, const interval_unit *u)
{
    if (u->microseconds)
        return interval_add_scaled(&to->microseconds, &a, u->microseconds);
    if (u->days)
        return interval_add_days(to, &a, u->days);
    if (u->months > 1)
        return interval_add_scaled(&to->months, &a, u->months);
    interval_amount whole = {a.is_negative, a.whole, 0},
                    fraction = {a.is_negative, 0, a.millionths};
    return interval_add_scaled(&to->months, &whole, 1) && interval_add_days(to, &fraction, 30);
}

PORTABLE size_t interval_name_bytes(const interval_unit *u)
{
    size_t bytes = 0;
    while (u->name[bytes])
        bytes++;
    return bytes;
}

PORTABLE const interval_unit *scan_interval_unit(text_scan *s)
{
    const char *end = s->at;
    while (end < s->end && scan_is_letter(*end))
        end++;
    size_t length = (size_t)(end - s->at);
    for (size_t i = 0; i < sizeof interval_units / sizeof *interval_units; i++) {
        const interval_unit *u = &interval_units[i];
        text_scan word = {s->at, end};
        size_t name_bytes = interval_name_bytes(u);
        bool is_plural =
            length == name_bytes + 1 && name_bytes > 1 && (s->at[length - 1] | 0x20) == 's';
        if (is_plural)
            word.end--;
        if (scan_word(&word, u->name) && scan_done(&word)) {
            s->at = end;
            return u;
        }
    }
    return NULL;
}

PORTABLE bool scan_interval_amount(text_scan *s, interval_amount *out)
{
    bool has_digits = false;
    scan_sign(s, &out->is_negative);
    out->whole = out->millionths = 0;
    if (!scan_done(s) && scan_is_digit(*s->at)) {
        if (!scan_digits(s, 1, 18, &out->whole))
            return false;
        has_digits = true;
    }
    if (scan_char(s, '.')) {
        has_digits = has_digits || (!scan_done(s) && scan_is_digit(*s->at));
        out->millionths = scan_fraction(s, 6);
    }
    return has_digits;
}

/* Which of an interval's parts a unit is: each is given once. */
PORTABLE uint32_t interval_part(const interval_unit *u)
{
    uint32_t months = 0, days = 1 << 8, time = 1 << 16;
    if (u->months) {
        for (int32_t rest = u->months; rest > 1; rest /= rest % 12 == 0 && rest < 120 ? 12 : 10)
            months++;
        return u->months == 3 ? 1 << 7 : 1u << months;
    }
    if (u->days)
        return u->days == 1 ? days : days << 1;
    for (int64_t rest = u->microseconds; rest > 1; rest /= rest > CALENDAR_SECOND ? 60 : 1000)
        time <<= 1;
    return time;
}

/* Milliseconds and microseconds are parts of a second that has a fraction. */
#define INTERVAL_SECOND_PARTS (7u << 16)
#define INTERVAL_CLOCK_PARTS (31u << 16)

/* hh:mm[:ss[.fraction]] or mm:ss.fraction after the first number was read; of MINUTE TO SECOND also
 * mm:ss. */
PORTABLE bool scan_interval_clock(text_scan *s, const interval_amount *first, unsigned fields,
                                  interval_sums *to)
{
    int64_t second, third = 0, fraction = 0;
    bool is_negative = first->is_negative;
    if (first->millionths || !scan_digits(s, 1, 2, &second) || second > 59)
        return false;
    bool is_minutes = fields == (INTERVAL_MINUTE | INTERVAL_SECOND);
    if (scan_char(s, ':')) {
        is_minutes = false;
        if (!scan_digits(s, 1, 2, &third) || third > 59)
            return false;
        if (scan_char(s, '.'))
            fraction = scan_fraction(s, 6);
    } else if (scan_char(s, '.')) {
        is_minutes = true;
        fraction = scan_fraction(s, 6);
    }
    interval_amount rest = {is_negative, is_minutes ? second : second * 60 + third, fraction};
    return interval_add_scaled(&to->microseconds, first,
                               (is_minutes ? 60 : 3600) * CALENDAR_SECOND) &&
           interval_add_scaled(&to->microseconds, &rest, CALENDAR_SECOND);
}

/* Returns the unit of a number without one: the last of the fields. */
PORTABLE const interval_unit *interval_last_field(unsigned fields)
{
    if (fields == 0 || fields & INTERVAL_SECOND)
        return &interval_second;
    return fields & INTERVAL_MINUTE  ? &interval_minute
           : fields & INTERVAL_HOUR  ? &interval_hour
           : fields & INTERVAL_DAY   ? &interval_day
           : fields & INTERVAL_MONTH ? &interval_month
                                     : &interval_year;
}

/* The state of reading an interval with units. */
typedef struct interval_verbose {
    text_scan s;
    unsigned fields;
    interval_sums *out;
    uint32_t parts; /* that were given */
    bool has_bare;  /* a number without a unit before others: days */
    interval_amount bare;
} interval_verbose;

PORTABLE bool interval_take_once(interval_verbose *v, uint32_t part)
{
    if (v->parts & part)
        return false;
    v->parts |= part;
    return true;
}

/* Days that were written without a unit stand before hours alone. */
PORTABLE bool interval_take(interval_verbose *v, uint32_t part, bool is_hours)
{
    if (v->has_bare) {
        v->has_bare = false;
        if (!is_hours || !interval_take_once(v, interval_part(&interval_day)) ||
            !interval_add(v->out, v->bare, &interval_day))
            return false;
    }
    return interval_take_once(v, part);
}

/* '1-2': years and months. */
PORTABLE bool interval_take_months(interval_verbose *v, const interval_amount *years)
{
    int64_t months;
    if (!scan_digits(&v->s, 1, 2, &months) || months > 11)
        return false;
    interval_amount rest = {years->is_negative, months, 0};
    if (!interval_take(v, interval_part(&interval_month), false) ||
        !interval_add_scaled(&v->out->months, years, 12) ||
        !interval_add_scaled(&v->out->months, &rest, 1))
        return false;
    return scan_done(&v->s) || scan_is_space(*v->s.at); /* 2020-01-01 is a date */
}

PORTABLE bool interval_take_part(interval_verbose *v)
{
    interval_amount a;
    if (!scan_interval_amount(&v->s, &a))
        return false;
    if (scan_char(&v->s, ':'))
        return interval_take(v, INTERVAL_CLOCK_PARTS, true) &&
               scan_interval_clock(&v->s, &a, v->fields, v->out);
    if (a.millionths == 0 && scan_char(&v->s, '-'))
        return interval_take_months(v, &a);
    scan_spaces(&v->s);
    const interval_unit *u = scan_interval_unit(&v->s);
    if (!u && !scan_done(&v->s)) {
        bool is_first = !v->has_bare;
        v->has_bare = true;
        v->bare = a;
        return is_first;
    }
    if (!u)
        u = interval_last_field(v->fields);
    uint32_t part = interval_part(u);
    if (a.millionths && u->microseconds == CALENDAR_SECOND)
        part = INTERVAL_SECOND_PARTS;
    return interval_take(v, part, u->microseconds == 3600 * CALENDAR_SECOND) &&
           interval_add(v->out, a, u);
}

/* '1 year 2 mons -3 days 04:05:06 ago', '1-2' (years and months), '90' (seconds). */
PORTABLE bool interval_parse_verbose(text_scan s, unsigned fields, interval_sums *out)
{
    interval_verbose v = {s, fields, out, 0, false, {false, 0, 0}};
    scan_char(&v.s, '@');
    for (scan_spaces(&v.s); !scan_done(&v.s); scan_spaces(&v.s)) {
        if (v.parts && scan_word(&v.s, "ago")) {
            out->months = -out->months;
            out->days = -out->days;
            out->microseconds = -out->microseconds;
            break;
        }
        if (!interval_take_part(&v))
            return false;
    }
    return v.parts && !v.has_bare && scan_done(&v.s);
}

typedef struct interval_letter {
    char letter;
    bool is_time;
    interval_unit u;
} interval_letter;

PORTABLE_TABLE interval_letter interval_letters[] = {
    {'y', false, {"year", 12, 0, 0}},
    {'m', false, {"month", 1, 0, 0}},
    {'w', false, {"week", 0, 7, 0}},
    {'d', false, {"day", 0, 1, 0}},
    {'h', true, {"hour", 0, 0, 3600 * CALENDAR_SECOND}},
    {'m', true, {"minute", 0, 0, 60 * CALENDAR_SECOND}},
    {'s', true, {"second", 0, 0, CALENDAR_SECOND}},
};

/* P1Y2M3W4DT5H6M7.5S, the P already read. */
PORTABLE bool interval_parse_iso(text_scan s, interval_sums *out)
{
    bool is_time = false, has_part = false;
    while (!scan_done(&s)) {
        if (!is_time && (scan_char(&s, 'T') || scan_char(&s, 't'))) {
            is_time = true;
            continue;
        }
        interval_amount a;
        if (!scan_interval_amount(&s, &a) || scan_done(&s))
            return false;
        char letter = (char)(*s.at++ | 0x20);
        size_t i = 0, count = sizeof interval_letters / sizeof *interval_letters;
        while (i < count &&
               (interval_letters[i].letter != letter || interval_letters[i].is_time != is_time))
            i++;
        if (i == count || !interval_add(out, a, &interval_letters[i].u))
            return false;
        has_part = true;
    }
    return has_part;
}

PORTABLE bool interval_parse_fields_text(const char *text, size_t bytes, unsigned fields,
                                         interval_value *out)
{
    text_scan s = scan_trimmed(text, bytes);
    interval_sums total = {0, 0, 0};
    bool is_iso = scan_char(&s, 'P') || scan_char(&s, 'p');
    if (!(is_iso ? interval_parse_iso(s, &total) : interval_parse_verbose(s, fields, &total)))
        return false;
    if (total.months != (int32_t)total.months || total.days != (int32_t)total.days)
        return false;
    out->months = (int32_t)total.months;
    out->days = (int32_t)total.days;
    out->microseconds = total.microseconds;
    return true;
}

PORTABLE bool interval_parse_text(const char *text, size_t bytes, interval_value *out)
{
    return interval_parse_fields_text(text, bytes, 0, out);
}

#endif
