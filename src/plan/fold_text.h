/* fold_text.h - inside fold.c: functions of constant texts. */
#ifndef PISTACHIO_PLAN_FOLD_TEXT_H
#define PISTACHIO_PLAN_FOLD_TEXT_H

#include "plan/expr.h"

/* Of a call whose arguments are constants and not NULL: parts of a text, its case, reverse, length, ends, texts
 * joined; false: it is left to the executor. */
bool fold_text(arena *a, const expr *e, value *out);

#endif
