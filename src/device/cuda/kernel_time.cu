/* kernel_time.cu - fields of dates and times, cutting them, and arithmetic with intervals; a thread a
 * row, which computes as device/cpu/kernel_time.c says. */
#include "device/cuda/calendar.cuh"

#include <math.h>

#define SECOND 1000000
#define DAY (86400ll * SECOND)

DEVICE int64_t floor_divide(int64_t number, int64_t divisor)
{
    int64_t quotient = number / divisor;
    return quotient - (number % divisor < 0);
}

/* ---- fields ---- */

typedef struct civil {
    int32_t year;
    unsigned month, day;
} civil;

DEVICE civil civil_of(int32_t days)
{
    civil c;
    kernel_date_to_civil(days, &c.year, &c.month, &c.day);
    return c;
}

/* Monday is 0; 1970-01-01 was a Thursday. */
DEVICE int32_t weekday(int32_t days)
{
    return (int32_t)(((int64_t)days + 3) % 7 + 7) % 7;
}

/* The Thursday of a week decides which year it belongs to. */
DEVICE int32_t week_thursday(int32_t days)
{
    return days - weekday(days) + 3;
}

/* The first century is years 1 to 100, and year 0, which is 1 BC, ends the one before it, -1. */
DEVICE int64_t year_group(int32_t year, int32_t size)
{
    return year > 0 ? ((int64_t)year + size - 1) / size : -((size - (int64_t)year) / size);
}

/* Years before 1 have no zero: as PostgreSQL, 1 BC is -1. */
DEVICE int64_t calendar_year(int32_t year)
{
    return year > 0 ? year : (int64_t)year - 1;
}

DEVICE int64_t part_of_date(dev_date_part part, int32_t days)
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
        return year_group(c.year, 100);
    case DEV_PART_MILLENNIUM:
        return year_group(c.year, 1000);
    case DEV_PART_DOW:
        return (weekday(days) + 1) % 7;
    case DEV_PART_ISODOW:
        return weekday(days) + 1;
    case DEV_PART_DOY:
        return days - kernel_date_from_civil(c.year, 1, 1) + 1;
    case DEV_PART_WEEK: {
        int32_t thursday = week_thursday(days);
        return (thursday - kernel_date_from_civil(civil_of(thursday).year, 1, 1)) / 7 + 1;
    }
    case DEV_PART_ISOYEAR:
        return calendar_year(civil_of(week_thursday(days)).year);
    default:
        return 0;
    }
}

/* Of microseconds since midnight, or of an interval. */
DEVICE int64_t part_of_time(dev_date_part part, int64_t microseconds)
{
    switch (part) {
    case DEV_PART_HOUR:
        return microseconds / (3600ll * SECOND);
    case DEV_PART_MINUTE:
        return microseconds / (60 * SECOND) % 60;
    case DEV_PART_SECOND:
        return microseconds / SECOND % 60;
    case DEV_PART_MILLISECONDS:
        return microseconds % (60 * SECOND) / 1000;
    case DEV_PART_MICROSECONDS:
        return microseconds % (60 * SECOND);
    default:
        return 0;
    }
}

DEVICE bool is_time_part(dev_date_part part)
{
    return part == DEV_PART_HOUR || part == DEV_PART_MINUTE || part == DEV_PART_SECOND ||
           part == DEV_PART_MILLISECONDS || part == DEV_PART_MICROSECONDS;
}

/* Nanoseconds are cut to microseconds. */
DEVICE int64_t microseconds_of(const date_part_arguments &a, uint64_t i)
{
    int64_t count = ((const int64_t *)a.values)[i];
    return a.type.precision == 9 ? floor_divide(count, 1000) : count;
}

DEVICE int64_t part_of_interval(dev_date_part part, const interval_value *v)
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

DEVICE double epoch_of(const date_part_arguments &a, uint64_t i)
{
    switch (a.type.id) {
    case TYPE_DATE:
        return ((const int32_t *)a.values)[i] * 86400.0;
    case TYPE_INTERVAL: {
        const interval_value *v = (const interval_value *)a.values + i;
        double days = v->months / 12 * 365.25 + v->months % 12 * 30.0 + v->days;
        return days * 86400 + (double)v->microseconds / 1e6;
    }
    default: {
        double unit = a.type.precision == 9 ? 1e9 : 1e6;
        return (double)((const int64_t *)a.values)[i] / unit;
    }
    }
}

