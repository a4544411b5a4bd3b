/* bind_nested.h - fields of structs and elements of lists. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_NESTED_H
#define PISTACHIO_SQL_EXPRESSION_BIND_NESTED_H

#include "sql/expression/bind_call.h"
#include "sql/types/binder.h"

/* The field of a struct that is called so, as it is written, else without case. */
CHECKED status bind_struct_field(binder *b, expr *e, const char *name, int32_t location,
                                 expr **out);
/* e[index]: an element by its number, a field by its name. */
CHECKED status bind_subscript(binder *b, expr *e, expr *index, int32_t location, expr **out);
/* struct_extract, list_extract, array_length. */
CHECKED status bind_nested_call(const function_call *c, expr_op op, expr **out);

#endif
