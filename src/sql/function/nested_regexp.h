/* nested_regexp.h - functions of regular expressions that give lists and structs. */
#ifndef PISTACHIO_SQL_FUNCTION_NESTED_REGEXP_H
#define PISTACHIO_SQL_FUNCTION_NESTED_REGEXP_H

#include "sql/function/nested_function.h"

/* regexp_extract with names, and regexp_extract_all. */
CHECKED status bind_regexp_extract(const function_call *c, expr_op op, expr **out);
CHECKED status bind_regexp_split(const function_call *c, expr_op op, expr **out);
/* Products and distances of two lists of numbers. */
CHECKED status bind_list_product(const function_call *c, expr_op op, expr **out);

#endif