#define JULIAN_OF_1970 2440588

DEVICE double julian_of(const date_part_arguments &a, uint64_t i)
{
    if (a.type.id == TYPE_DATE)
        return ((const int32_t *)a.values)[i] + (double)JULIAN_OF_1970;
    int64_t unit = a.type.precision == 9 ? 1000 : 1, time = ((const int64_t *)a.values)[i];
    int64_t days = floor_divide(time, DAY * unit);
    double of_day = (double)(time - days * DAY * unit) / (double)(DAY * unit);
    return (double)(days + JULIAN_OF_1970) + of_day;
}

DEVICE int64_t part_of_row(const date_part_arguments &a, uint64_t i)
{
    dev_date_part part = (dev_date_part)a.part;
    if (a.type.id == TYPE_INTERVAL)
        return part_of_interval(part, (const interval_value *)a.values + i);
    int64_t time = microseconds_of(a, i);
    if (a.type.id == TYPE_TIME)
        return part_of_time(part, time);
    int64_t days = floor_divide(time, DAY);
    return is_time_part(part) ? part_of_time(part, time - days * DAY)
                              : part_of_date(part, (int32_t)days);
}

KERNEL_ALONE(date_part)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    if (a.part == DEV_PART_EPOCH || a.part == DEV_PART_JULIAN)
        ((double *)a.out)[i] = a.part == DEV_PART_EPOCH ? epoch_of(a, i) : julian_of(a, i);
    else if (a.type.id == TYPE_DATE)
        ((int64_t *)a.out)[i] =
            part_of_date((dev_date_part)a.part, ((const int32_t *)a.values)[i]);
    else
        ((int64_t *)a.out)[i] = part_of_row(a, i);
}

/* ---- cutting ---- */

/* The first day of the period that the day is in. */
DEVICE int32_t trunc_days(dev_date_part part, int32_t days)
{
    civil c = civil_of(days);
    switch (part) {
    case DEV_PART_MONTH:
        return kernel_date_from_civil(c.year, c.month, 1);
    case DEV_PART_QUARTER:
        return kernel_date_from_civil(c.year, (c.month - 1) / 3 * 3 + 1, 1);
    case DEV_PART_YEAR:
        return kernel_date_from_civil(c.year, 1, 1);
    case DEV_PART_DECADE:
        return kernel_date_from_civil((int32_t)floor_divide(c.year, 10) * 10, 1, 1);
    case DEV_PART_CENTURY:
        return kernel_date_from_civil((int32_t)floor_divide(c.year - 1, 100) * 100 + 1, 1, 1);
    case DEV_PART_MILLENNIUM:
        return kernel_date_from_civil((int32_t)floor_divide(c.year - 1, 1000) * 1000 + 1, 1, 1);
    case DEV_PART_WEEK:
        return days - weekday(days);
    default:
        return days;
    }
}

DEVICE int64_t unit_of(dev_date_part part)
{
    switch (part) {
    case DEV_PART_HOUR:
        return 3600ll * SECOND;
    case DEV_PART_MINUTE:
        return 60ll * SECOND;
    case DEV_PART_SECOND:
        return SECOND;
    case DEV_PART_MILLISECONDS:
        return 1000;
    default:
        return 1;
    }
}

/* In units of out_type; false: out of its range. */
DEVICE bool trunc_row(const date_trunc_arguments &a, uint64_t i, int64_t *out)
{
    dev_date_part part = (dev_date_part)a.part;
    int64_t scale = a.out_type.precision == 9 ? 1000 : 1;
    int64_t time, days;
    if (a.type.id == TYPE_DATE) {
        days = ((const int32_t *)a.values)[i];
        time = 0;
    } else {
        int64_t count = ((const int64_t *)a.values)[i];
        if (a.type.precision == 9)
            count = floor_divide(count, 1000);
        days = floor_divide(count, DAY);
        time = count - days * DAY;
    }
    if (is_time_part(part)) {
        int64_t unit = unit_of(part);
        time = time / unit * unit;
    } else {
        days = trunc_days(part, (int32_t)days);
        time = 0;
    }
    return !kernel_multiply_overflows(days, (int64_t)DAY, &days) &&
           !kernel_add_overflows(days, time, &days) && !kernel_multiply_overflows(days, scale, out);
}

