/* bind_composite.h - aggregates that are made of others. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_COMPOSITE_H
#define PISTACHIO_SQL_EXPRESSION_BIND_COMPOSITE_H

#include "sql/types/binder.h"

/* Is it an aggregate that is made of others? */
bool bind_is_composite(const char *name);
/* Returns whether a call is of such an aggregate, as any_value with an ORDER BY is. */
bool bind_is_composite_call(const FuncCall *tree, const char *name);
/* A call of an aggregate that is made of others: *out is the column that it will be. */
CHECKED status bind_composite_call(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, expr **out);
/* Binds a call of a composite aggregate OVER a window; that of orders and distinct values is UNSUPPORTED. Sets the
 * window's function and arguments, its column, without an id, and the type of the list that the column's bytes are. */
CHECKED status bind_composite_over(binder *b, const FuncCall *call_tree, const char *name,
                                   bind_scope *scope, bind_window *window);

#endif
