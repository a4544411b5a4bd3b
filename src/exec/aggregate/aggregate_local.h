/* aggregate_local.h - what one task has of a grouping: its tables, and which form they take. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_LOCAL_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_LOCAL_H

#include "exec/aggregate/aggregate_runs.h"

typedef struct aggregate_local {
    const aggregate_core *core;
    int source;
    table_list tables; /* the last one takes rows */
    uint64_t row_count;
    bool is_plain; /* text is not to be coded */
    run_state runs;
    int64_t minimum, maximum; /* of a single integer key, while the table is HASH */
    uint64_t dense_check;     /* rows after which it is asked whether it is dense; 0: never */
    uint64_t held;            /* bytes of the tables when they were last counted */
    size_t full_count;        /* of the tables, the first: they take no more rows, and were */
    uint64_t full_bytes;      /* counted to be these */
    bool has_spilled;         /* no CODES from then on */
} aggregate_local;

void aggregate_local_init(aggregate_local *local, const aggregate_core *core, int source);
void aggregate_local_release(aggregate_local *local);
/* Adds rows: keys in any form, values (by number) FLAT. */
CHECKED status aggregate_local_push(aggregate_local *local, exec_task *task, tensor *const *keys,
                                    tensor *const *values, uint64_t rows);
/* Its tables were spilled: the next rows come to a new one. */
void aggregate_local_restart(aggregate_local *local);

#endif
