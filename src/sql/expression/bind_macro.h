/* bind_macro.h - calls of macros. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_MACRO_H
#define PISTACHIO_SQL_EXPRESSION_BIND_MACRO_H

#include "sql/types/binder.h"

/* Binds a call in an expression; *out_is_macro false: there is no such macro. A binder's bind_macro. */
CHECKED status bind_macro_call(binder *b, const FuncCall *call, bind_scope *scope,
                               bool *out_is_macro, expr **out);
/* Binds a call in FROM; *out has its columns. */
CHECKED status bind_macro_table(binder *b, const FuncCall *call, bind_scope *scope,
                                bool *out_is_macro, plan_node **out);
/* Fails if the macro is there already, or if one that is dropped is not. */
CHECKED status bind_check_macro(binder *b, const MacroStmt *tree);

#endif
