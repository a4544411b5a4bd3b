/* nested_make.h - lists, structs, maps and parts of them. */
#ifndef PISTACHIO_SQL_FUNCTION_NESTED_MAKE_H
#define PISTACHIO_SQL_FUNCTION_NESTED_MAKE_H

#include "sql/function/nested_function.h"

CHECKED status bind_list_value(const function_call *c, expr_op op, expr **out);
CHECKED status bind_struct_pack(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map(const function_call *c, expr_op op, expr **out);
/* struct_extract, list_extract, map_extract_value. */
CHECKED status bind_nested_part(const function_call *c, expr_op op, expr **out);
CHECKED status bind_equi_width_bins(const function_call *c, expr_op op, expr **out);
CHECKED status bind_map_extract(const function_call *c, expr **out);
CHECKED status bind_struct_insert(const function_call *c, expr **out);
/* Names of the arguments from `first` on: those before := or of columns. */
CHECKED status nested_argument_names(const function_call *c, size_t first, const char ***out);
/* Whether the function's arguments have names, name := x. */
bool nested_takes_names(const char *name);
/* A field by its name, or of a struct without names by its number. */
CHECKED status nested_field_of(binder *b, expr *e, const char *name, int32_t location, expr **out);
/* e[index]: an element by its number, a field by its name, a map's value by its key, a text's character. */
CHECKED status nested_subscript(binder *b, expr *e, expr *index, int32_t location, expr **out);
/* A struct of the expressions; names may be NULL. */
CHECKED status nested_struct_of(binder *b, expr *const *fields, const char *const *names,
                                size_t count, int32_t location, expr **out);

#endif
