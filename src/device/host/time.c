/* time.c - functions of dates and timestamps (in microseconds): made of their fields, and apart. */
#include "base/type/calendar.h"
#include "device/host/host.h"
#include "device/host/moment.h"

#include <math.h>
#include <strings.h>

#define YEAR_MAX 294276 /* of a timestamp in microseconds */

typedef struct civil {
    int32_t year;
    unsigned month, day;
    int64_t time; /* of the day */
    int32_t days; /* since 1970 */
} civil;

static int64_t time_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static civil civil_of(int64_t timestamp)
{
    civil at;
    at.days = (int32_t)time_floor_divide(timestamp, CALENDAR_DAY);
    at.time = timestamp - at.days * CALENDAR_DAY;
    calendar_to_civil(at.days, &at.year, &at.month, &at.day);
    return at;
}

/* ---- made of fields ---- */

/* Years count from 1 in both directions, as in PostgreSQL. */
static status date_of(const host_call *c, uint64_t row, int32_t *out)
{
    int64_t year = host_integer(c, 0, row), month = host_integer(c, 1, row);
    int64_t day = host_integer(c, 2, row), counted = year < 0 ? year + 1 : year;
    if (year == 0 || counted < -4712 || year > YEAR_MAX || month < 1 || month > 12 || day < 1 ||
        day > calendar_month_days((int32_t)counted, (unsigned)month))
        return status_new(STATUS_KIND_DATA, "%lld-%02lld-%02lld is not a date", (long long)year,
                          (long long)month, (long long)day);
    *out = calendar_from_civil((int32_t)counted, (unsigned)month, (unsigned)day);
    return STATUS_OK;
}

status host_make_date(host_call *c, uint64_t row)
{
    return date_of(c, row, (int32_t *)c->values + row);
}

status host_make_timestamp(host_call *c, uint64_t row)
{
    int64_t hour = host_integer(c, 3, row), minute = host_integer(c, 4, row);
    double second = host_double(c, 5, row);
    int32_t days;
    TRY(date_of(c, row, &days));
    bool is_midnight = hour == 24 && minute == 0 && second == 0;
    if (hour < 0 || (hour > 23 && !is_midnight) || minute < 0 || minute > 59 ||
        !(second >= 0 && second <= 60))
        return status_new(STATUS_KIND_DATA, "%lld:%02lld:%02g is not a time of day",
                          (long long)hour, (long long)minute, second);
    host_put_integer(c, row,
                     days * CALENDAR_DAY + (hour * 60 + minute) * 60 * CALENDAR_SECOND +
                         (int64_t)rint(second * (double)CALENDAR_SECOND));
    return STATUS_OK;
}

status host_last_day(host_call *c, uint64_t row)
{
    if (host_put_null_of_infinite(c, 0, row))
        return STATUS_OK;
    civil at = civil_of(host_integer(c, 0, row));
    ((int32_t *)c->values)[row] =
        calendar_from_civil(at.year, at.month, calendar_month_days(at.year, at.month));
    return STATUS_OK;
}

/* ---- differences ---- */

/* Years and months as a calendar counts them, then days and time: a day that the month before the
 * later one has not is carried into it as PostgreSQL does, by the length of the earlier one's month. */
status host_age(host_call *c, uint64_t row)
{
    if (host_put_null_of_infinite(c, 0, row))
        return STATUS_OK;
    int64_t first = host_integer(c, 0, row), second = host_integer(c, 1, row);
    bool is_negative = first < second;
    civil late = civil_of(is_negative ? second : first);
    civil early = civil_of(is_negative ? first : second);
    int64_t time = late.time - early.time;
    int64_t days = (int64_t)late.day - early.day;
    int64_t months = (late.year - (int64_t)early.year) * 12 + late.month - early.month;
    if (time < 0) {
        time += CALENDAR_DAY;
        days--;
    }
    if (days < 0) {
        days += calendar_month_days(early.year, early.month);
        months--;
    }
    int sign = is_negative ? -1 : 1;
    ((interval_value *)c->values)[row] =
        (interval_value){(int32_t)(sign * months), (int32_t)(sign * days), sign * time};
    return STATUS_OK;
}

/* Parts by which differences are counted. */
typedef struct part {
    const char *name;
    int64_t months; /* of one; or */
    int64_t units;  /* microseconds */
} part;

static const part parts[] = {
    {"microsecond", 0, 1},
    {"millisecond", 0, 1000},
    {"second", 0, CALENDAR_SECOND},
    {"minute", 0, 60 * CALENDAR_SECOND},
    {"hour", 0, 3600 * CALENDAR_SECOND},
    {"day", 0, CALENDAR_DAY},
    {"week", 0, 7 * CALENDAR_DAY},
    {"month", 1, 0},
    {"quarter", 3, 0},
    {"year", 12, 0},
    {"decade", 120, 0},
    {"century", 1200, 0},
    {"millennium", 12000, 0},
};

