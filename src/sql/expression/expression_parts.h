/* expression_parts.h - files of one function each that expressions are bound by. */
#ifndef PISTACHIO_SQL_EXPRESSION_EXPRESSION_PARTS_H
#define PISTACHIO_SQL_EXPRESSION_EXPRESSION_PARTS_H

#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

/* ---- bind_function.c ---- */

/* A call of a function, aggregate or window function. */

/* ---- bind_try.c ---- */

/* TRY_CAST: NULL where CAST fails. */
CHECKED status bind_try_cast(binder *b, expr *arg, data_type type, const bind_modifier *modifier,
                             int32_t location, expr **out);

/* ---- bind_frame.c ---- */

/* The frame of a window with the order of `over`, which is bound. */
CHECKED status bind_frame(binder *b, const WindowDef *over, bind_scope *scope,
                          const plan_sort_key_list *order, plan_frame *out);

/* ---- bind_subquery.c ---- */

/* A subquery in an expression. */
CHECKED status bind_sublink(binder *b, const SubLink *link, bind_scope *scope, expr **out);

#endif
