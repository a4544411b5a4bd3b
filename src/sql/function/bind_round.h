/* bind_round.h - calls that round numbers, or take their sign away. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_ROUND_H
#define PISTACHIO_SQL_FUNCTION_BIND_ROUND_H

#include "sql/types/function_call.h"

/* round(x) and round(x, digits). */
CHECKED status bind_round(const function_call *c, expr_op op, expr **out);
/* floor, ceil, trunc; trunc(x, digits). */
CHECKED status bind_whole(const function_call *c, expr_op op, expr **out);
/* abs and sign. */
CHECKED status bind_abs(const function_call *c, expr_op op, expr **out);

#endif
