/* sort.h - inside ORDER BY: what its parts share.
 *
 *     op_sort.c     tasks collect rows, and begin a run when they hold too much
 *     sort_bound.c  drops rows that a limit leaves out, before they are copied
 *     sort_best.h   what of all tasks' rows the limit leaves, by their keys
 *     sort_code.h   keys as numbers, sort_items.h: numbers of rows sorted by them
 *     sort_lanes.h  rows in memory put in order by all tasks
 *     sort_run.c    rows put in order by one task; written as a run of blocks
 *     sort_merge.c  runs to one stream of chunks, row by row
 *     sort_ranges.c runs to chunks in order, by all tasks
 *     sort_pieces.c rows in memory cut where partitions begin
 *     sort_spill.c  how much is too much; passes over the runs until few enough are left
 *     sort_narrow.h rows as they are kept meanwhile, sort_widen.c: and as they came
 *
 * Equal rows keep the order in which one task got them: a run holds rows that came before those of
 * the next, and of equal rows the one of the earlier run goes first. */
#ifndef PISTACHIO_EXEC_SORT_SORT_H
#define PISTACHIO_EXEC_SORT_SORT_H

#include "exec/expression/bound_filter.h"
#include "exec/expression/program.h"
#include "exec/keys/reserved_columns.h"
#include "exec/sort/sort_best.h"
#include "exec/sort/sort_lanes.h"
#include "exec/sort/sort_narrow.h"
#include "storage/spill.h"

#include <pthread.h>

typedef struct sort_merge sort_merge;

/* The first row of a run's block. */
typedef struct sort_mark {
    uint32_t block;
    sort_bytes first;
} sort_mark;

/* Rows in order, in blocks of a temporary file, each of chunk_bytes.h's bytes. */
typedef struct sort_run {
    ARRAY(spill_block) blocks;
    ARRAY(sort_mark) marks; /* of each so many blocks */
    uint32_t mark_step;     /* a power of two; 0: no block yet */
    uint64_t rows, plain_bytes;
} sort_run;
typedef ARRAY(sort_run *) sort_run_list;

/* Runs [first, first + count) that a pass makes one. */
typedef struct sort_group {
    size_t first, count;
} sort_group;

/* A task of a pass. */
typedef struct sort_pass_local {
    sort_merge *merge; /* NULL: between groups */
    sort_run *target;
    size_t group;
} sort_pass_local;

typedef struct sort_spill {
    spill_file *file; /* NULL: all is in memory */
    sort_run_list runs;
    _Atomic uint64_t held, needed; /* by all tasks: now, and with what sorting it takes */
    /* The pass at work. */
    unsigned pass;
    ARRAY(sort_group) groups;
    _Atomic size_t next_group;
    sort_pass_local *tasks;
    unsigned task_count;
} sort_spill;

/* The sink. Collected chunks are FLAT: the input's columns, then the computed keys; where rows are kept narrow, what
 * sort_narrow.h leaves of them, and a column of records. */
typedef struct op_sort {
    exec_operator base;
    exec_layout input;
    program *program; /* the keys that are computed; NULL: every key is a column */
    uint32_t column_count, extra_count, key_count;
    uint32_t kept_count; /* columns of a collected chunk */
    sort_narrow narrow;
    uint32_t *key_columns; /* of the collected chunk, by key */
    bool is_text_first;    /* the first key is text */
    bound_use bound;       /* with a limit, on host devices: count 0, else */
    runtime_bound own_bound;
    sort_best best;
    pthread_mutex_t lock;
    chunk_list chunks;         /* of finished tasks */
    reserved_columns reserved; /* under the lock: what is sorted at once is collected there */
    bool has_met_rows;         /* a task has begun to fill in the next two, with the first rows */
    data_type *types;          /* of collected columns; NULL: not known, or there was no memory */
    bool *needed;              /* there are such columns */
    chunk *sorted;             /* if nothing was spilled */
    sort_lanes lanes;
    sort_spill spill;            /* under the lock while tasks collect */
    const exec_operator *source; /* its whole_keys: rows of such a partition are of one range */
} op_sort;

/* ---- sort_pieces.c ---- */

/* Sorted rows in pieces of whole partitions: where each piece ends. */
typedef ARRAY(uint64_t) sort_pieces;

/* A piece has as many rows as are worth a turn, or those of a partition that has more. */
CHECKED status sort_pieces_make(const op_sort *op, unsigned tasks, sort_pieces *out);

/* ---- sort_ranges.c: the last merge, by all tasks ---- */

typedef struct sort_ranges sort_ranges;

/* A task's part of the range that it works on. Zeroed: without rows. */
typedef struct sort_range {
    bool is_open;
    uint64_t number;
    size_t next; /* block to come, of `reads` */
    ARRAY(struct sort_range_read) reads;
    chunk_list rows;
    chunk *sorted;
    uint64_t next_row;
} sort_range;

/* ---- sort_spill.c ---- */

/* Passes that a sink has phases for. Each merges at least 8 runs to one. */
#define SORT_PASSES 4

#endif
