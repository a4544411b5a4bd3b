/* rewrite_sides.h - inequalities between sums of both sides of a join become such between the sides. */
#ifndef PISTACHIO_PLAN_RULES_REWRITE_SIDES_H
#define PISTACHIO_PLAN_RULES_REWRITE_SIDES_H

#include "plan/facts/value_range.h"
#include "plan/tree/column_set.h"

/* A join's condition that compares sums of integers of both sides (left, right), of which none can leave its type,
 * becomes one between the sides; others stay as they are. */
CHECKED status plan_separate_sides(plan_statement *s, expr **condition, const column_set sides[2],
                                   value_range_column *column, void *context);

#endif
