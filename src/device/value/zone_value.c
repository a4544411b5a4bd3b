/* zone_value.c - arithmetic with intervals in a time zone. */
#include "device/value/zone_value.h"

#include "device/value/time_value.h"

/* By the zone's calendar; the interval has no time. */
static bool add_days(const zone *z, unsigned precision, const interval_value *interval,
                     int64_t *instant)
{
    zone_span span = {0}, there = {0};
    int64_t local;
    return zone_local(z, *instant, precision, &span, &local) &&
           add_interval(local, interval, precision == 9 ? 1000 : 1, &local) &&
           zone_instant(z, local, precision, &there, instant);
}

bool zone_add(const zone *z, int64_t instant, unsigned precision, const interval_value *interval,
              int64_t *out)
{
    const interval_value months = {.months = interval->months}, days = {.days = interval->days};
    const interval_value time = {.microseconds = interval->microseconds};
    *out = instant;
    return (!months.months || add_days(z, precision, &months, out)) &&
           (!days.days || add_days(z, precision, &days, out)) &&
           add_interval(*out, &time, precision == 9 ? 1000 : 1, out);
}
