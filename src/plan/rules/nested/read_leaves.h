/* read_leaves.h - of a struct only the leaves are read whose fields somebody asks for.
 *
 *     project [s.a, l[1].x, len(m)]          of s the leaves of a, of l those of x, of m any one */
#ifndef PISTACHIO_PLAN_RULES_NESTED_READ_LEAVES_H
#define PISTACHIO_PLAN_RULES_NESTED_READ_LEAVES_H

#include "plan/tree/plan.h"

/* The last change of a plan: later ones would have to keep it. */
CHECKED status nested_mark_leaves(plan_statement *statement);

#endif
