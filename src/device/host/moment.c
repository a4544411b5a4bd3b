/* moment.c - a timestamp's fields. */
#include "device/host/moment.h"

#include <strings.h>

const char *const moment_months[12] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};
const char *const moment_days[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                    "Friday", "Saturday", "Sunday"};

static int64_t moment_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The Monday that week 1 of the year begins with: the week that has 4 January. */
static int32_t first_week(int32_t year)
{
    int32_t fourth = calendar_from_civil(year, 1, 4);
    return fourth - (int32_t)((fourth % 7 + 10) % 7);
}

moment moment_of(int64_t timestamp)
{
    moment m;
    m.days = (int32_t)moment_floor_divide(timestamp, CALENDAR_DAY);
    int64_t time = timestamp - m.days * CALENDAR_DAY;
    calendar_to_civil(m.days, &m.year, &m.month, &m.day);
    m.microsecond = (unsigned)(time % CALENDAR_SECOND);
    unsigned seconds = (unsigned)(time / CALENDAR_SECOND);
    m.hour = seconds / 3600;
    m.minute = seconds / 60 % 60;
    m.second = seconds % 60;
    m.day_of_year = (unsigned)(m.days - calendar_from_civil(m.year, 1, 1)) + 1;
    m.week_day = (unsigned)((m.days % 7 + 10) % 7); /* 1970-01-01 was a Thursday */
    m.iso_year = m.year + 1;
    while (first_week(m.iso_year) > m.days)
        m.iso_year--;
    m.iso_week = (unsigned)(m.days - first_week(m.iso_year)) / 7 + 1;
    return m;
}

int64_t moment_rounded_count(int64_t count, int64_t unit)
{
    int64_t up = unit / 2, past;
    bool is_past = count < 0 ? __builtin_sub_overflow(count, up, &past)
                             : __builtin_add_overflow(count, up, &past);
    return is_past ? count : past / unit * unit;
}

#define DAY_OF_2000 10957

int64_t moment_rounded(int64_t timestamp, int64_t unit)
{
    int64_t epoch = DAY_OF_2000 * CALENDAR_DAY, moved;
    if (__builtin_sub_overflow(timestamp, epoch, &moved))
        return timestamp;
    return moment_rounded_count(moved, unit) + epoch;
}

bool moment_same(const char *text, const char *name, size_t count)
{
    return !strncasecmp(text, name, count);
}
