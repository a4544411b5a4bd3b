/* fold_value.h - constants as other types. */
#ifndef PISTACHIO_PLAN_FOLD_FOLD_VALUE_H
#define PISTACHIO_PLAN_FOLD_FOLD_VALUE_H

#include "plan/tree/expr.h"

/* Is the cast defined at all? */
bool type_can_cast(data_type from, data_type to);
/* Gives *v as type `to`. Fails if the value does not fit or the text does not read as one; text is kept in the arena.
 * *out_done is false, with success, where the executor has to do it. */
CHECKED status value_cast(arena *a, const value *v, data_type to, value *out, bool *out_done);
/* *v as type `to` if that loses nothing: 5 as decimal(15,2), midnight as a date. */
bool value_cast_exact(const value *v, data_type to, value *out);
/* The narrowest decimal that holds an integer or decimal value: 1 is decimal(1,0). */
data_type value_decimal_type(const value *v);

#endif
