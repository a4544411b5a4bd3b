/* bind_nested.h - lists, rows, subscripts and lambdas in expressions. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_NESTED_H
#define PISTACHIO_SQL_EXPRESSION_BIND_NESTED_H

#include "sql/types/binder.h"

CHECKED status bind_array(binder *b, const A_ArrayExpr *tree, bind_scope *scope, expr **out);
CHECKED status bind_row(binder *b, const RowExpr *tree, bind_scope *scope, expr **out);
/* x.f, x[i] and x[m:n]. */
CHECKED status bind_indirection(binder *b, const A_Indirection *tree, bind_scope *scope,
                                expr **out);
/* x = ANY (list), x < ALL (list) and so on. */
CHECKED status bind_list_comparison(binder *b, const A_Expr *e, bind_scope *scope, expr **out);
/* args[0] IN args[1], a list or a map. */
CHECKED status bind_in_nested(binder *b, expr **args, int32_t location, expr **out);

/* unnest in the select list: an element, whose number query/bind_unnest.c makes. */
CHECKED status bind_unnest_call(binder *b, const FuncCall *tree, bind_scope *scope, expr **out);
/* How deep a call of unnest goes: 1, or as recursive := true and max_depth := n say. */
CHECKED status bind_unnest_depth(binder *b, const FuncCall *tree, bind_scope *scope, uint32_t *out);
/* The first argument of a call of unnest, of any type; fails where unnest may not stand. */
CHECKED status bind_unnest_argument(binder *b, const FuncCall *tree, bind_scope *scope, expr **out);
/* An element of the list, which may have elements of other unnests in it. */
CHECKED status bind_unnest_element(binder *b, const FuncCall *tree, bind_scope *scope, expr *list,
                                   expr **out);
/* Whether an expression is an element that unnest gives; *out_level: by which of the scope's numbers. */
bool bind_is_unnest_element(const bind_scope *scope, const expr *e, size_t *out_level);

/* ---- lambdas ---- */

/* A parameter of a lambda that is being bound, or a field of it; *out NULL: the name is not one's. */
CHECKED status bind_lambda_name(binder *b, const ColumnRef *ref, expr **out);
bool bind_is_lambda_function(const char *name);
CHECKED status bind_lambda_call(binder *b, const FuncCall *tree, bind_scope *scope, expr **out);
/* The value of an argument with a name, if the function takes such; else the argument. */
const pg_node *bind_named_argument(const char *name, const pg_node *arg);

#endif
