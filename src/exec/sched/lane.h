/* lane.h - inside the executor: one lane of a stage, run by a worker until it waits. */
#ifndef PISTACHIO_EXEC_SCHED_LANE_H
#define PISTACHIO_EXEC_SCHED_LANE_H

#include "exec/sched/query.h"

typedef enum lane_state {
    LANE_READY,   /* in the pool's queue */
    LANE_RUNNING, /* on a worker */
    LANE_WOKEN,   /* on a worker, and what it is about to wait for has come */
    LANE_WAITING  /* until exec_wake */
} lane_state;

struct exec_lane {
    exec_task task;
    exec_stage *stage;
    exec_lane *next;  /* in the queue */
    lane_state state; /* under the pool's lock */

    /* Position k stands for the k-th operator; the source's lane state comes first in `states`. */
    unsigned operator_count;
    void **states;         /* operator_count + 1 */
    chunk **inputs;        /* what is to be pushed into operator k, or NULL */
    bool *has_more;        /* operator k is to be called again without input */
    unsigned opened_count; /* states whose lane_open has run */
    unsigned finishing;    /* operators whose lane_finish is done */
    bool is_drained;       /* the source gives no more */
    bool is_done;          /* all steps are; what the kernels reported is still to be looked at */

    dev_buffer *error_buffer;
    dev_event *event; /* of exec_wait_stream */
    exec_fetch error_fetch;
    uint64_t error_words[2];
};

/* Under the pool's lock; opens nothing yet. */
CHECKED status lane_new(exec_stage *stage, unsigned index, unsigned count, exec_lane **out);
/* True: it waits. False: it is over (finished, failed or cancelled). */
bool lane_run(exec_lane *lane);
/* Releases what the lane holds, waiting for its stream; not under the pool's lock. */
void lane_close(exec_lane *lane);
void lane_free(exec_lane *lane);
/* The first failure wins; st is owned. */
void lane_fail_query(exec_query *query, status st);

#endif
