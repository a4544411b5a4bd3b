/* window.h - inside window functions: what their parts share.
 *
 *     op_window.c         collects whole partitions of rows that come in order, gives them out with values
 *     window_rows.c       partitions and peers, columns and constants as flat tensors
 *     window_frame.c      frames: ranges of rows
 *     window_call.c       functions of windows.def
 *     window_aggregate.h  aggregates over frames
 *     window_carry.h      what rows so far have come to, for those that follow
 *     window_turn.h       pieces of partitions, one for each task
 *     window_text.c       string_agg, over partitions
 *     window_text_frame.c string_agg, over frames
 *     window_ignore.h     IGNORE NULLS
 *     window_ordered.c    quantiles, modes, aggregates of distinct values
 *
 * Rows are numbered within what is evaluated at once, one or more whole partitions; a range of rows for
 * each row is two arrays of such numbers (kernels_window.def). */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_H

#include "exec/sched/operator.h"
#include "plan/tree/column_map.h"

/* Rows [from[i], to[i]) for each row i. */
typedef struct window_range {
    dev_buffer *from, *to;
} window_range;

/* Parts of what each row sees, in order: EXCLUDE leaves up to three. */
#define WINDOW_PARTS 3
typedef struct window_frame {
    uint32_t count;
    window_range parts[WINDOW_PARTS];
} window_frame;

/* Whole partitions that are being evaluated. */
typedef struct window_rows {
    exec_task *task;
    const column_map *places; /* of the columns */
    const plan_node *plan;
    chunk *columns; /* borrowed; some become FLAT */
    dev_count count;
    /* Made when they are asked for. */
    dev_buffer *changes; /* bits where partitions begin */
    window_range partition, peers;
} window_rows;

/* The values of a call for all rows: *out is a column of that type. */
CHECKED status window_call_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                    tensor **out);
CHECKED status window_text_frame_evaluate(window_rows *rows, const plan_window_call *call,
                                          data_type type, tensor **out);
/* WINDOW_QUANTILE and those behind it. */
CHECKED status window_ordered_evaluate(window_rows *rows, const plan_window_call *call,
                                       data_type type, tensor **out);

#endif
