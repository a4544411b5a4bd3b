/* aggregate_merge.h - the tables of all tasks become the result; reading it. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_H

#include "exec/aggregate/aggregate_merge_slice.h"
#include "exec/aggregate/aggregate_spill.h"

/* Groups of one table, for a reader to take. */
typedef struct result_range {
    const aggregate_table *table;
    uint64_t first, count;
} result_range;

typedef struct aggregate_merge {
    const aggregate_core *core;
    pthread_mutex_t lock;
    table_list tables; /* of the tasks; then of the result */
    enum { MERGE_NONE, MERGE_POSITIONS, MERGE_PARTS, MERGE_SPILL } mode;
    ARRAY(merge_slice) slices;
    uint32_t part_bits;
    _Atomic size_t next_slice, next_part;
    _Atomic uint64_t added, found; /* PARTS: groups of tables, and what they became, so far */
    aggregate_table *target;       /* POSITIONS */
    aggregate_table **parts;       /* PARTS: each one's groups, or none if the slices have them */
    table_list kept;               /* PARTS: what was slices */
    bool is_again;                 /* what was merged by row numbers is merged by keys */
    uint64_t peak_bytes;           /* of tables, and what was made of them */
    aggregate_spill spill;
    ARRAY(result_range) ranges; /* the result, as far as it is in memory */
    _Atomic size_t next_range;
} aggregate_merge;

void aggregate_merge_init(aggregate_merge *merge, const aggregate_core *core, exec_operator *op);
void aggregate_merge_release(aggregate_merge *merge);
/* Takes the task's tables. */
CHECKED status aggregate_merge_add(aggregate_merge *merge, exec_task *task, aggregate_local *local);
/* The phases, each on all tasks; the result is complete after the last. */
#define MERGE_PHASES 7
CHECKED status aggregate_merge_phase(aggregate_merge *merge, exec_task *task, unsigned number);

/* A task's place in the result. Zeroed before the first call. */
typedef struct aggregate_reader {
    spilled_part part;
    partition_reader blocks;
    bool is_loading;
    aggregate_table *table; /* the part's groups */
    uint64_t next;          /* of them */
    partitions *cut;        /* the part is too large: a level deeper */
} aggregate_reader;

void aggregate_reader_close(const aggregate_core *core, aggregate_reader *reader);
/* EXEC_HAVE_OUTPUT: *out are groups that nobody else gets; it holds until the next call.
 * EXEC_FINISHED: there are no more for this task. Else as any step. */
exec_result aggregate_result_next(aggregate_merge *merge, exec_task *task, aggregate_reader *reader,
                                  result_range *out);

#endif