static const part *time_find_part(const string_view *name)
{
    const char *text = string_data(name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t bytes = strlen(parts[i].name);
        bool is_plural = name->bytes == bytes + 1 && (text[bytes] | 0x20) == 's';
        if ((name->bytes == bytes || is_plural) && !strncasecmp(text, parts[i].name, bytes))
            return &parts[i];
    }
    return NULL;
}

/* Which of the parts a moment is in: borders between them are what is counted. */
static int64_t part_number(const part *p, int64_t timestamp)
{
    if (p->units)
        return time_floor_divide(timestamp, p->units);
    civil at = civil_of(timestamp);
    return time_floor_divide((int64_t)at.year * 12 + at.month - 1, p->months);
}

status host_date_diff(host_call *c, uint64_t row)
{
    const string_view *name = host_text(c, 0, row);
    const part *p = time_find_part(name);
    if (!p)
        return status_hint(
            status_new(STATUS_KIND_DATA, "date_diff does not count \"%.*s\"",
                       (int)(name->bytes < 40 ? name->bytes : 40), string_data(name)),
            "it counts microsecond to hour, day, week, month, quarter, year to millennium");
    int64_t from = host_integer(c, 1, row), to = host_integer(c, 2, row);
    if (host_put_null_of_infinite(c, 1, row))
        return STATUS_OK;
    if (p->units > CALENDAR_DAY) /* weeks have no borders: they are seven days */
        host_put_integer(
            c, row,
            (time_floor_divide(to, CALENDAR_DAY) - time_floor_divide(from, CALENDAR_DAY)) / 7);
    else
        host_put_integer(c, row, part_number(p, to) - part_number(p, from));
    return STATUS_OK;
}

/* Returns how many whole months lie between two moments, the first before the second; on the last day of a month all days
 * of another that it lacks are over. */
static int64_t whole_months(int64_t from, int64_t to)
{
    civil early = civil_of(from), late = civil_of(to);
    int64_t months = (late.year - (int64_t)early.year) * 12 + late.month - early.month;
    bool is_last = late.day == calendar_month_days(late.year, late.month);
    unsigned early_day = is_last && early.day > late.day ? late.day : early.day;
    bool is_short = early_day > late.day || (early_day == late.day && early.time > late.time);
    return months - is_short;
}

status host_date_sub(host_call *c, uint64_t row)
{
    const string_view *name = host_text(c, 0, row);
    const part *p = time_find_part(name);
    int64_t from = host_integer(c, 1, row), to = host_integer(c, 2, row);
    if (!p)
        return status_new(STATUS_KIND_DATA, "date_sub does not count \"%.*s\"",
                          (int)(name->bytes < 40 ? name->bytes : 40), string_data(name));
    if (host_put_null_of_infinite(c, 1, row))
        return STATUS_OK;
    if (p->units) {
        int64_t distance;
        if (__builtin_sub_overflow(to, from, &distance))
            return status_new(STATUS_KIND_DATA, "the moments of date_sub are too far apart");
        host_put_integer(c, row, distance / p->units);
        return STATUS_OK;
    }
    int64_t months = from <= to ? whole_months(from, to) : -whole_months(to, from);
    host_put_integer(c, row, months / p->months);
    return STATUS_OK;
}

/* ---- cut and rounded ---- */

static interval_value interval_of(const host_call *c, uint64_t row)
{
    return ((const interval_value *)c->args[0].values)[row * c->args[0].stride];
}

status host_round_time(host_call *c, uint64_t row)
{
    int64_t time = host_integer(c, 0, row), unit = host_integer(c, 1, row);
    host_put_integer(c, row,
                     calendar_is_infinite(time) ? time
                     : c->type.id == TYPE_TIME || c->type.precision == 9
                         ? moment_rounded_count(time, unit)
                         : moment_rounded(time, unit));
    return STATUS_OK;
}

status host_round_interval(host_call *c, uint64_t row)
{
    interval_value v = interval_of(c, row);
    v.microseconds = moment_rounded_count(v.microseconds, host_integer(c, 1, row));
    ((interval_value *)c->values)[row] = v;
    return STATUS_OK;
}

status host_time_to_interval(host_call *c, uint64_t row)
{
    ((interval_value *)c->values)[row] = (interval_value){0, 0, host_integer(c, 0, row)};
    return STATUS_OK;
}

/* The clock at its end that began it at midnight: months and days are whole ones. */
status host_interval_to_time(host_call *c, uint64_t row)
{
    int64_t time = interval_of(c, row).microseconds;
    host_put_integer(c, row, time - time_floor_divide(time, CALENDAR_DAY) * CALENDAR_DAY);
    return STATUS_OK;
}

/* To whole groups of months; without its days if there are none of them (0), and to whole units of time (0: none). */
status host_cut_interval(host_call *c, uint64_t row)
{
    interval_value v = interval_of(c, row);
    int32_t months = (int32_t)host_integer(c, 1, row);
    int64_t unit = host_integer(c, 3, row);
    v.months -= v.months % months;
    v.days = host_integer(c, 2, row) ? v.days : 0;
    v.microseconds = unit ? v.microseconds - v.microseconds % unit : 0;
    ((interval_value *)c->values)[row] = v;
    return STATUS_OK;
}
