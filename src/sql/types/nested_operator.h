/* nested_operator.h - operators between lists, and a list and an element. */
#ifndef PISTACHIO_SQL_TYPES_NESTED_OPERATOR_H
#define PISTACHIO_SQL_TYPES_NESTED_OPERATOR_H

#include "sql/types/binder.h"

/* ||, &&, @>, <@; *out_done: false: they are not these, or not of lists. */
CHECKED status bind_list_operator(binder *b, const char *name, expr *left, expr *right,
                                  int32_t location, bool *out_done, expr **out);
/* Lists of one type end to end; NULL if all are. */
CHECKED status bind_lists_joined(binder *b, expr **lists, size_t count, int32_t location,
                                 expr **out);
/* The list and the element get the type that holds both. */
CHECKED status bind_list_and_element(binder *b, expr **list, expr **element, int32_t location,
                                     const char *what);
/* A list of the expressions, which get one type. */
CHECKED status bind_list_of(binder *b, expr **items, size_t count, int32_t location, expr **out);

#endif
