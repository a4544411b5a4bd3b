/* value_range.h - between which values those of an expression lie, and what that says of conditions.
 *
 * Of exact numbers, times, floats, texts and truth values. All zeros: nothing is known. */
#ifndef PISTACHIO_PLAN_FACTS_VALUE_RANGE_H
#define PISTACHIO_PLAN_FACTS_VALUE_RANGE_H

#include "plan/tree/expr.h"

typedef struct value_range {
    bool is_bounded; /* what is neither NULL nor NaN lies from min to max, which need not occur */
    bool has_no_values; /* but NULLs */
    bool has_no_nulls;
    bool has_no_nan; /* floats */
    value min, max;  /* of one type; text is borrowed */
} value_range;

/* Outcomes that a condition, or a comparison, can have for some row. */
typedef struct value_truth {
    bool may_be_true, may_be_false, may_be_null;
} value_truth;

/* Tells the range of a column. */
typedef value_range value_range_column(uint32_t id, void *context);

/* A type whose values have a range. */
bool value_has_range(data_type type);
/* A cast after which values are in the same order: of numbers to floats or without rounding, of dates to timestamps,
 * and back. */
bool value_cast_keeps_order(data_type from, data_type to);
/* The range of the cast's values; false: it is not known. Bounds are moved apart where a number becomes a float, as
 * others may round otherwise. */
bool value_range_cast(const value_range *range, data_type to, value_range *out);
/* Between the least and the greatest of both, and in both. Of one type. */
value_range value_range_union(const value_range *a, const value_range *b);
value_range value_range_meet(const value_range *a, const value_range *b);
value_range value_range_of_constant(const value *v);
/* Narrows a range to the values that pass `op constant`: with that on the right side, and not NULL. */
void value_range_narrow(value_range *range, expr_op op, const value *constant);

value_range value_range_of(const expr *e, value_range_column *column, void *context);
/* For no row may what it gives be otherwise; a condition that is not known may be anything. */
value_truth value_truth_of(const expr *e, value_range_column *column, void *context);
/* Returns the truth of left op right, a comparison. */
value_truth value_truth_of_comparison(expr_op op, const value_range *left,
                                      const value_range *right);

#endif
