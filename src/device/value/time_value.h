/* time_value.h - fields of dates and times, cutting them, and arithmetic with intervals: what the
 * kernels date_part, date_trunc and time_arithmetic of every device do with a row. */
#ifndef PISTACHIO_DEVICE_VALUE_TIME_VALUE_H
#define PISTACHIO_DEVICE_VALUE_TIME_VALUE_H

#include "base/type/calendar.h"
#include "device/kernels/kernel_ops.h"
#include "device/kernels/kernel_types.h"

#include <math.h>

PORTABLE int64_t floor_divide(int64_t number, int64_t divisor)
{
    int64_t quotient = number / divisor;
    return quotient - (number % divisor < 0);
}

/* ---- fields ---- */

typedef struct civil {
    int32_t year;
    unsigned month, day;
} civil;

PORTABLE civil civil_of(int32_t days)
{
    civil c;
    calendar_to_civil(days, &c.year, &c.month, &c.day);
    return c;
}

/* Monday is 0; 1970-01-01 was a Thursday. */
PORTABLE int32_t calendar_weekday(int32_t days)
{
    return (int32_t)(((int64_t)days + 3) % 7 + 7) % 7;
}

/* The Thursday of a week decides which year it belongs to. */
PORTABLE int32_t week_thursday(int32_t days)
{
    return days - calendar_weekday(days) + 3;
}

/* The first century is years 1 to 100, and year 0, which is 1 BC, ends the one before it, -1. */
PORTABLE int64_t calendar_year_group(int32_t year, int32_t size)
{
    return year > 0 ? ((int64_t)year + size - 1) / size : -((size - (int64_t)year) / size);
}

/* Years before 1 have no zero: as PostgreSQL, 1 BC is -1. */
PORTABLE int64_t calendar_year(int32_t year)
{
    return year > 0 ? year : (int64_t)year - 1;
}

PORTABLE int64_t part_of_date(dev_date_part part, int32_t days)
{
    civil c = civil_of(days);
    switch (part) {
    case DEV_PART_YEAR:
        return calendar_year(c.year);
    case DEV_PART_MONTH:
        return c.month;
    case DEV_PART_DAY:
        return c.day;
    case DEV_PART_QUARTER:
        return (c.month + 2) / 3;
    case DEV_PART_DECADE:
        return floor_divide(c.year, 10);
    case DEV_PART_CENTURY:
        return calendar_year_group(c.year, 100);
    case DEV_PART_MILLENNIUM:
        return calendar_year_group(c.year, 1000);
    case DEV_PART_DOW:
        return (calendar_weekday(days) + 1) % 7;
    case DEV_PART_ISODOW:
        return calendar_weekday(days) + 1;
    case DEV_PART_DOY:
        return days - calendar_from_civil(c.year, 1, 1) + 1;
    case DEV_PART_WEEK: {
        int32_t thursday = week_thursday(days);
        return (thursday - calendar_from_civil(civil_of(thursday).year, 1, 1)) / 7 + 1;
    }
    case DEV_PART_ISOYEAR:
        return calendar_year(civil_of(week_thursday(days)).year);
    default:
        return 0;
    }
}

/* Returns a part of microseconds since midnight, or of an interval. */
PORTABLE int64_t part_of_time(dev_date_part part, int64_t microseconds)
{
    switch (part) {
    case DEV_PART_HOUR:
        return microseconds / (3600 * CALENDAR_SECOND);
    case DEV_PART_MINUTE:
        return microseconds / (60 * CALENDAR_SECOND) % 60;
    case DEV_PART_SECOND:
        return microseconds / CALENDAR_SECOND % 60;
    case DEV_PART_MILLISECONDS:
        return microseconds % (60 * CALENDAR_SECOND) / 1000;
    case DEV_PART_MICROSECONDS:
        return microseconds % (60 * CALENDAR_SECOND);
    default:
        return 0;
    }
}

