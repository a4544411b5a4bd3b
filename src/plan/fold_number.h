/* fold_number.h - rounding and functions of constant numbers. */
#ifndef PISTACHIO_PLAN_FOLD_NUMBER_H
#define PISTACHIO_PLAN_FOLD_NUMBER_H

#include "plan/expr.h"

/* What the call of constants that are not NULL gives. False: it is left to the executor, as it is none of these, would fail,
 * or gives other last bits on another device (logarithms, sines, powers). */
bool fold_number(const expr *e, value *out);

#endif
