/* zone_moment.h - timestamps of a zone: instants as its clock shows them and back, and their texts.
 *
 * A timestamp counts 10^-precision seconds since 1970. A span is what was found before, or zeroed; it is of
 * one zone. */
#ifndef PISTACHIO_BASE_TIME_ZONE_MOMENT_H
#define PISTACHIO_BASE_TIME_ZONE_MOMENT_H

#include "base/time/zone.h"
#include "base/type/type.h"

/* Tells what the zone's clock shows at an instant. False: it is out of range. */
bool zone_local(const zone *z, int64_t instant, unsigned precision, zone_span *span, int64_t *out);
/* The instant at which it shows that. False: it is out of range. */
bool zone_instant(const zone *z, int64_t local, unsigned precision, zone_span *span, int64_t *out);

/* "2020-07-01 02:00:00+02"; its bytes. Room: TIMESTAMP_TEXT_BYTES. */
size_t zone_format(const zone *z, int64_t instant, unsigned precision, zone_span *span, char *text);
/* value_format, but a timestamp with time zone is as the zone shows it. NULL: UTC. */
size_t zone_format_value(const zone *z, const value *v, char *text, size_t room);
/* The instant that a text names, with an offset, a zone (as zone_find takes it), or in z. *out_is_one: false:
 * none; the failure is of a zone that is not known. */
CHECKED status zone_parse(const zone *z, const char *text, size_t bytes, unsigned precision,
                          int64_t *out, bool *out_is_one);

#endif
