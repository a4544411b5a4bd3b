/* bucket.c - timestamps as numbers and names, and the stretches of time of equal width that they are in. */
#include "base/type/calendar.h"
#include "device/host/host.h"
#include "device/host/moment.h"

#define FIRST_MONDAY (10959 * CALENDAR_DAY) /* 2000-01-03 */
#define FIRST_MONTH (2000 * 12)             /* January 2000, in months since the year 0 */

static int64_t bucket_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* ---- numbers and names ---- */

/* Halves go away from 1970. */
status host_epoch_ms(host_call *c, uint64_t row)
{
    if (host_put_null_of_infinite(c, 0, row))
        return STATUS_OK;
    int64_t halves = host_integer(c, 0, row) / 500;
    host_put_integer(c, row, (halves < 0 ? halves - 1 : halves + 1) / 2);
    return STATUS_OK;
}

status host_epoch_us(host_call *c, uint64_t row)
{
    if (!host_put_null_of_infinite(c, 0, row))
        host_put_integer(c, row, host_integer(c, 0, row));
    return STATUS_OK;
}

/* The argument times a factor; fails if that does not fit. */
static status put_scaled(host_call *c, uint64_t row, int64_t by, const char *what)
{
    int64_t product;
    if (__builtin_mul_overflow(host_integer(c, 0, row), by, &product))
        return status_new(STATUS_KIND_DATA, "%lld does not fit %s",
                          (long long)host_integer(c, 0, row), what);
    host_put_integer(c, row, product);
    return STATUS_OK;
}

status host_epoch_ns(host_call *c, uint64_t row)
{
    return host_put_null_of_infinite(c, 0, row) ? STATUS_OK
                                                : put_scaled(c, row, 1000, "bigint as nanoseconds");
}

status host_timestamp_of_ms(host_call *c, uint64_t row)
{
    return put_scaled(c, row, 1000, "timestamp as milliseconds");
}

status host_timestamp_of_us(host_call *c, uint64_t row)
{
    int64_t microseconds = host_integer(c, 0, row);
    host_put_integer(c, row, microseconds);
    return calendar_is_infinite(microseconds)
               ? status_new(STATUS_KIND_DATA, "%lld does not fit timestamp as microseconds",
                            (long long)microseconds)
               : STATUS_OK;
}

status host_monthname(host_call *c, uint64_t row)
{
    if (host_put_null_of_infinite(c, 0, row))
        return STATUS_OK;
    const char *name = moment_months[moment_of(host_integer(c, 0, row)).month - 1];
    return host_put_text(c, row, name, strlen(name));
}

status host_dayname(host_call *c, uint64_t row)
{
    if (host_put_null_of_infinite(c, 0, row))
        return STATUS_OK;
    const char *name = moment_days[moment_of(host_integer(c, 0, row)).week_day];
    return host_put_text(c, row, name, strlen(name));
}

/* ---- buckets ---- */

/* A width that months, or days and time, make; *microseconds is 0 for months. */
static status width_of(const host_call *c, uint64_t row, int64_t *months, int64_t *microseconds)
{
    interval_value v = ((const interval_value *)c->args[0].values)[row * c->args[0].stride];
    bool overflows = __builtin_mul_overflow(v.days, CALENDAR_DAY, microseconds) ||
                     __builtin_add_overflow(*microseconds, v.microseconds, microseconds);
    *months = v.months;
    if (v.months && (v.days || v.microseconds))
        return status_new(STATUS_KIND_DATA,
                          "the width of a bucket has either months or days and time, not both");
    if (overflows || (v.months ? v.months : *microseconds) <= 0)
        return status_new(STATUS_KIND_DATA, "the width of a bucket must be greater than 0");
    return STATUS_OK;
}

static int64_t month_of(int64_t timestamp)
{
    moment m = moment_of(timestamp);
    return (int64_t)m.year * 12 + m.month - 1;
}

static status put_stretch(host_call *c, uint64_t row, int64_t timestamp, int64_t width,
                          int64_t origin)
{
    int128 distance = (int128)timestamp - origin, rest = distance % width;
    int128 start = timestamp - (rest < 0 ? rest + width : rest);
    if (start < INT64_MIN)
        return status_new(STATUS_KIND_DATA, "a bucket begins before the first timestamp");
    host_put_integer(c, row, (int64_t)start);
    return STATUS_OK;
}

/* Buckets begin at the first day of a month, or at the origin: a Monday. Infinity is a bucket of its own, and from an
 * infinite origin there are none. */
status host_time_bucket(host_call *c, uint64_t row)
{
    int64_t timestamp = host_integer(c, 1, row), months, width;
    TRY(width_of(c, row, &months, &width));
    if (c->arg_count > 2 && host_put_null_of_infinite(c, 2, row))
        return STATUS_OK;
    if (calendar_is_infinite(timestamp)) {
        host_put_integer(c, row, timestamp);
        return STATUS_OK;
    }
    if (!months)
        return put_stretch(c, row, timestamp, width,
                           c->arg_count > 2 ? host_integer(c, 2, row) : FIRST_MONDAY);
    int64_t origin = c->arg_count > 2 ? month_of(host_integer(c, 2, row)) : FIRST_MONTH;
    int64_t start = origin + bucket_floor_divide(month_of(timestamp) - origin, months) * months;
    int64_t year = bucket_floor_divide(start, 12);
    if (year < -290307)
        return status_new(STATUS_KIND_DATA, "a bucket begins before the first timestamp");
    host_put_integer(c, row,
                     calendar_from_civil((int32_t)year, (unsigned)(start - year * 12) + 1, 1) *
                         CALENDAR_DAY);
    return STATUS_OK;
}

/* As PostgreSQL's: the stride has no months. */
status host_date_bin(host_call *c, uint64_t row)
{
    int64_t months, width;
    TRY(width_of(c, row, &months, &width));
    if (months)
        return status_new(STATUS_KIND_DATA, "the stride of date_bin cannot have months or years");
    int64_t timestamp = host_integer(c, 1, row), origin = host_integer(c, 2, row);
    if (calendar_is_infinite(origin))
        return status_new(STATUS_KIND_DATA, "the origin of date_bin cannot be infinite");
    if (!calendar_is_infinite(timestamp))
        return put_stretch(c, row, timestamp, width, origin);
    host_put_integer(c, row, timestamp);
    return STATUS_OK;
}
