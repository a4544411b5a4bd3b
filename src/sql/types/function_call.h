/* function_call.h - a call of a scalar function while it is bound: how many arguments, of which types. */
#ifndef PISTACHIO_SQL_TYPES_FUNCTION_CALL_H
#define PISTACHIO_SQL_TYPES_FUNCTION_CALL_H

#include "sql/types/binder.h"

/* A call whose arguments are bound. */
typedef struct function_call {
    binder *b;
    const FuncCall *tree;
    const char *name;
    expr **args;
    size_t count;
} function_call;

/* Casts argument i to the type of a letter of functions.def; fails if it is of another kind. */
CHECKED status call_coerce(const function_call *c, size_t i, char letter);
/* Fails unless the call has as many arguments as the signature takes. */
CHECKED status call_check_count(const function_call *c, const char *signature);
/* Binds a function whose signature says all. */
CHECKED status call_by_signature(const function_call *c, expr_op op, expr **out);
/* Fails unless argument i is a number; a literal becomes a double. */
CHECKED status call_require_number(const function_call *c, size_t i);
CHECKED status call_constant_text(const function_call *c, const char *text, expr **out);

#endif
