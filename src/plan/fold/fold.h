/* fold.h - what constant expressions amount to.
 *
 * Folds what has one right answer whoever computes it: exact arithmetic, dates and intervals,
 * comparisons, logic, and most casts. The rest (text functions, double arithmetic) is left to the
 * executor, as is whatever would fail: an expression that is never evaluated must not fail. */
#ifndef PISTACHIO_PLAN_FOLD_FOLD_H
#define PISTACHIO_PLAN_FOLD_FOLD_H

#include "plan/tree/expr.h"

/* Is the number, unscaled if the type is a decimal, one of the type's? Of integers of 4 and 8 bytes and decimals. */
bool fold_integer_fits(int128 number, data_type type);

/* The constant that the call, cast or CASE amounts to (its arguments are folded already), or
 * something simpler, or e itself. NULL without memory. */
expr *expr_fold(arena *a, expr *e);

#endif
