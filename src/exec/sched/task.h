/* task.h - inside the executor: one task of a stage, run by a worker until it waits. */
#ifndef PISTACHIO_EXEC_SCHED_TASK_H
#define PISTACHIO_EXEC_SCHED_TASK_H

#include "exec/sched/query.h"

#include "base/system/fiber.h"

typedef enum task_state {
    TASK_READY,   /* in the pool's queue */
    TASK_RUNNING, /* on a worker */
    TASK_WOKEN,   /* on a worker, and what it is about to wait for has come */
    TASK_WAITING  /* until exec_wake */
} task_state;

/* Chunks whose end a task keeps. Its stream may be behind by one more: one that is computed on, two that wait. */
#define TASK_CHUNKS_AHEAD 2

struct scheduled_task {
    exec_task task;
    exec_stage *stage;
    scheduled_task *next; /* in the queue */
    task_state state;     /* under the pool's lock */
    bool is_busy;         /* likewise: it runs, is ready to go on, or awaits the device */
    bool awaits_device;   /* what it waits for is the device's to do */

    /* Position k stands for the k-th operator; the source's task state comes first in `states`. */
    unsigned operator_count;
    void **states;         /* operator_count + 1 */
    chunk **inputs;        /* what is to be pushed into operator k, or NULL */
    late_chunk *late;      /* before those: of an operator with exact_counts, or none */
    bool *has_more;        /* operator k is to be called again without input */
    unsigned opened_count; /* states whose local_open has run */
    unsigned finishing;    /* operators whose local_finish is done */
    bool is_drained;       /* the source gives no more */
    bool
        is_amid; /* the last step has returned EXEC_WAIT: its operator is in the middle of something */
    bool is_done; /* all steps are; what the kernels reported is still to be looked at */

    /* On lazy devices: the ends of chunks in the stream, each at its number. */
    dev_event *chunk_ends[TASK_CHUNKS_AHEAD];
    bool has_chunk; /* the source has given one since the last end */

    /* The call of an operator that is under way: what for, and since when (nanoseconds). */
    exec_operator *called;
    const char *called_for;
    uint64_t called_since;
    uint64_t turn_since;      /* when its thread began, or went on, with it */
    cancel_flag *flag_before; /* the thread's before the call */
    uint32_t store_before;    /* as object_store_use */
    read_share *share_before; /* likewise, of storage devices */

    fiber *fiber; /* on lazy devices it runs here, so that it can be left anywhere */
    dev_buffer *error_buffer;
};

/* Under the pool's lock; opens nothing yet. */
CHECKED status task_new(exec_stage *stage, unsigned index, unsigned count, scheduled_task **out);
/* The requests of a task to the thread that runs it. */
typedef struct task_asked {
    const exec_query *query;         /* until it is over; NULL: the thread asks for no query */
    bool (*is_done)(void *argument); /* NULL: nothing */
    void *argument;
    const struct pool_shares
        *shares; /* NULL: the task does not leave its thread to other queries */
} task_asked;

typedef enum task_end {
    TASK_OVER,  /* finished, failed or cancelled */
    TASK_WAITS, /* an operator has registered a wake-up */
    TASK_LEFT /* ready to go on: what the thread was asked for is there, or another query's turn has come */
} task_end;

uint64_t task_now(void); /* nanoseconds */
/* Begins the task's turn with a thread, which goes on while it is woken before it waits. */
void task_turn_begin(scheduled_task *scheduled);
/* Returns whether the thread is wanted for something else: what it was asked for is there, or another query's turn has
 * come. Any thread, with the pool's lock or without. */
bool task_is_to_leave(const scheduled_task *scheduled, const task_asked *asked);
/* `fibers`: the calling thread's. */
task_end task_run(scheduled_task *scheduled, const task_asked *asked, fiber_store *fibers);
/* Releases what the task holds, waiting for its stream; not under the pool's lock. */
void task_close(scheduled_task *scheduled);
void task_free(scheduled_task *scheduled);
/* exec_wake() for what the device has done, which a trace knows by the stream's events. */
void task_wake(scheduled_task *scheduled);
/* wait.c: what the task's stream has for dev_stream.await. */
CHECKED status task_await(dev_stream *stream, dev_event *event, void *argument);
/* Awaits memory, for dev_stream.await_memory. */
CHECKED status task_await_memory(dev_stream *stream, bool *out_was, void *argument);
/* On the task's fiber, which is left until somebody has set *is_over and then woken the task: the device
 * as soon as it is there (for_device), or another task. */
void task_lend(scheduled_task *scheduled, const _Atomic bool *is_over, bool for_device);
/* Between the two the calling thread works for the operator, called to `what` (static text; NULL:
 * not traced): time, traces and device work are counted as the operator's. */
void task_step_begin(scheduled_task *scheduled, exec_operator *op, const char *what);
void task_step_end(scheduled_task *scheduled);
/* Tells the other ranks, if there are any, of a failure here; st stays the caller's. */
void task_tell_ranks(exec_query *query, status st);
/* The first failure wins; st is owned. */
void task_fail_query(exec_query *query, status st);

/* task_check.c: asserts, in debug builds, what must hold */
#ifndef NDEBUG
/* between two steps of a task; */
void task_check(const scheduled_task *scheduled);
/* of what an operator has given: `can_give` where output may be; */
void task_check_output(const exec_operator *op, bool can_give, exec_result result,
                       const chunk *output);
/* of what others have made for an operator, before a task begins with it. */
void task_check_made(const exec_operator *op);
#else
static inline void task_check(const scheduled_task *scheduled)
{
    (void)scheduled;
}
static inline void task_check_output(const exec_operator *op, bool can_give, exec_result result,
                                     const chunk *output)
{
    (void)op, (void)can_give, (void)result, (void)output;
}
static inline void task_check_made(const exec_operator *op)
{
    (void)op;
}
#endif

#endif