PORTABLE bool is_part_of_day(dev_date_part part)
{
    return part == DEV_PART_HOUR || part == DEV_PART_MINUTE || part == DEV_PART_SECOND ||
           part == DEV_PART_MILLISECONDS || part == DEV_PART_MICROSECONDS;
}

/* Nanoseconds are cut to microseconds. */
PORTABLE int64_t microseconds_of(const date_part_arguments *a, uint64_t i)
{
    int64_t count = ((const int64_t *)a->values)[i];
    return a->type.precision == 9 ? floor_divide(count, 1000) : count;
}

PORTABLE int64_t part_of_interval(dev_date_part part, const interval_value *v)
{
    switch (part) {
    case DEV_PART_YEAR:
        return v->months / 12;
    case DEV_PART_MONTH:
        return v->months % 12;
    case DEV_PART_QUARTER:
        return v->months % 12 / 3 + 1;
    case DEV_PART_DECADE:
        return v->months / 120;
    case DEV_PART_CENTURY:
        return v->months / 1200;
    case DEV_PART_MILLENNIUM:
        return v->months / 12000;
    case DEV_PART_DAY:
        return v->days;
    default:
        return part_of_time(part, v->microseconds);
    }
}

PORTABLE double date_part_epoch(const date_part_arguments *a, uint64_t i)
{
    switch (a->type.id) {
    case TYPE_DATE:
        return ((const int32_t *)a->values)[i] * 86400.0;
    case TYPE_INTERVAL: {
        const interval_value *v = (const interval_value *)a->values + i;
        double days = v->months / 12 * 365.25 + v->months % 12 * 30.0 + v->days;
        return days * 86400 + (double)v->microseconds / 1e6;
    }
    default: {
        double unit = a->type.precision == 9 ? 1e9 : 1e6;
        return (double)((const int64_t *)a->values)[i] / unit;
    }
    }
}

#define JULIAN_OF_1970 2440588

PORTABLE double date_part_julian(const date_part_arguments *a, uint64_t i)
{
    if (a->type.id == TYPE_DATE)
        return ((const int32_t *)a->values)[i] + (double)JULIAN_OF_1970;
    int64_t unit = a->type.precision == 9 ? 1000 : 1, time = ((const int64_t *)a->values)[i];
    int64_t days = floor_divide(time, CALENDAR_DAY * unit);
    double of_day = (double)(time - days * CALENDAR_DAY * unit) / (double)(CALENDAR_DAY * unit);
    return (double)(days + JULIAN_OF_1970) + of_day;
}

PORTABLE int64_t date_part_row(const date_part_arguments *a, uint64_t i)
{
    dev_date_part part = (dev_date_part)a->part;
    if (a->type.id == TYPE_INTERVAL)
        return part_of_interval(part, (const interval_value *)a->values + i);
    int64_t time = microseconds_of(a, i);
    if (a->type.id == TYPE_TIME)
        return part_of_time(part, time);
    int64_t days = floor_divide(time, CALENDAR_DAY);
    return is_part_of_day(part) ? part_of_time(part, time - days * CALENDAR_DAY)
                                : part_of_date(part, (int32_t)days);
}

/* ---- cutting ---- */

/* The first day of the period that the day is in. */
PORTABLE int32_t trunc_days(dev_date_part part, int32_t days)
{
    civil c = civil_of(days);
    switch (part) {
    case DEV_PART_MONTH:
        return calendar_from_civil(c.year, c.month, 1);
    case DEV_PART_QUARTER:
        return calendar_from_civil(c.year, (c.month - 1) / 3 * 3 + 1, 1);
    case DEV_PART_YEAR:
        return calendar_from_civil(c.year, 1, 1);
    case DEV_PART_DECADE:
        return calendar_from_civil((int32_t)floor_divide(c.year, 10) * 10, 1, 1);
    case DEV_PART_CENTURY:
        return calendar_from_civil((int32_t)floor_divide(c.year - 1, 100) * 100 + 1, 1, 1);
    case DEV_PART_MILLENNIUM:
        return calendar_from_civil((int32_t)floor_divide(c.year - 1, 1000) * 1000 + 1, 1, 1);
    case DEV_PART_WEEK:
        return days - calendar_weekday(days);
    default:
        return days;
    }
}

