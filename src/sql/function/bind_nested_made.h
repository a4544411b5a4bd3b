/* bind_nested_made.h - functions of lists, maps and times that are expressions of others, chosen by the types of their arguments. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_NESTED_MADE_H
#define PISTACHIO_SQL_FUNCTION_BIND_NESTED_MADE_H

#include "sql/function/bind_made.h"

/* Binds an expression of others, in which $1, $2 ... are the call's arguments. */
CHECKED status bind_made(const function_call *c, const char *text, expr **out);
/* Binds an aggregate of the elements of the list in argument 0; those from `first` on are the aggregate's further ones,
 * as they are written. */
CHECKED status bind_elements(const function_call *c, const char *aggregate, size_t first,
                             expr **out);
/* Binds a quantile of a list of shares that is written out: a list of their quantiles. */
CHECKED status bind_quantile_list(binder *b, const FuncCall *tree, const char *name,
                                  bind_scope *scope, bool *out_is_found, expr **out);
CHECKED status bind_map_concat(const function_call *c, expr **out);
CHECKED status bind_list_repeat(const function_call *c, expr **out);
bool bind_is_time_range(const function_call *c);
CHECKED status bind_time_range(const function_call *c, expr **out);

#endif
