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

/* The sink. Collected chunks are FLAT: the input's columns, then keys that are no column of it; where rows are
 * kept narrow, what sort_narrow.h leaves of them, and a column of records. */
typedef struct op_sort {
    exec_operator base;
    exec_layout input;
    program *program; /* the keys that are no column; NULL: none */
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

/* ---- sort_bound.c: ORDER BY with a limit ---- */

/* For open, when the keys are known: whether rows can be held against what all tasks and scans share
 * (runtime_bound.h). The others are dropped by sort_bound_apply. */
CHECKED status sort_bound_share(op_sort *op, exec_layout input);
/* The rows are a task's best, in order and on the host: what comes after the last of them, if they
 * are as many as the limit, is not asked for. */
CHECKED status sort_bound_publish(const op_sort *op, const chunk *best);
/* The tasks' best rows are known together, by their keys: each row that a task keeps is offered. */
bool sort_bound_is_offered(const op_sort *op);
/* Offers rows [first, end) of a chunk on the host. */
CHECKED status sort_bound_offer(op_sort *op, const chunk *rows, uint64_t first, uint64_t end);
/* Of rows that sort_list gave, those that were not among the first `offered` before. */
CHECKED status sort_bound_offer_rest(op_sort *op, const chunk *best, uint64_t offered);
/* Drops the chunk's rows that the shared bound excludes. */
exec_result sort_bound_select(const op_sort *op, exec_task *task, bound_filter *filter, chunk *c);

/* Where a task has as many rows as the limit, in order, their first keys: what comes after the last
 * of them is not asked for. *out is NULL where there are fewer, or the key is text. */
CHECKED status sort_bound_new(const op_sort *op, exec_task *task, const chunk *best,
                              dev_buffer **out);
/* Drops the chunk's rows that come after the bound. */
CHECKED status sort_bound_apply(const op_sort *op, exec_task *task, const dev_buffer *bound,
                                chunk *c);

/* ---- sort_run.c ---- */

/* The keys of a chunk's rows as the kernel sort_rows takes them. */
CHECKED status sort_pack_keys(const op_sort *op, dev_stream *stream, const chunk *c,
                              dev_buffer **out);
/* What of a row's keys says to which range it belongs: where partitions stay whole, that alone which they
 * are made of. */
void sort_mark_make(const op_sort *op, const sort_keys *keys, uint32_t row, sort_bytes *out);
/* The keys of a FLAT chunk in host memory, whose columns go to `columns`. */
sort_keys sort_keys_of(const op_sort *op, const chunk *c, const tensor **columns);
/* The chunk's rows as the order says, cut to the limit if there is one. */
CHECKED status sort_select(const op_sort *op, dev_stream *stream, chunk *c, row_index *order);
/* All rows of several FLAT chunks, which stay, as one chunk in order, cut to the limit if there is
 * one. */
CHECKED status sort_chunks(const op_sort *op, exec_task *task, chunk *const *chunks, size_t count,
                           chunk **out);
/* The same of a list, which is emptied before memory is taken for more than its rows once more. */
CHECKED status sort_list(const op_sort *op, exec_task *task, chunk_list *list, chunk **out);
/* Rows [first, first + count) of a sorted chunk, its first `columns` columns: nothing is copied. */
CHECKED status sort_slice(exec_task *task, const chunk *sorted, uint64_t first, uint64_t count,
                          uint32_t columns, chunk **out);
/* Appends the rows of a chunk that chunk_to_host or a merge gave to a run. */
CHECKED status sort_run_write(op_sort *op, exec_task *task, const chunk *c, sort_run *run);
void sort_run_free(sort_run *run); /* takes NULL */

/* ---- sort_merge.c ---- */

/* The runs, in this order, stay the caller's; chunks are of the first `columns` columns. */
CHECKED status sort_merge_new(const op_sort *op, sort_run *const *runs, size_t run_count,
                              uint32_t columns, sort_merge **out);
void sort_merge_free(sort_merge *m); /* takes NULL; after the query's end also while it reads */
/* EXEC_HAVE_OUTPUT: the next chunk is *out, in host memory (dev_host). EXEC_FINISHED: there is none. Else
 * as any step. */
exec_result sort_merge_next(sort_merge *m, exec_task *task, chunk **out);

/* ---- sort_pieces.c ---- */

/* Sorted rows in pieces of whole partitions: where each piece ends. */
typedef ARRAY(uint64_t) sort_pieces;

/* A piece has as many rows as are worth a turn, or those of a partition that has more. */
CHECKED status sort_pieces_make(const op_sort *op, unsigned tasks, sort_pieces *out);

/* ---- sort_ranges.c: the last merge, by all tasks ---- */

typedef struct sort_ranges sort_ranges;

/* What a task has of the range it works on. Zeroed: none. */
typedef struct sort_range {
    bool is_open;
    uint64_t number;
    size_t next; /* block to come, of `reads` */
    ARRAY(struct sort_range_read) reads;
    chunk_list rows;
    chunk *sorted;
    uint64_t next_row;
} sort_range;

/* The runs cut into ranges, which any task takes one after another. *out is NULL where they are better
 * merged row by row: as memory is short, or a limit ends it. */
CHECKED status sort_ranges_new(const op_sort *op, const sort_run_list *runs, unsigned tasks,
                               sort_ranges **out);
void sort_ranges_free(sort_ranges *ranges); /* takes NULL */
/* The next chunk of the task's range, or the first one of another: its turn is the range's number. */
exec_result sort_ranges_next(sort_ranges *ranges, exec_task *task, sort_range *range, chunk **out);
void sort_range_close(sort_range *range); /* takes a zeroed one */

/* ---- sort_spill.c ---- */

/* Passes that a sink has phases for. Each merges at least 8 runs to one. */
#define SORT_PASSES 4

/* Of a block of a run before compression, about. */
uint64_t sort_block_bytes(const op_sort *op);
/* How many rows a chunk of what was or will be spilled has, if `rows` rows take `bytes` bytes. */
uint64_t sort_chunk_rows(const op_sort *op, uint64_t rows, uint64_t bytes);
/* What a chunk takes, and what sorting a list with it will take more. Without the lock. */
void sort_count_chunk(op_sort *op, const chunk *c, uint64_t *held, uint64_t *needed);
/* A task whose rows need `needed` bytes must spill them now. */
bool sort_must_spill(const op_sort *op, const exec_task *task, uint64_t needed);
/* All tasks have collected: there is room to sort what they hold, so many rows. */
bool sort_fits(const op_sort *op, uint64_t rows);
/* The rows of a list become a run (or several, where memory is too short for one), the list is
 * emptied. */
CHECKED status sort_spill_list(op_sort *op, exec_task *task, chunk_list *list);
/* A step of pass `number` (from 1) for the task's task. */
exec_result sort_pass(op_sort *op, exec_task *task, unsigned number);
/* The runs that are left after the passes. */
const sort_run_list *sort_spill_runs(op_sort *op);
void sort_spill_release(op_sort *op);

#endif
