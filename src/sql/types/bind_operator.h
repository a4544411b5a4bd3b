/* bind_operator.h - arithmetic and comparison: types, casts. */
#ifndef PISTACHIO_SQL_TYPES_BIND_OPERATOR_H
#define PISTACHIO_SQL_TYPES_BIND_OPERATOR_H

#include "sql/types/binder.h"

/* Makes a call and folds it. */
CHECKED status bind_call(binder *b, expr_op op, data_type type, expr *const *args, uint32_t count,
                         int32_t location, expr **out);
CHECKED status bind_call1(binder *b, expr_op op, data_type type, expr *arg, int32_t location,
                          expr **out);
CHECKED status bind_call2(binder *b, expr_op op, data_type type, expr *left, expr *right,
                          int32_t location, expr **out);
/* Operators on bits; *out_done: false: the name is of none. */
CHECKED status bind_bits(binder *b, const char *name, expr *left, expr *right, int32_t location,
                         bool *out_done, expr **out);
/* Operator ~. */
CHECKED status bind_not_bits(binder *b, expr *arg, int32_t location, expr **out);
/* +, -, *, /, %, ||, ^ by the types of their arguments. */
CHECKED status bind_arithmetic(binder *b, const char *name, expr *left, expr *right,
                               int32_t location, expr **out);
/* Unary minus. */
CHECKED status bind_negate(binder *b, expr *arg, int32_t location, expr **out);
/* A comparison or (op) IS [NOT] DISTINCT FROM, NULLIF; arguments get one type. */
CHECKED status bind_comparison(binder *b, expr_op op, expr *left, expr *right, int32_t location,
                               expr **out);
/* false: no comparison has that name. */
bool bind_comparison_op(const char *name, expr_op *out);
/* One type for both; `what` says where in the failure. */
CHECKED status bind_unify(binder *b, expr **left, expr **right, int32_t location, const char *what);

#endif
