/* work.h - how much a statement will do, as far as its plan and its tables' footers say. */
#ifndef PISTACHIO_API_CHOICE_WORK_H
#define PISTACHIO_API_CHOICE_WORK_H

#include "plan/tree/plan.h"

typedef struct statement_work {
    double stored_bytes;  /* of the column chunks that scans read */
    double computed;      /* rows of conditions and expressions, once for each call in them */
    double built, probed; /* rows of joins */
    double grouped;       /* rows that are put into groups, once for each aggregate and once more */
    double ordered;       /* rows of sorts and windows */
    double steps;         /* of a device: launches, copies and zeroings */
} statement_work;

/* Counts the work of one node of a plan, its children's left out, after plan_optimize. */
void statement_work_of_node(const plan_statement *plan, const plan_node *node, statement_work *out);

#endif
