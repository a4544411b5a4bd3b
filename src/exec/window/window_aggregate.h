/* window_aggregate.h - inside window functions: an aggregate over frames, in two steps.
 *
 * First the states of all rows are made, then their values. In between the rows that come before these, in the same
 * partition, can be put in front (window_carry.h). */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_AGGREGATE_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_AGGREGATE_H

#include "exec/window/window.h"

/* One call's. Zeroed: nothing to be released. */
typedef struct window_aggregate {
    window_rows *rows;
    const plan_window_call *call;
    const struct window_known *known;
    const char *state; /* as in aggregates.def */
    data_type type;
    window_frame frame;
    tensor *values; /* the argument; NULL: count(*) */
    tensor *second; /* of a pair's, x */
    dev_buffer *counts, *states, *scratch;
    bool is_greatest;
    row_index *picked; /* rows of the least or greatest value: of `values`, or of */
    tensor *carried;   /* those behind the value that was carried; NULL: none was */
} window_aggregate;

/* States. *out is to be released also after a failure. */
CHECKED status window_aggregate_start(window_rows *rows, const plan_window_call *call,
                                      data_type type, window_aggregate *out);
/* Values. */
CHECKED status window_aggregate_finish(window_aggregate *a, tensor **out);
void window_aggregate_release(window_aggregate *a);
/* The state's name in aggregates.def. */
const char *window_aggregate_state(plan_aggregate_function function);
/* Two states of a call whose state is bits. */
uint64_t window_aggregate_bits(const window_aggregate *a, uint64_t left, uint64_t right);

CHECKED status window_aggregate_evaluate(window_rows *rows, const plan_window_call *call,
                                         data_type type, tensor **out);
/* arg_min, arg_max over frames: of the row of the first argument's least or greatest value the second. */
CHECKED status window_value_of_evaluate(window_rows *rows, const plan_window_call *call,
                                        tensor **out);
/* Whether window_aggregate_evaluate knows how. */
bool window_aggregate_is_known(plan_aggregate_function function);

#endif
