/* arrow_value.h - values that Arrow lays out otherwise than type.h does. On every device.
 *
 *   interval   microseconds are nanoseconds
 *   UUID       16 bytes in their order: base/text/uuid_text.h */
#ifndef PISTACHIO_DEVICE_VALUE_ARROW_VALUE_H
#define PISTACHIO_DEVICE_VALUE_ARROW_VALUE_H

#include "base/type/portable.h"

/* Arrow's month_day_nano. */
typedef struct arrow_interval {
    int32_t months, days;
    int64_t nanoseconds;
} arrow_interval;

static_assert(sizeof(arrow_interval) == sizeof(interval_value), "made in place");

/* False: the microseconds do not fit nanoseconds. */
PORTABLE bool arrow_interval_make(interval_value from, arrow_interval *out)
{
    out->months = from.months;
    out->days = from.days;
    return !multiply_overflows_64(from.microseconds, 1000, &out->nanoseconds);
}

#endif
