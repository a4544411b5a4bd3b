/* bind_call.h - a call of a scalar function while it is bound, and the functions that bind special ones. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_CALL_H
#define PISTACHIO_SQL_EXPRESSION_BIND_CALL_H

#include "sql/types/binder.h"

/* A call whose arguments are bound. */
typedef struct function_call {
    binder *b;
    const FuncCall *tree;
    const char *name;
    expr **args;
    size_t count;
} function_call;

/* Casts argument i to the type of a letter of functions.def; fails if it is of another kind. */
CHECKED status call_coerce(const function_call *c, size_t i, char letter);
/* Fails unless the call has as many arguments as the signature takes. */
CHECKED status call_check_count(const function_call *c, const char *signature);
/* Binds a function whose signature says all. */
CHECKED status call_by_signature(const function_call *c, expr_op op, expr **out);
/* Fails unless argument i is a number; a literal becomes a double. */
CHECKED status call_require_number(const function_call *c, size_t i);
CHECKED status call_constant_text(const function_call *c, const char *text, expr **out);
/* The instant of the statement as `type`: timestamp, timestamp with time zone or date. */
CHECKED status bind_statement_time(binder *b, type_id type, int32_t location, expr **out);

/* ---- bind_function_time.c: binders of functions.def ---- */

CHECKED status bind_date_part(const function_call *c, expr_op op, expr **out);
CHECKED status bind_date_trunc(const function_call *c, expr_op op, expr **out);
CHECKED status bind_timezone(const function_call *c, expr_op op, expr **out);
CHECKED status bind_to_timestamp(const function_call *c, expr **out);
CHECKED status bind_make_timestamptz(const function_call *c, expr_op op, expr **out);
CHECKED status bind_to_char(const function_call *c, expr_op op, expr **out);
CHECKED status bind_age(const function_call *c, expr_op op, expr **out);
CHECKED status bind_date_add(const function_call *c, expr **out);
CHECKED status bind_now(const function_call *c, expr **out);
CHECKED status bind_make_timestamp(const function_call *c, expr **out);
CHECKED status bind_epoch_ms(const function_call *c, expr **out);
CHECKED status bind_time_bucket(const function_call *c, expr_op op, expr **out);
CHECKED status bind_field(const function_call *c, expr **out);

/* ---- bind_json.c: binders of functions.def ---- */

CHECKED status bind_json_read(const function_call *c, expr_op op, expr **out);
CHECKED status bind_json_parse(const function_call *c, expr **out);
CHECKED status bind_to_json(const function_call *c, expr **out);
CHECKED status bind_json_array(const function_call *c, expr **out);
CHECKED status bind_json_object(const function_call *c, expr **out);

#endif
