/* format_time.c - timestamps as texts: to_char by PostgreSQL's formats, strftime by C's. */
#include "device/host/host.h"
#include "device/host/moment.h"
#include "device/host/template.h"
#include "device/host/zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define WORD_BYTES_MAX 32 /* of what a field becomes */

typedef struct line {
    host_call *call;
    char *at; /* room for WORD_BYTES_MAX for each byte of the format */
    size_t length;
    const zone_span *zone; /* of a timestamp with time zone where that is not UTC; or NULL */
} line;

static void format_time_put(line *l, const char *text, size_t bytes)
{
    memcpy(l->at + l->length, text, bytes);
    l->length += bytes;
}

/* With zeros in front up to `digits` digits. */
static void format_time_put_number(line *l, int64_t number, unsigned digits)
{
    char text[24];
    size_t at = sizeof text, sign = number < 0;
    uint64_t rest = sign ? -(uint64_t)number : (uint64_t)number;
    for (; rest || at == sizeof text; rest /= 10)
        text[--at] = (char)('0' + rest % 10);
    while (sizeof text - at + sign < digits && at > 1)
        text[--at] = '0';
    if (sign)
        text[--at] = '-';
    format_time_put(l, text + at, sizeof text - at);
}

/* A name with the letters and the spaces behind it that the word says. */
static void format_time_put_name(line *l, const char *name, const template_word *w, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)name[i];
        bool is_upper = w->letters == TEMPLATE_UPPER || (w->letters == TEMPLATE_CAPITAL && !i);
        l->at[l->length++] = (char)(is_upper ? toupper(c) : tolower(c));
    }
    for (size_t i = bytes; i < w->digits && !w->is_bare; i++)
        l->at[l->length++] = ' ';
}

static void put_plain(line *l, const char *text, const template_word *w)
{
    template_word bare = *w;
    bare.is_bare = true;
    format_time_put_name(l, text, &bare, strlen(text));
}

/* ---- to_char ---- */

static void format_time_put_ordinal(line *l, int64_t number, char letter)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    int64_t last = llabs(number) % 10, two = llabs(number) % 100;
    const char *ending = endings[last > 3 || (two > 10 && two < 20) ? 0 : last];
    for (int i = 0; i < 2; i++)
        l->at[l->length++] = letter == 'T' ? (char)toupper((unsigned char)ending[i]) : ending[i];
}

/* Years count from 1 in both directions. */
static int64_t shown_year(int32_t year)
{
    return year > 0 ? year : 1 - (int64_t)year;
}

static int64_t last_digits(int64_t year, unsigned digits)
{
    static const int64_t powers[] = {1, 10, 100, 1000};
    return digits < 4 ? year % powers[digits] : year;
}

