/* window_carry.h - inside window functions: what the rows of a partition up to one have come to, put in front of the
 * rows that follow. So one partition may be cut, and its pieces evaluated at the same time:
 *
 *     piece 0   states ─ take ─┐          values
 *     piece 1   states ────────┴ carry ─ take ─┐ values
 *     piece 2   states ────────────────────────┴ carry ...
 *
 * Pieces are cut between peers. By the host, for host devices. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_CARRY_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_CARRY_H

#include "exec/window/window_aggregate.h"

/* A call's state after its partition's rows so far. Zeroed: without rows. */
typedef struct window_carry {
    uint64_t rows;
    uint64_t count; /* values that are not NULL; dense_rank: groups of peers */
    union {
        int128 sum;
        aggregate_number number;
        aggregate_variance variance;
        aggregate_pair pair;
        uint64_t bits;
    } state;
    tensor *best; /* the least, greatest or first value, alone; NULL: none */
} window_carry;

void window_carry_release(window_carry *carry); /* takes a zeroed one */

/* A call over a piece. Zeroed: nothing to be released. */
typedef struct window_running {
    window_rows *rows;
    const plan_window_call *call;
    tensor *numbers; /* of rows, or last values; NULL: there are states, */
    window_aggregate aggregate;
} window_running;

/* Whether nothing but the rows before it, its peers and a carry are needed for a row's value. */
bool window_running_can(const plan_window_call *call);
/* *out is to be released also after a failure. */
CHECKED status window_running_start(window_rows *rows, const plan_window_call *call, data_type type,
                                    window_running *out);
/* The carry comes before rows [from, to), which have had none yet. */
CHECKED status window_running_carry(window_running *running, const window_carry *before,
                                    uint64_t from, uint64_t to);
/* Takes what the row's partition has come to, carry included: `before`, or NULL. */
CHECKED status window_running_take(const window_running *running, const window_carry *before,
                                   uint64_t row, window_carry *out);
CHECKED status window_running_finish(window_running *running, tensor **out);
void window_running_release(window_running *running);

#endif
