/* aggregate_local.h - what one task has of a grouping: its tables, and which form they take. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_LOCAL_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_LOCAL_H

#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_runs.h"
#include "exec/aggregate/aggregate_sample.h"

/* Rows that are in no table yet: whether its form takes them was asked for, and is known when the
 * next ones come (lazy devices). */
typedef struct held_rows {
    dev_count count; /* bound 0: none */
    dev_buffer *count_owner;
    tensor **keys, **values;
    codes_lookup codes; /* CODES */
    run_chunk *runs;    /* RUNS */
} held_rows;

typedef struct aggregate_local {
    const aggregate_core *core;
    int source;
    table_list tables; /* the last one takes rows */
    uint64_t row_count;
    text_coding coding; /* which text keys may be coded still */
    run_state runs;
    uint32_t value_count;
    held_rows waiting;
    dev_fetch bounds;         /* of the key of the rows that came last, while the table is HASH */
    int64_t minimum, maximum; /* of a single integer key, while the table is HASH */
    uint64_t dense_check;     /* rows after which it is asked whether it is dense; 0: never */
    uint64_t held;            /* bytes of the tables when they were last counted */
    size_t full_count;        /* of the tables, the first: they take no more rows, and were */
    uint64_t full_bytes;      /* counted to be these */
    uint64_t aside_groups;    /* of a HASH table that may be kept aside */
    uint64_t passing_left;    /* rows to keep as they are, until grouping may be tried again */
    hash_sample passed;       /* of rows that were kept as they are */
    bool has_spilled;         /* no CODES from then on */
} aggregate_local;

void aggregate_local_init(aggregate_local *local, const aggregate_core *core, int source);
void aggregate_local_release(aggregate_local *local);
/* Adds rows: keys in any form, values (by number) FLAT. count_owner: holds the count's word. */
CHECKED status aggregate_local_push(aggregate_local *local, exec_task *task, tensor *const *keys,
                                    tensor *const *values, dev_count rows, dev_buffer *count_owner);
/* All rows that came are in tables, and of the last table everything is known. */
CHECKED status aggregate_local_catch_up(aggregate_local *local, exec_task *task);
/* Its tables were spilled: the next rows come to a new one. */
void aggregate_local_restart(aggregate_local *local);

#endif
