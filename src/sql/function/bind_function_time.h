/* bind_function_time.h - calls of functions of dates and times. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_FUNCTION_TIME_H
#define PISTACHIO_SQL_FUNCTION_BIND_FUNCTION_TIME_H

#include "sql/types/function_call.h"

/* The instant of the statement as `type`: timestamp, timestamp with time zone or date. */
CHECKED status bind_statement_time(binder *b, type_id type, int32_t location, expr **out);
CHECKED status bind_date_part(const function_call *c, expr_op op, expr **out);
CHECKED status bind_date_trunc(const function_call *c, expr_op op, expr **out);
CHECKED status bind_timezone(const function_call *c, expr_op op, expr **out);
CHECKED status bind_to_timestamp(const function_call *c, expr **out);
CHECKED status bind_make_timestamptz(const function_call *c, expr_op op, expr **out);
CHECKED status bind_to_char(const function_call *c, expr_op op, expr **out);
/* A format that reads an offset or a zone gives a timestamp with time zone. */
CHECKED status bind_strptime(const function_call *c, expr_op op, expr **out);
CHECKED status bind_age(const function_call *c, expr_op op, expr **out);
CHECKED status bind_date_add(const function_call *c, expr **out);
CHECKED status bind_now(const function_call *c, expr **out);
CHECKED status bind_make_timestamp(const function_call *c, expr **out);
CHECKED status bind_epoch_ms(const function_call *c, expr **out);
CHECKED status bind_time_bucket(const function_call *c, expr_op op, expr **out);
CHECKED status bind_overlaps(const function_call *c, expr **out);
CHECKED status bind_field(const function_call *c, expr **out);

#endif