KERNEL_ALONE(date_trunc)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    int64_t result = 0;
    if (i >= count)
        return;
    if (!trunc_row(a, i, &result) && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    a.out[i] = result;
}

/* ---- arithmetic ---- */

/* Months first, the day clipped to the month's last; then days; then the time. */
DEVICE bool add_interval(int64_t timestamp, const interval_value *v, int64_t unit, int64_t *out)
{
    int64_t day_units = DAY * unit;
    int64_t days = floor_divide(timestamp, day_units), time = timestamp - days * day_units;
    int64_t more;
    if (v->months) {
        int64_t months = civil_of((int32_t)days).year * 12ll + v->months;
        if (months < -12ll * 300000 || months > 12ll * 300000)
            return false;
        days = kernel_date_add_months((int32_t)days, v->months);
    }
    days += v->days;
    return !kernel_multiply_overflows(days, day_units, &days) &&
           !kernel_add_overflows(days, time, &days) &&
           !kernel_multiply_overflows(v->microseconds, unit, &more) &&
           !kernel_add_overflows(days, more, out);
}

/* Parts that are not whole go down: a month counts 30 days, a day 24 hours. */
DEVICE bool multiply_interval(const interval_value *v, double factor, interval_value *out)
{
    double months = v->months * factor;
    double days = v->days * factor + (months - trunc(months)) * 30;
    /* What rounding of the products leaves just below a whole day is one. */
    double whole_days = trunc(round(days * 1e6) / 1e6);
    double time = (double)v->microseconds * factor + (days - whole_days) * DAY;
    if (!(fabs(months) < 0x1p31 && fabs(whole_days) < 0x1p31 && fabs(time) < 0x1p63))
        return false;
    *out = interval_value{(int32_t)months, (int32_t)whole_days, (int64_t)nearbyint(time)};
    return true;
}

DEVICE bool row_result(const time_arithmetic_arguments &a, uint64_t i)
{
    uint64_t l = i * a.left_stride, r = i * a.right_stride;
    int64_t unit = a.precision == 9 ? 1000 : 1;
    switch ((dev_time_op)a.op) {
    case DEV_TIME_DATE_ADD_DAYS: {
        const int32_t *left = (const int32_t *)a.left, *right = (const int32_t *)a.right;
        return !kernel_add_overflows(left[l], right[r], &((int32_t *)a.out)[i]);
    }
    case DEV_TIME_DATE_DIFFERENCE: {
        const int32_t *left = (const int32_t *)a.left, *right = (const int32_t *)a.right;
        ((int64_t *)a.out)[i] = (int64_t)left[l] - right[r];
        return true;
    }
    case DEV_TIME_TIMESTAMP_ADD_INTERVAL:
        return add_interval(((const int64_t *)a.left)[l], (const interval_value *)a.right + r,
                            unit, &((int64_t *)a.out)[i]);
    case DEV_TIME_TIMESTAMP_DIFFERENCE: {
        const int64_t *left = (const int64_t *)a.left, *right = (const int64_t *)a.right;
        int128 time = (int128)left[l] / unit - right[r] / unit;
        ((interval_value *)a.out)[i] =
            interval_value{0, (int32_t)(time / DAY), (int64_t)(time % DAY)};
        return true;
    }
    case DEV_TIME_INTERVAL_ADD: {
        const interval_value *left = (const interval_value *)a.left + l;
        const interval_value *right = (const interval_value *)a.right + r;
        interval_value *out = (interval_value *)a.out + i;
        return !kernel_add_overflows(left->months, right->months, &out->months) &&
               !kernel_add_overflows(left->days, right->days, &out->days) &&
               !kernel_add_overflows(left->microseconds, right->microseconds, &out->microseconds);
    }
    case DEV_TIME_INTERVAL_MULTIPLY:
        return multiply_interval((const interval_value *)a.left + l, ((const double *)a.right)[r],
                                 (interval_value *)a.out + i);
    }
    return false;
}

DEVICE size_t result_width(dev_time_op op)
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

KERNEL_ALONE(time_arithmetic)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count || row_result(a, i))
        return;
    if (kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    size_t width = result_width((dev_time_op)a.op);
    memset((char *)a.out + i * width, 0, width);
}
