/* zone_rule.c - POSIX rules of time zones: "CET-1CEST,M3.5.0,M10.5.0/3". */
#include "base/time/zone_rule.h"

#include "base/text/text_scan.h"
#include "base/time/zone.h"
#include "base/type/calendar.h"

#include <stdio.h>
#include <string.h>

#define DAY_SECONDS ((int64_t)86400)
/* Hours of a time of the day that a rule names (RFC 8536, 3.3.1), and of an offset, at most. */
#define RULE_HOURS_MAX 167
#define OFFSET_HOURS_MAX 24

/* ---- reading ---- */

/* Letters, or <anything of letters, digits, colons and signs>. PostgreSQL takes none at all, too. */
static bool zone_rule_read_name(text_scan *s, char out[ZONE_SHORT_BYTES])
{
    size_t bytes = 0;
    bool is_quoted = scan_char(s, '<');
    for (; !scan_done(s); s->at++) {
        char c = *s->at;
        bool is_part = scan_is_letter(c) ||
                       (is_quoted && (scan_is_digit(c) || c == '+' || c == '-' || c == ':'));
        if (!is_part)
            break;
        if (bytes + 1 >= ZONE_SHORT_BYTES)
            return false;
        out[bytes++] = c;
    }
    out[bytes] = '\0';
    return !is_quoted || scan_char(s, '>');
}

/* [+-]hh[:mm[:ss]] */
static bool zone_rule_read_time(text_scan *s, int hours_max, int32_t *out)
{
    bool is_negative = false;
    int64_t hours, minutes = 0, seconds = 0;
    scan_sign(s, &is_negative);
    if (!scan_digits(s, 1, 3, &hours))
        return false;
    if (scan_char(s, ':') && !scan_digits(s, 1, 2, &minutes))
        return false;
    if (scan_char(s, ':') && !scan_digits(s, 1, 2, &seconds))
        return false;
    if (hours > hours_max || minutes > 59 || seconds > 59)
        return false;
    *out = (int32_t)(hours * 3600 + minutes * 60 + seconds);
    if (is_negative)
        *out = -*out;
    return true;
}

static bool zone_rule_read_number(text_scan *s, int least, int most, int *out)
{
    int64_t number;
    if (!scan_digits(s, 1, 3, &number) || number < least || number > most)
        return false;
    *out = (int)number;
    return true;
}

/* ,Mm.w.d or ,Jn or ,n and perhaps /time */
static bool read_day(text_scan *s, zone_day *out)
{
    bool is_read;
    memset(out, 0, sizeof *out);
    if (!scan_char(s, ','))
        return false;
    if (scan_char(s, 'M')) {
        out->kind = ZONE_DAY_OF_MONTH;
        is_read = zone_rule_read_number(s, 1, 12, &out->month) && scan_char(s, '.') &&
                  zone_rule_read_number(s, 1, 5, &out->week) && scan_char(s, '.') &&
                  zone_rule_read_number(s, 0, 6, &out->day);
    } else if (scan_char(s, 'J')) {
        out->kind = ZONE_DAY_WITHOUT_LEAP;
        is_read = zone_rule_read_number(s, 1, 365, &out->day);
    } else {
        out->kind = ZONE_DAY_OF_YEAR;
        is_read = zone_rule_read_number(s, 0, 365, &out->day);
    }
    out->time = 2 * 3600;
    return is_read && (!scan_char(s, '/') || zone_rule_read_time(s, RULE_HOURS_MAX, &out->time));
}

/* Rules count west of UTC. */
static bool read_offset(text_scan *s, int32_t *out)
{
    if (!zone_rule_read_time(s, OFFSET_HOURS_MAX, out))
        return false;
    *out = -*out;
    return true;
}

