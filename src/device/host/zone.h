/* zone.h - zones of the rows of a call, for the functions that host_zone_ops or host_zone_template_ops has
 * begun. */
#ifndef PISTACHIO_DEVICE_HOST_ZONE_H
#define PISTACHIO_DEVICE_HOST_ZONE_H

#include "base/time/zone_moment.h"
#include "device/host/host.h"

/* The first argument, a timestamp with time zone, as the clock of the zone shows it that argument `arg` is, in
 * microseconds. *out_span: the call's. */
CHECKED status host_zone_show(host_call *c, uint32_t arg, uint64_t row, int64_t *out,
                              const zone_span **out_span);
/* The row's result is the instant at which the clock of the zone that argument `arg` is shows `local`. */
CHECKED status host_zone_put_instant(host_call *c, uint32_t arg, uint64_t row, int64_t local);

#endif
