/* fold_parts.h - inside fold.c: calls of constants, one file for each kind of functions. */
#ifndef PISTACHIO_PLAN_FOLD_FOLD_PARTS_H
#define PISTACHIO_PLAN_FOLD_FOLD_PARTS_H

#include "plan/tree/expr.h"

/* Each computes a call whose arguments are constants, and returns false if it leaves the call to the executor:
 * because it is of another kind, would fail, or gives other last bits on another device (logarithms, sines, powers). */

/* IN, GREATEST, LEAST and NULLIF; all arguments are of one type and may be NULL. */
bool fold_choice(const expr *e, value *out);
/* LIKE and ILIKE; no argument is NULL. */
bool fold_like(arena *a, const expr *e, value *out);
/* Rounding and functions of numbers; no argument is NULL. */
bool fold_number(const expr *e, value *out);
/* Parts of a text, its case, reverse, length, ends, texts joined; no argument is NULL. */
bool fold_text(arena *a, const expr *e, value *out);
/* Fields of dates and times, and cutting them; no argument is NULL. */
bool fold_time(const expr *e, value *out);

#endif
