/* bind_json.h - JSON, a text by the name of a type of its own: operators, casts, and values that become JSON. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_JSON_H
#define PISTACHIO_SQL_FUNCTION_BIND_JSON_H

#include "sql/types/function_call.h"

/* The operators ->, ->>, #>, #>>. *out_is_done: false: the name is another's. */
CHECKED status bind_json_operator(binder *b, const char *name, expr *left, expr *right,
                                  int32_t location, bool *out_is_done, expr **out);
/* Binds x::json: a text as it is, checked, with `is_try` NULL where it is something else; other values as to_json makes them. */
CHECKED status bind_json_cast(binder *b, expr *arg, bool is_try, int32_t location, expr **out);
/* Makes what is cast to the type in the place of JSON: a text, which is the value itself where it is a string or number. */
CHECKED status bind_of_json(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* Binds json[index]: a member's name, or an element's number from 0. */
CHECKED status bind_json_subscript(binder *b, expr *json, expr *index, int32_t location,
                                   expr **out);
/* Whether a type's name is json or jsonb. */
bool bind_is_json_type(const TypeName *name);

CHECKED status bind_json_read(const function_call *c, expr_op op, expr **out);
CHECKED status bind_json_parse(const function_call *c, expr **out);
CHECKED status bind_to_json(const function_call *c, expr **out);
CHECKED status bind_json_array(const function_call *c, expr **out);
CHECKED status bind_json_object(const function_call *c, expr **out);
CHECKED status bind_json_keys(const function_call *c, expr **out);
CHECKED status bind_json_transform(const function_call *c, expr **out);

#endif
