/* aggregate_runs.h - RUNS: rows that come ordered by an integer key. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_RUNS_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_RUNS_H

#include "exec/aggregate/aggregate_table.h"

typedef ARRAY(aggregate_table *) table_list;

typedef struct run_state {
    bool is_over;           /* rows were not in order: never again */
    int leading;            /* the key that ascends; -1: not chosen */
    int64_t last;           /* its value in the last row */
    uint64_t falls, groups; /* how often it fell from chunk to chunk, and groups so far */
} run_state;

/* Adds rows to the last table of the list, or to a new one. *is_taken: false: the rows are not in
 * order, and nothing was done. */
CHECKED status runs_push(const aggregate_core *core, exec_task *task, run_state *runs,
                         table_list *tables, int source, tensor *const *keys, tensor *const *values,
                         uint64_t rows, bool *is_taken);
/* Joins the segments of all tables where they touch. *is_disjoint: false: they overlap, and nothing
 * was done. */
CHECKED status runs_merge(const aggregate_core *core, exec_task *task, const table_list *tables,
                          bool *is_disjoint);

#endif
