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

window_range window_range_ref(const window_range *range);
void window_range_release(window_range *range); /* takes a zeroed one */

/* What each row sees, in order; of what EXCLUDE leaves out there are up to three parts. */
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

void window_rows_release(window_rows *rows);
/* Number of a column that a key or argument is; it is there (plan_verify). */
uint32_t window_column(const column_map *places, const expr *e);
/* A column or constant as a FLAT tensor, with a reference. */
CHECKED status window_value(window_rows *rows, const expr *e, tensor **out);
/* Both columns as one, FLAT: the first one's rows, then the second one's. */
CHECKED status window_concat(const window_rows *rows, tensor *first, uint64_t first_rows,
                             tensor *second, uint64_t second_rows, tensor **out);
/* A few rows of a FLAT column as one of their own; on host devices. */
CHECKED status window_some_rows(const window_rows *rows, tensor *values, uint64_t value_rows,
                                const uint32_t *wanted, uint32_t count, tensor **out);
/* Borrowed from rows. */
CHECKED status window_partition(window_rows *rows, const window_range **out);
CHECKED status window_peers(window_rows *rows, const window_range **out);
/* Memory with an element of so many bytes for each row, and `more` of them. */
CHECKED status window_alloc(const window_rows *rows, size_t bytes, uint64_t more, dev_buffer **out);

CHECKED status window_frame_make(window_rows *rows, const plan_frame *frame, window_frame *out);
void window_frame_release(window_frame *frame); /* takes a zeroed one */
/* The call's first `values` arguments on the host, and behind them where each row's frame begins and ends, two columns
 * for each of its parts. */
CHECKED status window_bring(window_rows *rows, const plan_window_call *call, uint32_t values,
                            uint32_t *out_parts, chunk **out);

/* The values of a call for all rows: *out is a column of that type. */
CHECKED status window_call_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                    tensor **out);
CHECKED status window_aggregate_evaluate(window_rows *rows, const plan_window_call *call,
                                         data_type type, tensor **out);
CHECKED status window_text_evaluate(window_rows *rows, const plan_window_call *call, data_type type,
                                    tensor **out);
/* Values on the host, of `count` rows, as a column on the stream's device. */
CHECKED status window_send(dev_stream *stream, uint64_t count, tensor *texts, tensor **out);
CHECKED status window_text_frame_evaluate(window_rows *rows, const plan_window_call *call,
                                          data_type type, tensor **out);
/* arg_min, arg_max over frames: of the row of the first argument's least or greatest value the second. */
CHECKED status window_value_of_evaluate(window_rows *rows, const plan_window_call *call,
                                        tensor **out);
/* WINDOW_QUANTILE and those behind it. */
CHECKED status window_ordered_evaluate(window_rows *rows, const plan_window_call *call,
                                       data_type type, tensor **out);
/* Whether window_aggregate_evaluate knows how. */
bool window_aggregate_is_known(plan_aggregate_function function);
/* Values of other rows: base[index[i]]; takes over the index. `more`: base has so many more rows. */
CHECKED status window_gather(const window_rows *rows, tensor *base, uint64_t more, row_index *index,
                             tensor **out);

#endif
