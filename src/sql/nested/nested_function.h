/* nested_function.h - binders of functions of lists, structs and maps. */
#ifndef PISTACHIO_SQL_NESTED_NESTED_FUNCTION_H
#define PISTACHIO_SQL_NESTED_NESTED_FUNCTION_H

#include "sql/types/function_call.h"

/* ---- FUNCTION ---- */

CHECKED status bind_list_value(const function_call *c, expr_op op, expr **out);
CHECKED status bind_struct_pack(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map(const function_call *c, expr_op op, expr **out);
/* struct_extract, list_extract, map_extract_value. */
CHECKED status bind_nested_part(const function_call *c, expr_op op, expr **out);
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
CHECKED status bind_equi_width_bins(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_count(const function_call *c, expr_op op, expr **out);
CHECKED status bind_list_extreme(const function_call *c, expr_op op, expr **out);
CHECKED status bind_string_split(const function_call *c, expr_op op, expr **out);
CHECKED status bind_array_to_string(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map_part(const function_call *c, expr_op op, expr **out);
/* regexp_extract with names, and regexp_extract_all. */
CHECKED status bind_regexp_extract(const function_call *c, expr_op op, expr **out);
CHECKED status bind_regexp_split(const function_call *c, expr_op op, expr **out);
/* Products and distances of two lists of numbers. */
CHECKED status bind_list_product(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map_from_entries(const function_call *c, expr_op op, expr **out);

/* ---- FUNCTION_OTHER ---- */

CHECKED status bind_list_append(const function_call *c, expr **out);
CHECKED status bind_list_prepend(const function_call *c, expr **out);
CHECKED status bind_list_push_front(const function_call *c, expr **out);
CHECKED status bind_list_reverse_sort(const function_call *c, expr **out);
CHECKED status bind_list_intersect(const function_call *c, expr **out);
CHECKED status bind_list_range(const function_call *c, expr **out);
CHECKED status bind_map_extract(const function_call *c, expr **out);
CHECKED status bind_struct_insert(const function_call *c, expr **out);
CHECKED status bind_struct_update(const function_call *c, expr **out);
CHECKED status bind_struct_concat(const function_call *c, expr **out);
CHECKED status bind_struct_position(const function_call *c, expr **out);
CHECKED status bind_struct_contains(const function_call *c, expr **out);
CHECKED status bind_struct_keys(const function_call *c, expr **out);
CHECKED status bind_struct_values(const function_call *c, expr **out);
CHECKED status bind_struct_extract_at(const function_call *c, expr **out);

/* ---- parts of calls ---- */

/* Fails unless argument i is a list; NULL becomes one of integers. */
CHECKED status nested_require_list(const function_call *c, size_t i);
/* Names of the arguments from `first` on: those before := or of columns. */
CHECKED status nested_argument_names(const function_call *c, size_t first, const char ***out);
/* Whether the function's arguments have names, name := x. */
bool nested_takes_names(const char *name);
/* A part of a text, args[0], from one of its characters to another: args[1] and args[2]. */
CHECKED status nested_text_slice(binder *b, expr **args, int32_t location, expr **out);
/* The expression, of $1 and perhaps $3, that list_aggregate with a constant name means, and the name; NULL: there is
 * none. */
CHECKED status nested_aggregate_text(const function_call *c, const char **out,
                                     const char **out_name);
/* A field by its name, or of a struct without names by its number. */
CHECKED status nested_field_of(binder *b, expr *e, const char *name, int32_t location, expr **out);
/* e[index]: an element by its number, a field by its name, a map's value by its key, a text's character. */
CHECKED status nested_subscript(binder *b, expr *e, expr *index, int32_t location, expr **out);
/* A struct of the expressions; names may be NULL. */
CHECKED status nested_struct_of(binder *b, expr *const *fields, const char *const *names,
                                size_t count, int32_t location, expr **out);

#endif
