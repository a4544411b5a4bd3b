/* fold.h - what constant expressions amount to.
 *
 * Folds what has one right answer whoever computes it: exact arithmetic, dates and intervals,
 * comparisons, logic, and most casts. The rest (text functions, double arithmetic) is left to the
 * executor, as is whatever would fail: an expression that is never evaluated must not fail. */
#ifndef PISTACHIO_PLAN_FOLD_H
#define PISTACHIO_PLAN_FOLD_H

#include "plan/expr.h"

/* Is the cast defined at all? */
bool type_can_cast(data_type from, data_type to);

/* *v as type `to`. Fails where the value does not fit or is no such text; text is kept in the
 * arena. *out_done is false, with success, where the executor has to do it. */
CHECKED status value_cast(arena *a, const value *v, data_type to, value *out, bool *out_done);
/* *v as type `to` if that loses nothing: 5 as decimal(15,2), midnight as a date. */
bool value_cast_exact(const value *v, data_type to, value *out);
/* The narrowest decimal that holds an integer or decimal value: 1 is decimal(1,0). */
data_type value_decimal_type(const value *v);
/* Is the number, unscaled if the type is a decimal, one of the type's? Of integers of 4 and 8 bytes and decimals. */
bool fold_integer_fits(int128 number, data_type type);

/* The constant that the call, cast or CASE amounts to (its arguments are folded already), or
 * something simpler, or e itself. NULL without memory. */
expr *expr_fold(arena *a, expr *e);

#endif
