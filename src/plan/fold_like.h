/* fold_like.h - inside fold.c: LIKE of constants. */
#ifndef PISTACHIO_PLAN_FOLD_LIKE_H
#define PISTACHIO_PLAN_FOLD_LIKE_H

#include "plan/expr.h"

/* Of a call of LIKE or ILIKE whose arguments are constants and not NULL; false: it is left to the executor. */
bool fold_like(arena *a, const expr *e, value *out);

#endif
