/* interval_text.c - intervals to text and back: PostgreSQL's default style, ISO 8601 durations. */
#include "base/text_scan.h"
#include "base/type.h"

#include <stdio.h>

/* What a unit counts in each of an interval's three parts; exactly one is not zero. */
typedef struct unit {
    const char *name;
    int32_t months, days;
    int64_t microseconds;
} unit;

#define SECOND ((int64_t)1000000)
#define DAY (86400 * SECOND)

static const unit units[] = {
    {"microsecond", 0, 0, 1},
    {"us", 0, 0, 1},
    {"usec", 0, 0, 1},
    {"millisecond", 0, 0, 1000},
    {"ms", 0, 0, 1000},
    {"msec", 0, 0, 1000},
    {"second", 0, 0, SECOND},
    {"sec", 0, 0, SECOND},
    {"s", 0, 0, SECOND},
    {"minute", 0, 0, 60 * SECOND},
    {"min", 0, 0, 60 * SECOND},
    {"m", 0, 0, 60 * SECOND},
    {"hour", 0, 0, 3600 * SECOND},
    {"hr", 0, 0, 3600 * SECOND},
    {"h", 0, 0, 3600 * SECOND},
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
static const unit second_unit = {"second", 0, 0, SECOND};

/* ---- formatting ---- */

typedef struct printer {
    char *text;
    size_t length;
    bool is_after_negative; /* then a positive part needs its sign */
} printer;

static void print_part(printer *p, int32_t number, const char *name)
{
    if (number == 0)
        return;
    p->length += (size_t)snprintf(
        p->text + p->length, INTERVAL_TEXT_BYTES - p->length, "%s%s%d %s%s", p->length ? " " : "",
        p->is_after_negative && number > 0 ? "+" : "", number, name, number == 1 ? "" : "s");
    p->is_after_negative = number < 0;
}

size_t interval_format(interval_value interval, char *text)
{
    printer p = {.text = text};
    text[0] = '\0';
    print_part(&p, interval.months / 12, "year");
    print_part(&p, interval.months % 12, "mon");
    print_part(&p, interval.days, "day");
    if (interval.microseconds == 0 && p.length > 0)
        return p.length;

    bool is_negative = interval.microseconds < 0;
    uint64_t rest =
        is_negative ? -(uint64_t)interval.microseconds : (uint64_t)interval.microseconds;
    uint64_t seconds = rest / (uint64_t)SECOND, fraction = rest % (uint64_t)SECOND;
    p.length +=
        (size_t)snprintf(text + p.length, INTERVAL_TEXT_BYTES - p.length, "%s%s%02llu:%02u:%02u",
                         p.length ? " " : "", is_negative ? "-" : (p.is_after_negative ? "+" : ""),
                         (unsigned long long)(seconds / 3600), (unsigned)(seconds / 60 % 60),
                         (unsigned)(seconds % 60));
    if (fraction) {
        int places = 6;
        for (; fraction % 10 == 0; fraction /= 10)
            places--;
        p.length += (size_t)snprintf(text + p.length, INTERVAL_TEXT_BYTES - p.length, ".%0*u",
                                     places, (unsigned)fraction);
    }
    return p.length;
}

/* ---- parsing ---- */

/* A number as written: whole, and millionths. */
typedef struct amount {
    bool is_negative;
    int64_t whole, millionths;
} amount;

/* Adds sign * (whole + millionths / 10^6) * per to *sum; the product may have a fraction of
 * millionths, which is dropped. */
static bool add_scaled(int64_t *sum, const amount *a, int64_t per)
{
    int128 product = (int128)a->whole * per + (int128)a->millionths * per / 1000000;
    int128 total = *sum + (a->is_negative ? -product : product);
    if (total > INT64_MAX || total < INT64_MIN)
        return false;
    *sum = (int64_t)total;
    return true;
}

typedef struct sums {
    int64_t months, days, microseconds;
} sums;

/* A fraction goes down to the next smaller part: half a month is 15 days, half a day 12 hours; of a
 * year or more it stays in whole months. */
static bool add_amount(sums *to, amount a, const unit *u)
{
    if (u->microseconds)
        return add_scaled(&to->microseconds, &a, u->microseconds);

    amount fraction = {a.is_negative, 0, a.millionths};
    amount whole = {a.is_negative, a.whole, 0};
    if (u->days) {
        return add_scaled(&to->days, &whole, u->days) &&
               (u->days == 1 ? add_scaled(&to->microseconds, &fraction, DAY)
                             : add_amount(to,
                                          (amount){a.is_negative, a.millionths * u->days / 1000000,
                                                   a.millionths * u->days % 1000000},
                                          &(const unit){"day", 0, 1, 0}));
    }
    if (u->months > 1)
        return add_scaled(&to->months, &a, u->months);
    if (!add_scaled(&to->months, &whole, 1))
        return false;
    return add_amount(
        to, (amount){a.is_negative, a.millionths * 30 / 1000000, a.millionths * 30 % 1000000},
        &(const unit){"day", 0, 1, 0});
}

static const unit *scan_unit(text_scan *s)
{
    const char *end = s->at;
    while (end < s->end && scan_is_letter(*end))
        end++;
    size_t length = (size_t)(end - s->at);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        text_scan word = {s->at, end};
        size_t name_bytes = strlen(units[i].name);
        bool is_plural =
            length == name_bytes + 1 && name_bytes > 1 && (s->at[length - 1] | 0x20) == 's';
        if (is_plural)
            word.end--;
        if (scan_word(&word, units[i].name) && scan_done(&word)) {
            s->at = end;
            return &units[i];
        }
    }
    return NULL;
}

