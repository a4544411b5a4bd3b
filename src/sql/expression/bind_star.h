/* bind_star.h - "*" and COLUMNS. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_STAR_H
#define PISTACHIO_SQL_EXPRESSION_BIND_STAR_H

#include "sql/types/binder.h"

bool bind_is_star(const pg_node *node);
/* Adds what "*" or "t.*" stands for. has_from: the query has a FROM clause. */
CHECKED status bind_star(binder *b, const ColumnRef *ref, bind_scope *scope, bool has_from,
                         bind_target_list *targets);
/* COLUMNS(...): the column that the scope's expansion has come to. */
CHECKED status bind_columns_expr(binder *b, const ColumnsExpr *tree, bind_scope *scope, expr **out);

#endif