PORTABLE int64_t unit_of(dev_date_part part)
{
    switch (part) {
    case DEV_PART_HOUR:
        return 3600 * CALENDAR_SECOND;
    case DEV_PART_MINUTE:
        return 60 * CALENDAR_SECOND;
    case DEV_PART_SECOND:
        return CALENDAR_SECOND;
    case DEV_PART_MILLISECONDS:
        return 1000;
    default:
        return 1;
    }
}

/* Gives the infinite timestamp where a date or a timestamp is infinite. */
PORTABLE bool time_is_infinite(data_type type, const void *values, uint64_t i, int64_t *out)
{
    if (type.id == TYPE_DATE) {
        int32_t days = ((const int32_t *)values)[i];
        *out = days < 0 ? -INT64_MAX : INT64_MAX;
        return calendar_is_infinite_date(days);
    }
    *out = ((const int64_t *)values)[i];
    return calendar_is_infinite(*out);
}

/* In units of out_type; false: out of its range. */
PORTABLE bool date_trunc_row(const date_trunc_arguments *a, uint64_t i, int64_t *out)
{
    dev_date_part part = (dev_date_part)a->part;
    int64_t scale = a->out_type.precision == 9 ? 1000 : 1;
    int64_t time, days;
    if (time_is_infinite(a->type, a->values, i, out))
        return true;
    if (a->type.id == TYPE_DATE) {
        days = ((const int32_t *)a->values)[i];
        time = 0;
    } else {
        int64_t count = ((const int64_t *)a->values)[i];
        if (a->type.precision == 9)
            count = floor_divide(count, 1000);
        days = floor_divide(count, CALENDAR_DAY);
        time = count - days * CALENDAR_DAY;
    }
    if (is_part_of_day(part)) {
        int64_t unit = unit_of(part);
        time = time / unit * unit;
    } else {
        days = trunc_days(part, (int32_t)days);
        time = 0;
    }
    return !multiply_overflows_64(days, CALENDAR_DAY, &days) &&
           !add_overflows_64(days, time, &days) && !multiply_overflows_64(days, scale, out);
}

/* ---- arithmetic ---- */

/* An infinite date stays so; no other becomes it. */
PORTABLE bool add_date_days(int32_t date, int32_t days, int32_t *out)
{
    *out = date;
    return calendar_is_infinite_date(date) ||
           (!add_overflows_32(date, days, out) && !calendar_is_infinite_date(*out));
}

/* Months first, the day clipped to the month's last; then days; then the time. An infinite timestamp stays so. */
PORTABLE bool add_interval(int64_t timestamp, const interval_value *v, int64_t unit, int64_t *out)
{
    *out = timestamp;
    if (calendar_is_infinite(timestamp))
        return true;
    int64_t day_units = CALENDAR_DAY * unit;
    int64_t days = floor_divide(timestamp, day_units), time = timestamp - days * day_units;
    int64_t more;
    if (v->months) {
        int64_t months = civil_of((int32_t)days).year * 12ll + v->months;
        if (months < -12ll * 300000 || months > 12ll * 300000)
            return false;
        days = calendar_add_months((int32_t)days, v->months);
    }
    days += v->days;
    return !multiply_overflows_64(days, day_units, &days) && !add_overflows_64(days, time, &days) &&
           !multiply_overflows_64(v->microseconds, unit, &more) &&
           !add_overflows_64(days, more, out) && !calendar_is_infinite(*out);
}

PORTABLE double scale_part(double part, double number, bool is_division)
{
    return is_division ? part / number : part * number;
}

/* Times or divided by a number. Parts that are not whole go down: a month counts 30 days, a day 24 hours; what
 * rounding leaves of them is rounded to a millionth, as in PostgreSQL. */
