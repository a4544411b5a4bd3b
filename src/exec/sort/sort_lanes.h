/* sort_lanes.h - inside ORDER BY: rows in memory put in order by all tasks.
 *
 *     phase 1   chunks brought into one array for each column, bounds of keys    last: codes, cuts
 *     phase 2   each row's part by the cuts, counted for each range of rows    last: places
 *     phase 3   items moved to their parts
 *     phase 4   parts sorted, one by one, into row numbers                     last: op->sorted
 *
 * Values stay where they are, but for keys whose values the items tell: those are written in order in phase 4,
 * over what nobody reads any more.
 *
 * `last`: what the task does that is the last to leave a phase. Parts are cut by rows drawn from all,
 * so that they are about as long and fit a cache. Where chunks are in order already, and can be put
 * behind each other, phase 1 is all there is to do. */
#ifndef PISTACHIO_EXEC_SORT_SORT_LANES_H
#define PISTACHIO_EXEC_SORT_SORT_LANES_H

#include "exec/sched/operator.h"
#include "exec/sort/sort_items.h"

#define SORT_LANES_PHASES 4

/* A chunk of the input. */
typedef struct sort_input {
    chunk *rows;
    uint64_t first; /* row of all */
    bool is_sorted;
    sort_bounds *bounds; /* by key */
} sort_input;

/* Zeroed: the rows are not sorted here. */
typedef struct sort_lanes {
    uint64_t row_count;
    bool is_placed; /* most rows have been in place from the start */
    chunk *all;     /* the rows in host memory, columns FLAT */
    ARRAY(sort_input) inputs;
    sort_bounds *bounds; /* of each input's keys, and last of all */
    sort_keys keys;      /* of all rows */
    sort_form form;
    bool is_done; /* the chunks were in order */
    uint32_t range_count, part_count;
    dev_buffer *cuts, *parts, *items;
    uint64_t *places; /* by range and part: how many items, then where they go */
    uint64_t *part_ends;
    sort_decoder *decoders; /* by key: of those whose values are put in order in place */
    row_index *order;
    _Atomic uint64_t next_job; /* of the phase at work */
    _Atomic unsigned tasks_left;
} sort_lanes;

struct op_sort;

/* Whether so many rows are worth it. */
bool sort_lanes_pay(const exec_task *task, uint64_t row_count);
/* Takes the list's chunks over, which are FLAT and in host memory. By one task. */
CHECKED status sort_lanes_start(struct op_sort *op, exec_task *task, chunk_list *list);
/* Phase `number`, from 1, by each task; after the last one op->sorted has all rows in order. */
CHECKED status sort_lanes_phase(struct op_sort *op, exec_task *task, unsigned number);
void sort_lanes_release(sort_lanes *lanes); /* takes a zeroed one */

#endif
