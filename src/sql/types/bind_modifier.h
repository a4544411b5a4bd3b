/* bind_modifier.h - casts to a type with a modifier. */
#ifndef PISTACHIO_SQL_TYPES_BIND_MODIFIER_H
#define PISTACHIO_SQL_TYPES_BIND_MODIFIER_H

#include "sql/types/bind_type.h"

/* An explicit cast to the type with its modifier. */
CHECKED status bind_cast_modified(binder *b, expr *arg, data_type type,
                                  const bind_modifier *modifier, int32_t location, expr **out);
/* An interval cut to a field, of the names that date_trunc takes; false: none that an interval has. */
CHECKED status bind_cut_interval(binder *b, expr *interval, const char *field, int32_t location,
                                 bool *out_done, expr **out);
/* The seconds of a time, timestamp or interval rounded to so many decimals. */
CHECKED status bind_round_time(binder *b, expr *arg, int32_t decimals, int32_t location,
                               expr **out);

#endif
