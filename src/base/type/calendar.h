/* calendar.h - the proleptic Gregorian calendar, for the host and for kernels of every device: what
 * type.h declares, under names of its own.
 *
 * Years start in March here, so that a leap day ends one; an era is 400 years of 146,097 days
 * (H. Hinnant, "chrono-compatible low-level date algorithms"). */
#ifndef PISTACHIO_BASE_TYPE_CALENDAR_H
#define PISTACHIO_BASE_TYPE_CALENDAR_H

#include "base/type/portable.h"

/* In microseconds. */
#define CALENDAR_SECOND ((int64_t)1000000)
#define CALENDAR_DAY (86400 * CALENDAR_SECOND)

/* Infinite dates and moments, in whatever unit, are the greatest number and its opposite, as in DuckDB; the least number,
 * one below, is a date like others. */
PORTABLE bool calendar_is_infinite_date(int32_t days)
{
    return days == INT32_MAX || days == -INT32_MAX;
}

PORTABLE bool calendar_is_infinite(int64_t moment)
{
    return moment == INT64_MAX || moment == -INT64_MAX;
}

#define DAYS_PER_ERA 146097
#define DAYS_TO_1970 719468 /* from 0000-03-01 */

PORTABLE int32_t calendar_from_civil(int32_t year, unsigned month, unsigned day)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int32_t)(era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970);
}

PORTABLE void calendar_to_civil(int32_t days, int32_t *year, unsigned *month, unsigned *day)
{
    int64_t z = (int64_t)days + DAYS_TO_1970;
    int64_t era = (z >= 0 ? z : z - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    int64_t day_of_era = z - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    *day = (unsigned)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    *month = (unsigned)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    *year = (int32_t)(year_of_era + era * 400 + (*month <= 2));
}

PORTABLE unsigned calendar_month_days(int32_t year, unsigned month)
{
    const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap);
}

PORTABLE int32_t calendar_add_months(int32_t days, int32_t months)
{
    int32_t year;
    unsigned month, day;
    calendar_to_civil(days, &year, &month, &day);
    int64_t total = (int64_t)year * 12 + (int64_t)(month - 1) + months;
    int64_t new_year = total >= 0 ? total / 12 : -((11 - total) / 12);
    unsigned new_month = (unsigned)(total - new_year * 12) + 1;
    unsigned last = calendar_month_days((int32_t)new_year, new_month);
    return calendar_from_civil((int32_t)new_year, new_month, day < last ? day : last);
}

#endif
