/* nested_function.h - binders of functions of lists, structs and maps. */
#ifndef PISTACHIO_SQL_FUNCTION_NESTED_FUNCTION_H
#define PISTACHIO_SQL_FUNCTION_NESTED_FUNCTION_H

#include "sql/types/function_call.h"

/* ---- FUNCTION ---- */

CHECKED status bind_nested_length(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_slice(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_concat(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_flatten(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_zip(const function_call *c, expr_op op, expr **out);
/* A function of one list that gives one of its type. */
CHECKED status bind_list_same(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_sort(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_where(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_search(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_has(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_sum(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_count(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_extreme(const function_call *c, expr_op op, expr **out);
CHECKED status bind_string_split(const function_call *c, expr_op op, expr **out);
CHECKED status bind_array_to_string(const function_call *c, expr_op op, expr **out);
/* Binds concat_ws where some arguments are lists. */
CHECKED status bind_concat_lists(const function_call *c, expr **out);
CHECKED status bind_map_part(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map_from_entries(const function_call *c, expr_op op, expr **out);

/* ---- FUNCTION_OTHER ---- */

CHECKED status bind_list_append(const function_call *c, expr **out);
CHECKED status bind_list_prepend(const function_call *c, expr **out);
CHECKED status bind_list_push_front(const function_call *c, expr **out);
CHECKED status bind_list_reverse_sort(const function_call *c, expr **out);
CHECKED status bind_list_intersect(const function_call *c, expr **out);
CHECKED status bind_list_range(const function_call *c, expr **out);

/* ---- parts of calls ---- */

/* Fails unless argument i is a list; NULL becomes one of integers. */
CHECKED status nested_require_list(const function_call *c, size_t i);
/* A part of a text, args[0], from one of its characters to another: args[1] and args[2]. */
CHECKED status nested_text_slice(binder *b, expr **args, int32_t location, expr **out);
/* The expression, of $1 and perhaps $3, that list_aggregate with a constant name means, and the name; NULL: there is
 * none. */
CHECKED status nested_aggregate_text(const function_call *c, const char **out,
                                     const char **out_name);

#endif
