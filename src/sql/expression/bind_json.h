/* bind_json.h - JSON, which is text here: operators, casts, and values that become JSON. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_JSON_H
#define PISTACHIO_SQL_EXPRESSION_BIND_JSON_H

#include "sql/types/binder.h"

/* The operators ->, ->>, #>, #>>. *out_is_done: false: the name is another's. */
CHECKED status bind_json_operator(binder *b, const char *name, expr *left, expr *right,
                                  int32_t location, bool *out_is_done, expr **out);
/* Binds x::json: the text, checked, without blanks; with `is_try` NULL where it is something else. */
CHECKED status bind_json_cast(binder *b, expr *arg, bool is_try, int32_t location, expr **out);
/* Whether a type's name is json or jsonb. */
bool bind_is_json_type(const TypeName *name);

#endif
