/* bind_expr.h - expressions: one function for each kind of node. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_EXPR_H
#define PISTACHIO_SQL_EXPRESSION_BIND_EXPR_H

#include "sql/types/binder.h"

CHECKED status bind_expr(binder *b, const pg_node *node, bind_scope *scope, expr **out);
/* A condition, which must be boolean; `what` names it in the failure. */
CHECKED status bind_condition(binder *b, const pg_node *node, bind_scope *scope, const char *what,
                              expr **out);
/* substring(x SIMILAR pattern ESCAPE escape), of which args are the three. */
CHECKED status bind_similar_part(binder *b, expr *const args[3], int32_t location, expr **out);

#endif