bool zone_rule_parse(const char *text, size_t bytes, zone_rule *out)
{
    static const char usual[] = ",M3.2.0,M11.1.0"; /* where a rule does not say when */
    text_scan s = {text, text + bytes}, days = {usual, usual + sizeof usual - 1};
    memset(out, 0, sizeof *out);
    if (!zone_rule_read_name(&s, out->standard) || !read_offset(&s, &out->offset))
        return false;
    if (scan_done(&s))
        return true;
    out->has_summer = true;
    out->summer_offset = out->offset + 3600;
    if (!zone_rule_read_name(&s, out->summer) || !*out->summer)
        return false;
    if (!scan_done(&s) && *s.at != ',' && !read_offset(&s, &out->summer_offset))
        return false;
    text_scan *from = scan_done(&s) ? &days : &s;
    return read_day(from, &out->begin) && read_day(from, &out->end) && scan_done(from);
}

/* ---- instants ---- */

/* Days since 1970 of the rule's day in a year. */
static int64_t day_in_year(const zone_day *d, int32_t year)
{
    int64_t first = calendar_from_civil(year, 1, 1);
    if (d->kind == ZONE_DAY_OF_YEAR)
        return first + d->day;
    if (d->kind == ZONE_DAY_WITHOUT_LEAP) {
        bool is_leap = calendar_month_days(year, 2) == 29;
        return first + d->day - 1 + (is_leap && d->day >= 60);
    }
    int64_t day = calendar_from_civil(year, (unsigned)d->month, 1);
    int64_t month_end = day + calendar_month_days(year, (unsigned)d->month);
    int64_t week_day = ((day + 4) % 7 + 7) % 7; /* Sunday is 0; 1970-01-01 was a Thursday */
    day += (d->day - week_day + 7) % 7 + 7 * (d->week - 1);
    return day >= month_end ? day - 7 : day;
}

typedef struct change {
    int64_t at;
    bool to_summer;
} change;

/* Adds a year's changes, as instants; what ends something comes before what begins at the same moment. */
static void add_changes(const zone_rule *rule, int32_t year, change *list, int *count)
{
    const change pair[] = {
        {day_in_year(&rule->end, year) * DAY_SECONDS + rule->end.time - rule->summer_offset, false},
        {day_in_year(&rule->begin, year) * DAY_SECONDS + rule->begin.time - rule->offset, true}};
    for (int i = 0; i < 2; i++) {
        int at = (*count)++;
        for (; at > 0 && list[at - 1].at > pair[i].at; at--)
            list[at] = list[at - 1];
        list[at] = pair[i];
    }
}

void zone_rule_at(const zone_rule *rule, int64_t instant, zone_span *out)
{
    *out = (zone_span){INT64_MIN, INT64_MAX, rule->offset, rule->standard};
    int64_t day = instant / DAY_SECONDS - (instant % DAY_SECONDS < 0);
    int32_t year;
    unsigned month, month_day;
    /* Beyond what any timestamp can be the standard time is as good as another. */
    if (!rule->has_summer || day < -(INT32_MAX / 2) || day > INT32_MAX / 2)
        return;
    calendar_to_civil((int32_t)day, &year, &month, &month_day);
    change nearby[6];
    int count = 0;
    for (int32_t y = year - 1; y <= year + 1; y++)
        add_changes(rule, y, nearby, &count);
    for (int i = 0; i < count; i++) {
        if (nearby[i].at > instant) {
            out->to = nearby[i].at;
            break;
        }
        out->from = nearby[i].at;
        out->offset = nearby[i].to_summer ? rule->summer_offset : rule->offset;
        out->name = nearby[i].to_summer ? rule->summer : rule->standard;
    }
}

size_t zone_offset_format(int32_t offset, char *text)
{
    unsigned seconds = (unsigned)(offset < 0 ? -offset : offset);
    char sign = offset < 0 ? '-' : '+';
    int bytes = snprintf(text, ZONE_SHORT_BYTES, "%c%02u", sign, seconds / 3600 % 1000);
    if (seconds % 3600)
        bytes +=
            snprintf(text + bytes, ZONE_SHORT_BYTES - (size_t)bytes, ":%02u", seconds / 60 % 60);
    if (seconds % 60)
        bytes += snprintf(text + bytes, ZONE_SHORT_BYTES - (size_t)bytes, ":%02u", seconds % 60);
    return (size_t)bytes;
}
