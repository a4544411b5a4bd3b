/* bind_zone.h - time zones: casts, sums and functions that depend on one. */
#ifndef PISTACHIO_SQL_TYPES_BIND_ZONE_H
#define PISTACHIO_SQL_TYPES_BIND_ZONE_H

#include "device/value/time_value.h"
#include "sql/types/binder.h"

/* Whether the cast between the types is the session's zone's concern, and that cast. */
bool bind_zone_crosses(const binder *b, data_type from, data_type to);
CHECKED status bind_zone_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* A text as a timestamp with time zone, which may name another zone. */
CHECKED status bind_zone_literal(const binder *b, const value *text, data_type type, value *out);
/* A timestamp with time zone as the session's clock shows it; anything else as it is. */
CHECKED status bind_zone_local(binder *b, expr *arg, int32_t location, expr **out);
/* Seconds that the session's clock is before UTC's. */
CHECKED status bind_zone_offset(binder *b, expr *arg, int32_t location, expr **out);
/* *out_done: false: the zone makes no difference to the sum. */
CHECKED status bind_zone_add(binder *b, expr *time, expr *interval, int32_t location,
                             bool *out_done, expr **out);
/* A call of date_trunc. */
typedef struct bind_trunc {
    expr *field, *arg; /* a timestamp with time zone */
    bool is_part_of_day;
    int32_t location;
} bind_trunc;

/* date_trunc in a zone by name. */
CHECKED status bind_zone_trunc(binder *b, const bind_trunc *t, expr *zone_name, expr **out);
/* date_trunc in the session's zone. *out_done: false: it makes no difference. */
CHECKED status bind_zone_trunc_session(binder *b, const bind_trunc *t, bool *out_done, expr **out);
/* to_char and to_timestamp by a format in the session's zone, which is not UTC. */
CHECKED status bind_zone_format(binder *b, expr_op op, data_type type, expr *const *args,
                                int32_t location, expr **out);
/* AT TIME ZONE. */
CHECKED status bind_at_time_zone(binder *b, expr *name, expr *arg, int32_t location, expr **out);
/* The name of a zone as a text; fails where it is a constant and none. */
CHECKED status bind_zone_name(binder *b, expr **name, int32_t location);

#endif