/* The number that the word stands for; false: it stands for none. */
static bool format_time_number_of(const moment *m, const template_word *w, int64_t *out)
{
    static const unsigned powers[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    int64_t year = shown_year(m->year);
    switch (w->field) {
    case TEMPLATE_HOUR_12:
        *out = m->hour % 12 ? m->hour % 12 : 12;
        return true;
    case TEMPLATE_HOUR_24:
        *out = m->hour;
        return true;
    case TEMPLATE_MINUTE:
        *out = m->minute;
        return true;
    case TEMPLATE_SECOND:
        *out = m->second;
        return true;
    case TEMPLATE_FRACTION:
        *out = m->microsecond / powers[w->digits];
        return true;
    case TEMPLATE_DAY_SECOND:
        *out = (m->hour * 60 + m->minute) * 60 + m->second;
        return true;
    case TEMPLATE_YEAR:
        *out = last_digits(year, w->digits);
        return true;
    case TEMPLATE_ISO_YEAR:
        *out = last_digits(shown_year(m->iso_year), w->digits);
        return true;
    case TEMPLATE_MONTH:
        *out = m->month;
        return true;
    case TEMPLATE_YEAR_DAY:
        *out = m->day_of_year;
        return true;
    case TEMPLATE_ISO_YEAR_DAY:
        *out = (m->iso_week - 1) * 7 + m->week_day + 1;
        return true;
    case TEMPLATE_DAY:
        *out = m->day;
        return true;
    case TEMPLATE_WEEK_DAY:
        *out = (m->week_day + 1) % 7 + 1;
        return true;
    case TEMPLATE_ISO_WEEK_DAY:
        *out = m->week_day + 1;
        return true;
    case TEMPLATE_MONTH_WEEK:
        *out = (m->day - 1) / 7 + 1;
        return true;
    case TEMPLATE_WEEK:
        *out = (m->day_of_year - 1) / 7 + 1;
        return true;
    case TEMPLATE_ISO_WEEK:
        *out = m->iso_week;
        return true;
    case TEMPLATE_CENTURY:
        *out = m->year > 0 ? (year - 1) / 100 + 1 : -((year - 1) / 100 + 1);
        return true;
    case TEMPLATE_JULIAN:
        *out = (int64_t)m->days + 2440588;
        return true;
    case TEMPLATE_QUARTER:
        *out = (m->month - 1) / 3 + 1;
        return true;
    default:
        return false;
    }
}

/* TZH, TZM, or both as OF. */
static void put_offset(line *l, const template_word *w, int32_t offset)
{
    template_field field = w->field;
    unsigned seconds = (unsigned)(offset < 0 ? -offset : offset), minutes = seconds / 60 % 60;
    if (field != TEMPLATE_ZONE_MINUTES) {
        format_time_put(l, offset < 0 ? "-" : "+", 1);
        format_time_put_number(l, seconds / 3600, field == TEMPLATE_OFFSET && w->is_bare ? 1 : 2);
    }
    if (field == TEMPLATE_OFFSET && minutes)
        format_time_put(l, ":", 1);
    if (field == TEMPLATE_ZONE_MINUTES || (field == TEMPLATE_OFFSET && minutes))
        format_time_put_number(l, minutes, 2);
}

static void format_time_put_word(line *l, const moment *m, const template_word *w)
{
    static const char *const roman[] = {"I",   "II",   "III", "IV", "V",  "VI",
                                        "VII", "VIII", "IX",  "X",  "XI", "XII"};
    int64_t number, year = shown_year(m->year);
    bool has_points = w->digits;
    switch (w->field) {
    case TEMPLATE_TEXT:
        format_time_put(l, w->text, w->bytes);
        break;
    case TEMPLATE_NOON:
        put_plain(l, m->hour < 12 ? (has_points ? "a.m." : "am") : has_points ? "p.m." : "pm", w);
        break;
    case TEMPLATE_ERA:
        put_plain(l, m->year > 0 ? (has_points ? "a.d." : "ad") : has_points ? "b.c." : "bc", w);
        break;
    case TEMPLATE_YEAR_COMMA:
        format_time_put_number(l, year / 1000, 1);
        format_time_put(l, ",", 1);
        format_time_put_number(l, year % 1000, 3);
        if (w->ordinal)
            format_time_put_ordinal(l, year, w->ordinal);
        break;
    case TEMPLATE_MONTH_NAME:
        format_time_put_name(l, moment_months[m->month - 1], w,
                             strlen(moment_months[m->month - 1]));
        break;
    case TEMPLATE_MONTH_SHORT:
        format_time_put_name(l, moment_months[m->month - 1], w, 3);
        break;
    case TEMPLATE_MONTH_ROMAN:
        format_time_put_name(l, roman[m->month - 1], w, strlen(roman[m->month - 1]));
        break;
    case TEMPLATE_DAY_NAME:
        format_time_put_name(l, moment_days[m->week_day], w, strlen(moment_days[m->week_day]));
        break;
    case TEMPLATE_DAY_SHORT:
        format_time_put_name(l, moment_days[m->week_day], w, 3);
        break;
    case TEMPLATE_ZONE:
        if (l->call->function != HOST_TO_CHAR_TIME)
            put_plain(l, l->zone ? l->zone->name : "utc", w);
        break;
    case TEMPLATE_ZONE_HOURS:
    case TEMPLATE_ZONE_MINUTES:
    case TEMPLATE_OFFSET:
        put_offset(l, w, l->zone ? l->zone->offset : 0);
        break;
    default:
        if (!format_time_number_of(m, w, &number))
            break;
        format_time_put_number(l, number,
                               w->is_bare && w->field != TEMPLATE_FRACTION  ? 0
                               : w->field == TEMPLATE_CENTURY && number < 0 ? 3
                                                                            : w->digits);
        if (w->ordinal)
            format_time_put_ordinal(l, number, w->ordinal);
    }
}

/* The moment as the row's format has it; NULL where it is infinite, as in PostgreSQL. */
static status put_moment(host_call *c, uint64_t row, int64_t timestamp, const zone_span *zone)
{
    if (calendar_is_infinite(timestamp)) {
        host_put_null(c, row);
        return STATUS_OK;
    }
    const string_view *format = host_text(c, 1, row);
    moment m = moment_of(timestamp);
    template_scan s = template_begin(c, row);
    template_word w;
    line l = {.call = c, .zone = zone};
    TRY(host_put_room(c, (uint64_t)format->bytes * WORD_BYTES_MAX, &l.at));
    while (template_next(&s, &w))
        format_time_put_word(&l, &m, &w);
    host_put_filled(c, row, l.length);
    return STATUS_OK;
}

/* A timestamp, or (TO_CHAR_INSTANT) one with time zone, which is UTC. */
status host_to_char_time(host_call *c, uint64_t row)
{
    return put_moment(c, row, host_integer(c, 0, row), NULL);
}

/* Formats a timestamp with time zone, in the zone of the third argument. */
status host_zone_to_char(host_call *c, uint64_t row)
{
    int64_t local;
    const zone_span *zone;
    TRY(host_zone_show(c, 2, row, &local, &zone));
    return put_moment(c, row, local, zone);
}

/* ---- strftime ---- */

/* Weeks of the year whose first day is Sunday (0) or Monday (1). */
static unsigned week_of(const moment *m, unsigned first)
{
    unsigned week_day = first ? m->week_day : (m->week_day + 1) % 7;
    return (m->day_of_year + 6 - week_day) / 7;
}

static bool put_letter(line *l, const moment *m, char letter, bool is_bare);

/* Writes several letters, and what stands between them. */
static bool format_time_put_letters(line *l, const moment *m, const char *letters)
{
    for (; *letters; letters++)
        if (isalpha((unsigned char)*letters))
            put_letter(l, m, *letters, false);
        else
            format_time_put(l, letters, 1);
    return true;
}

/* False: there is no such letter. A timestamp is in UTC, whose name it does not have. */
static bool put_letter(line *l, const moment *m, char letter, bool is_bare)
{
    const char *month = moment_months[m->month - 1], *day = moment_days[m->week_day];
    unsigned two = is_bare ? 1 : 2;
    switch (letter) {
    case 'a':
        format_time_put(l, day, 3);
        return true;
    case 'A':
        format_time_put(l, day, strlen(day));
        return true;
    case 'b':
    case 'h':
        format_time_put(l, month, 3);
        return true;
    case 'B':
        format_time_put(l, month, strlen(month));
        return true;
    case 'd':
        format_time_put_number(l, m->day, two);
        return true;
    case 'f':
        format_time_put_number(l, m->microsecond, 6);
        return true;
    case 'g':
        format_time_put_number(l, m->microsecond / 1000, 3);
        return true;
    case 'G':
        format_time_put_number(l, m->iso_year, 4);
        return true;
    case 'H':
        format_time_put_number(l, m->hour, two);
        return true;
    case 'I':
        format_time_put_number(l, m->hour % 12 ? m->hour % 12 : 12, two);
        return true;
    case 'j':
        format_time_put_number(l, m->day_of_year, is_bare ? 1 : 3);
        return true;
    case 'm':
        format_time_put_number(l, m->month, two);
        return true;
    case 'M':
        format_time_put_number(l, m->minute, two);
        return true;
    case 'n':
        format_time_put_number(l, m->microsecond * 1000ll, 9);
        return true;
    case 'p':
        format_time_put(l, m->hour < 12 ? "AM" : "PM", 2);
        return true;
    case 'S':
        format_time_put_number(l, m->second, two);
        return true;
    case 'u':
        format_time_put_number(l, m->week_day + 1, 1);
        return true;
    case 'U':
        format_time_put_number(l, week_of(m, 0), two);
        return true;
    case 'V':
        format_time_put_number(l, m->iso_week, two);
        return true;
    case 'w':
        format_time_put_number(l, (m->week_day + 1) % 7, 1);
        return true;
    case 'W':
        format_time_put_number(l, week_of(m, 1), two);
        return true;
    case 'x':
        return format_time_put_letters(l, m, "Y-m-d");
    case 'c':
        return format_time_put_letters(l, m, "Y-m-d H:M:S");
    case 'T':
    case 'X':
        return format_time_put_letters(l, m, "H:M:S");
    case 'z':
        format_time_put(l, "+00", 3);
        return true;
    case 'Z':
        return true;
    case 'y':
        format_time_put_number(l, (m->year < 0 ? -m->year : m->year) % 100, two);
        return true;
    case 'Y':
        format_time_put_number(l, m->year, m->year < 0 ? 5 : 4);
        return true;
    case '%':
        format_time_put(l, "%", 1);
        return true;
    default:
        return false;
    }
}

/* An infinite timestamp has one text, whatever the format, as in DuckDB. */
status host_strftime(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 1, row);
    const char *format = string_data(view);
    int64_t timestamp = host_integer(c, 0, row);
    if (calendar_is_infinite(timestamp))
        return host_put_text(c, row, timestamp < 0 ? "-infinity" : "infinity",
                             timestamp < 0 ? 9 : 8);
    moment m = moment_of(timestamp);
    line l = {.call = c};
    TRY(host_put_room(c, (uint64_t)view->bytes * WORD_BYTES_MAX, &l.at));
    for (size_t at = 0; at < view->bytes; at++) {
        if (format[at] != '%') {
            format_time_put(&l, format + at, 1);
            continue;
        }
        bool is_bare = ++at < view->bytes && format[at] == '-';
        at += is_bare;
        if (at >= view->bytes || !put_letter(&l, &m, format[at], is_bare))
            return status_new(STATUS_KIND_DATA,
                              "strftime does not know the format \"%.*s\" from character %zu on",
                              (int)(view->bytes < 60 ? view->bytes : 60), format, at + 1);
    }
    host_put_filled(c, row, l.length);
    return STATUS_OK;
}
