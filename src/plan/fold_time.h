/* fold_time.h - fields of constant dates and times, and cutting them. */
#ifndef PISTACHIO_PLAN_FOLD_TIME_H
#define PISTACHIO_PLAN_FOLD_TIME_H

#include "plan/expr.h"

/* What the call of constants that are not NULL gives. False: it is left to the executor. */
bool fold_time(const expr *e, value *out);

#endif
