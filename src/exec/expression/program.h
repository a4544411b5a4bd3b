/* program.h - expressions compiled to a linear program of kernel launches over temporaries.
 *
 * A program is compiled once per operator and shared by its tasks; what a run needs is in a
 * program_run of each task. Constants are folded, common parts shared, and a part that depends on a
 * single dictionary column alone is evaluated once per dictionary entry and indexed (the result is
 * kept while the dictionary stays the same). CASE, COALESCE, AND and OR evaluate an argument that
 * can fail only for the rows that need it. Kernel failures carry the SQL position. */
#ifndef PISTACHIO_EXEC_EXPRESSION_PROGRAM_H
#define PISTACHIO_EXEC_EXPRESSION_PROGRAM_H

#include "exec/sched/operator.h"

typedef struct program program;
typedef struct program_run program_run;

#endif
