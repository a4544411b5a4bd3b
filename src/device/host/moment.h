/* moment.h - a timestamp's fields, for formats; names of months and days. */
#ifndef PISTACHIO_DEVICE_HOST_MOMENT_H
#define PISTACHIO_DEVICE_HOST_MOMENT_H

#include "base/status.h"
#include "base/type/calendar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct moment {
    int32_t year; /* 0 is 1 BC */
    unsigned month, day, hour, minute, second, microsecond;
    unsigned day_of_year, week_day; /* from 1; Monday is 0 */
    int32_t iso_year, days;         /* days: since 1970 */
    unsigned iso_week;
} moment;

extern const char *const moment_months[12], *const moment_days[7]; /* the week begins on Monday */

moment moment_of(int64_t timestamp);
/* Microseconds in whole units. As in PostgreSQL halves go away from the year 2000. */
int64_t moment_rounded(int64_t timestamp, int64_t unit);
/* Halves go away from 0. */
int64_t moment_rounded_count(int64_t count, int64_t unit);
/* How many characters of the text `name` begins with are the same whatever the case: all `count`? */
bool moment_same(const char *text, const char *name, size_t count);

#endif
