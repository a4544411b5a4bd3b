/* nested_cast.h - casts to and from lists, structs and maps, and the type that two of them have in common. */
#ifndef PISTACHIO_SQL_TYPES_NESTED_CAST_H
#define PISTACHIO_SQL_TYPES_NESTED_CAST_H

#include "base/type/nested_type.h"
#include "sql/types/binder.h"

/* A type with these fields, as long as the statement. */
CHECKED status bind_nested_type(binder *b, type_id id, const nested_field *fields, size_t count,
                                data_type *out);
CHECKED status bind_list_type(binder *b, data_type element, data_type *out);
/* The type of lists of `size` elements; 0: of any number. */
CHECKED status bind_sized_type(binder *b, data_type element, uint32_t size, data_type *out);
/* A list of a fixed size as one of any size; other expressions stay what they are. */
CHECKED status bind_open_list(binder *b, expr *e, int32_t location, expr **out);
/* A struct's type, or a list's or map's, as CAST names it. */
CHECKED status bind_nested_type_name(binder *b, const TypeName *name, data_type *out);
/* Casts element by element and field by field; of constants, the text that spells a value. */
CHECKED status bind_nested_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* The type that holds both, one of which is nested; *out_is_one: false: there is none. */
CHECKED status bind_nested_common(binder *b, data_type left, data_type right, data_type *out,
                                  bool *out_is_one);
/* A list without elements, or of NULLs alone: takes whatever list's type is wanted. */
bool bind_is_null_list(const expr *e);
/* Structs that are written side by side: gives each field of all of them one type, in which NULL fits any. */
CHECKED status bind_unite_structs(binder *b, expr **args, size_t count, int32_t location);
/* Field number `field` of a struct. */
CHECKED status bind_nested_field(binder *b, expr *e, uint32_t field, int32_t location, expr **out);

/* ---- lambdas ---- */

/* A parameter of a lambda, as an expression. */
CHECKED status bind_new_parameter(binder *b, data_type type, int32_t location, expr **out);
/* list_transform: a list of what the body makes of the parameter, and perhaps of the number. */
CHECKED status bind_transform(binder *b, expr *list, expr *body, expr *const *parameters,
                              size_t count, int32_t location, expr **out);

#endif
