/* contradiction.h - conjunctions that no row can meet, whatever the tables hold. */
#ifndef PISTACHIO_PLAN_FACTS_CONTRADICTION_H
#define PISTACHIO_PLAN_FACTS_CONTRADICTION_H

#include "plan/facts/value_range.h"

/* Are the conditions never true together? Looked at is what they say of one expression: bounds, lists of constants, IS
 * NULL, and a condition beside its negation. `column` tells what is known of columns. False: not known. */
bool plan_conditions_contradict(const expr_list *conditions, value_range_column *column,
                                void *context);

#endif