static bool scan_amount(text_scan *s, amount *out)
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

/* hh:mm[:ss[.fraction]] after the hours were read; mm:ss.fraction is not supported. */
static bool scan_clock_after_hours(text_scan *s, const amount *hours, sums *to)
{
    int64_t minutes, seconds = 0, fraction = 0;
    if (hours->millionths || !scan_digits(s, 1, 2, &minutes) || minutes > 59)
        return false;
    if (scan_char(s, ':')) {
        if (!scan_digits(s, 1, 2, &seconds) || seconds > 59)
            return false;
        if (scan_char(s, '.'))
            fraction = scan_fraction(s, 6);
    }
    amount rest = {hours->is_negative, minutes * 60 + seconds, fraction};
    return add_scaled(&to->microseconds, hours, 3600 * SECOND) &&
           add_scaled(&to->microseconds, &rest, SECOND);
}

/* '1 year 2 mons -3 days 04:05:06 ago', '1-2' (years and months), '90' (seconds). */
static bool parse_verbose(text_scan s, sums *out)
{
    bool has_part = false;
    scan_char(&s, '@');
    for (scan_spaces(&s); !scan_done(&s); scan_spaces(&s)) {
        if (has_part && scan_word(&s, "ago")) {
            *out = (sums){-out->months, -out->days, -out->microseconds};
            break;
        }
        amount a;
        if (!scan_amount(&s, &a))
            return false;
        has_part = true;
        int64_t months;
        if (scan_char(&s, ':')) {
            if (!scan_clock_after_hours(&s, &a, out))
                return false;
            continue;
        }
        if (a.millionths == 0 && scan_char(&s, '-')) {
            if (!scan_digits(&s, 1, 2, &months) || months > 11)
                return false;
            amount rest = {a.is_negative, months, 0};
            if (!add_scaled(&out->months, &a, 12) || !add_scaled(&out->months, &rest, 1))
                return false;
            if (!scan_done(&s) && !scan_is_space(*s.at))
                return false; /* 2020-01-01 is a date */
            continue;
        }
        scan_spaces(&s);
        const unit *u = scan_unit(&s);
        if (!u && scan_done(&s))
            u = &second_unit;
        if (!u || !add_amount(out, a, u))
            return false;
    }
    return has_part && scan_done(&s);
}

/* P1Y2M3W4DT5H6M7.5S, the P already read. */
static bool parse_iso(text_scan s, sums *out)
{
    static const struct {
        char letter;
        bool is_time;
        unit u;
    } letters[] = {
        {'y', false, {"year", 12, 0, 0}},
        {'m', false, {"month", 1, 0, 0}},
        {'w', false, {"week", 0, 7, 0}},
        {'d', false, {"day", 0, 1, 0}},
        {'h', true, {"hour", 0, 0, 3600 * SECOND}},
        {'m', true, {"minute", 0, 0, 60 * SECOND}},
        {'s', true, {"second", 0, 0, SECOND}},
    };
    bool is_time = false, has_part = false;
    while (!scan_done(&s)) {
        if (!is_time && (scan_char(&s, 'T') || scan_char(&s, 't'))) {
            is_time = true;
            continue;
        }
        amount a;
        if (!scan_amount(&s, &a) || scan_done(&s))
            return false;
        char letter = (char)(*s.at++ | 0x20);
        size_t i = 0, count = sizeof letters / sizeof *letters;
        while (i < count && (letters[i].letter != letter || letters[i].is_time != is_time))
            i++;
        if (i == count || !add_amount(out, a, &letters[i].u))
            return false;
        has_part = true;
    }
    return has_part;
}

bool interval_parse(const char *text, size_t bytes, interval_value *out)
{
    text_scan s = scan_trimmed(text, bytes);
    sums total = {0};
    bool is_iso = scan_char(&s, 'P') || scan_char(&s, 'p');
    if (!(is_iso ? parse_iso(s, &total) : parse_verbose(s, &total)))
        return false;
    if (total.months != (int32_t)total.months || total.days != (int32_t)total.days)
        return false;
    *out = (interval_value){(int32_t)total.months, (int32_t)total.days, total.microseconds};
    return true;
}
