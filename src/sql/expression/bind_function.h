/* bind_function.h - calls of functions of functions.def. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_FUNCTION_H
#define PISTACHIO_SQL_EXPRESSION_BIND_FUNCTION_H

#include "sql/expression/bind_scope.h"

/* Returns whether a function of one row has the name, in small letters. */
bool bind_is_scalar(const char *name);

/* Returns the function that an operator before its value means; NULL: none. */
const char *bind_prefix_function(const char *operator);
CHECKED status bind_prefix_call(binder *b, const A_Expr *e, const char *function, bind_scope *scope,
                                expr **out);
CHECKED status bind_function(binder *b, const FuncCall *call, bind_scope *scope, expr **out);

#endif
