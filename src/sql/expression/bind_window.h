/* bind_window.h - calls OVER a window, WINDOW: from rows to rows with the calls' values. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_WINDOW_H
#define PISTACHIO_SQL_EXPRESSION_BIND_WINDOW_H

#include "sql/types/binder.h"

/* A call with OVER: *out is the column that it will be. */
CHECKED status bind_window_call(binder *b, const FuncCall *call, const char *name,
                                bind_scope *scope, expr **out);
/* WINDOW's windows are right, whether something refers to them or not. */
CHECKED status bind_window_clause(binder *b, bind_scope *scope);
/* Lists what the calls of the scope refer to: the select list is not all that becomes groups. */
CHECKED status bind_window_slots(binder *b, bind_scope *scope, expr_slot_list *slots);
/* Sorts and windows over *node, which make the columns of the scope's calls. */
CHECKED status bind_windows(binder *b, const bind_scope *scope, plan_node **node);
/* Puts a column over the node that numbers its rows from 1 on, in the order in which they lie: *out. */
CHECKED status bind_row_number(binder *b, plan_node **node, expr **out);
/* Is it a function of windows.def? */
bool bind_is_window_function(const char *name);

#endif
