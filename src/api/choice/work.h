/* work.h - how much a statement will do, as far as its plan and its tables' footers say. */
#ifndef PISTACHIO_API_CHOICE_WORK_H
#define PISTACHIO_API_CHOICE_WORK_H

#include "plan/tree/plan.h"

typedef struct statement_work {
    double stored_bytes;  /* of the column chunks that scans read */
    double values;        /* of them */
    double computed;      /* rows of conditions and expressions, once for each call in them */
    double built, probed; /* rows of joins */
    double grouped;       /* rows that are put into groups, once for each aggregate and once more */
    double ordered;       /* rows of sorts and windows */
    /* Steps of a device: whatever is done to a chunk of eight million rows at once. */
    double nodes;         /* of the plan */
    double chunks;        /* that nodes take, of all nodes */
    double chunk_columns; /* that scans decode */
} statement_work;

/* Counts a plan's work after plan_optimize. */
void statement_work_count(const plan_statement *plan, statement_work *out);

#endif
