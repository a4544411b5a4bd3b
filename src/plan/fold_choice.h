/* fold_choice.h - IN, GREATEST, LEAST and NULLIF of constants. */
#ifndef PISTACHIO_PLAN_FOLD_CHOICE_H
#define PISTACHIO_PLAN_FOLD_CHOICE_H

#include "plan/expr.h"

/* What the call gives, all of whose arguments are constants of one type. False: it is none of these. */
bool fold_choice(const expr *e, value *out);

#endif
