/* nested_check.h - what of a plan cannot take lists, structs and maps yet.
 *
 * Whatever is not known to take them is refused here, so that no operator meets values that it would take for others. Who
 * teaches an operator or function to take them adds it to the lists of nested_check.c. */
#ifndef PISTACHIO_PLAN_NODES_NESTED_CHECK_H
#define PISTACHIO_PLAN_NODES_NESTED_CHECK_H

#include "plan/tree/plan.h"

/* An error that names the first place, with its position. Once when a statement has been bound, of its expressions; and
 * again before it runs (is_final), of what the rules have made of it and of the rows that each node takes. Of statements
 * that scan no such column nothing is looked at. */
CHECKED status plan_check_nested(const plan_statement *statement, bool is_final);

#endif
