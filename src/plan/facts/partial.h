/* partial.h - aggregates of parts, put together. */
#ifndef PISTACHIO_PLAN_FACTS_PARTIAL_H
#define PISTACHIO_PLAN_FACTS_PARTIAL_H

#include "plan/tree/plan.h"

/* Is it a count, which is 0 of no rows where the others are NULL? */
bool plan_aggregate_counts(const plan_aggregate *aggregate);
/* Whether an aggregate's results of parts can be put together: by *out, the column of which is of
 * the same type. AVG cannot, but by the sum and the count that it is made of. */
bool plan_aggregate_merges(const plan_aggregate *aggregate, plan_aggregate_function *out);
/* The mean by the sum of all values and their number, columns or of columns, as AGGREGATE_AVG
 * computes it, digit for digit; NULL without memory. */
expr *plan_mean(arena *a, expr *sum, expr *count);
/* The type of the sum that a mean of such values is made of. */
data_type plan_sum_type(data_type type);

#endif
