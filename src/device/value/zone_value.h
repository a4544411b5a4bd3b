/* zone_value.h - arithmetic with intervals in a time zone, on the host. */
#ifndef PISTACHIO_DEVICE_VALUE_ZONE_VALUE_H
#define PISTACHIO_DEVICE_VALUE_ZONE_VALUE_H

#include "base/time/zone_moment.h"

/* The instant a calendar interval later, by the zone's clock and calendar: months first, then days, each at the
 * same time of the day; then the time. False: out of range. */
bool zone_add(const zone *z, int64_t instant, unsigned precision, const interval_value *interval,
              int64_t *out);

#endif
