/* nested_struct.h - functions of structs. */
#ifndef PISTACHIO_SQL_FUNCTION_NESTED_STRUCT_H
#define PISTACHIO_SQL_FUNCTION_NESTED_STRUCT_H

#include "sql/function/nested_function.h"

CHECKED status bind_struct_update(const function_call *c, expr **out);
CHECKED status bind_struct_concat(const function_call *c, expr **out);
CHECKED status bind_struct_position(const function_call *c, expr **out);
CHECKED status bind_struct_contains(const function_call *c, expr **out);
CHECKED status bind_struct_keys(const function_call *c, expr **out);
CHECKED status bind_struct_values(const function_call *c, expr **out);
CHECKED status bind_struct_extract_at(const function_call *c, expr **out);

#endif
