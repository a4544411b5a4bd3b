/* bound_filter.h - a runtime bound as a compiled condition, anew whenever the bound has become
 * tighter. One for each task. */
#ifndef PISTACHIO_EXEC_EXPRESSION_BOUND_FILTER_H
#define PISTACHIO_EXEC_EXPRESSION_BOUND_FILTER_H

#include "exec/expression/program.h"
#include "exec/sched/runtime_bound.h"

/* Zeroed: none yet. */
typedef struct bound_filter {
    uint64_t version; /* of the bound that the program is for */
    bound_values *values;
    arena *memory;
    program *program; /* NULL: no row can be dropped */
    program_run *run;
} bound_filter;

/* The operator and columns that a bound is compiled for; all must stay. */
typedef struct bound_use {
    runtime_bound *bound;
    const bound_key *keys;
    uint32_t count;
    bool has_all_keys;
    exec_layout layout;
} bound_use;

/* The bound as it is now: f->run's condition 0, if there is one. */
CHECKED status bound_filter_refresh(bound_filter *f, const bound_use *use, exec_task *task);
void bound_filter_release(bound_filter *f);

#endif
