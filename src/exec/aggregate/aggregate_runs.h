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

/* Rows of which it was asked whether they are in order, and where groups begin. */
typedef struct run_chunk run_chunk;

/* *out: NULL: they are not, or never were. Before it is finished no others may be started. */
CHECKED status runs_start(const aggregate_core *core, exec_task *task, run_state *runs,
                          const table_list *tables, tensor *const *keys, dev_count rows,
                          run_chunk **out);
/* Adds the rows to the last table of the list, or to a new one. *is_taken: false: they are not in
 * order, and nothing was done. */
CHECKED status runs_finish(const aggregate_core *core, exec_task *task, run_state *runs,
                           table_list *tables, int source, tensor *const *values, run_chunk *c,
                           bool *is_taken);
void run_chunk_free(const aggregate_core *core, run_chunk *c); /* takes NULL */
/* Joins the segments of all tables where they touch. *is_disjoint: false: they overlap, and nothing
 * was done. */
CHECKED status runs_merge(const aggregate_core *core, exec_task *task, const table_list *tables,
                          bool *is_disjoint);

#endif