PORTABLE bool scale_interval(const interval_value *v, double number, bool is_division,
                             interval_value *out)
{
    double months = scale_part(v->months, number, is_division);
    double days = scale_part(v->days, number, is_division);
    if (!(fabs(months) < 0x1p31 && fabs(days) < 0x1p31))
        return false;
    double more_days = rint((months - trunc(months)) * 30 * 1e6) / 1e6;
    double seconds = (days - trunc(days) + more_days - trunc(more_days)) * 86400;
    seconds = rint(seconds * 1e6) / 1e6;
    double carried = fabs(seconds) >= 86400 ? trunc(seconds / 86400) : 0;
    double whole_days = trunc(days) + carried + trunc(more_days);
    double time = rint(scale_part((double)v->microseconds, number, is_division) +
                       (seconds - carried * 86400) * (double)CALENDAR_SECOND);
    if (!(fabs(whole_days) < 0x1p31 && fabs(time) < 0x1p63))
        return false;
    out->months = (int32_t)months;
    out->days = (int32_t)whole_days;
    out->microseconds = (int64_t)time;
    return true;
}

PORTABLE bool time_arithmetic_row(const time_arithmetic_arguments *a, uint64_t i)
{
    uint64_t l = i * a->left_stride, r = i * a->right_stride;
    int64_t unit = a->precision == 9 ? 1000 : 1;
    switch ((dev_time_op)a->op) {
    case DEV_TIME_DATE_ADD_DAYS: {
        const int32_t *left = (const int32_t *)a->left, *right = (const int32_t *)a->right;
        return add_date_days(left[l], right[r], &((int32_t *)a->out)[i]);
    }
    case DEV_TIME_DATE_DIFFERENCE: {
        const int32_t *left = (const int32_t *)a->left, *right = (const int32_t *)a->right;
        ((int64_t *)a->out)[i] = (int64_t)left[l] - right[r];
        return true;
    }
    case DEV_TIME_TIMESTAMP_ADD_INTERVAL:
        return add_interval(((const int64_t *)a->left)[l], (const interval_value *)a->right + r,
                            unit, &((int64_t *)a->out)[i]);
    case DEV_TIME_TIMESTAMP_DIFFERENCE: {
        const int64_t *left = (const int64_t *)a->left, *right = (const int64_t *)a->right;
        if (calendar_is_infinite(left[l]) || calendar_is_infinite(right[r]))
            return false;
        int128 time = (int128)left[l] / unit - right[r] / unit;
        interval_value difference = {0, (int32_t)(time / CALENDAR_DAY),
                                     (int64_t)(time % CALENDAR_DAY)};
        ((interval_value *)a->out)[i] = difference;
        return true;
    }
    case DEV_TIME_INTERVAL_ADD: {
        const interval_value *left = (const interval_value *)a->left + l;
        const interval_value *right = (const interval_value *)a->right + r;
        interval_value *out = (interval_value *)a->out + i;
        return !add_overflows_32(left->months, right->months, &out->months) &&
               !add_overflows_32(left->days, right->days, &out->days) &&
               !add_overflows_64(left->microseconds, right->microseconds, &out->microseconds);
    }
    case DEV_TIME_INTERVAL_MULTIPLY:
    case DEV_TIME_INTERVAL_DIVIDE:
        return scale_interval((const interval_value *)a->left + l, ((const double *)a->right)[r],
                              a->op == DEV_TIME_INTERVAL_DIVIDE, (interval_value *)a->out + i);
    }
    return false;
}

PORTABLE size_t time_arithmetic_width(dev_time_op op)
{
    switch (op) {
    case DEV_TIME_DATE_ADD_DAYS:
        return sizeof(int32_t);
    case DEV_TIME_DATE_DIFFERENCE:
    case DEV_TIME_TIMESTAMP_ADD_INTERVAL:
        return sizeof(int64_t);
    default:
        return sizeof(interval_value);
    }
}

#endif
