/* query.h - inside the executor: a query, its stages, and what the scheduler keeps of them.
 *
 * The plan becomes a graph of stages. A pipeline stage runs source -> operators -> sink on its
 * tasks; a sink stage, ready when all pipelines that feed it are done, runs the sink's phases. A
 * stage starts when everything it waits for has finished.
 *
 *     scan part ─ filter ─┤build├───────────┐ (waits for)
 *                                           v
 *     scan lineitem ─ probe ─ project ─┤aggregate├─> source ─ project ─┤result├
 */
#ifndef PISTACHIO_EXEC_SCHED_QUERY_H
#define PISTACHIO_EXEC_SCHED_QUERY_H

#include "exec/sched/operator.h"
#include "exec/sched/runtime_bound.h"
#include "exec/sched/runtime_filter.h"
#include "exec/sched/shares.h"
#include "storage/read.h"

#include <pthread.h>

typedef struct exec_stage exec_stage;
typedef struct scheduled_task scheduled_task;

struct exec_stage {
    exec_query *query;
    /* A pipeline: source, then operators, the last being the sink. */
    exec_operator *source; /* NULL: a sink stage */
    ARRAY(exec_operator *) operators;
    exec_operator *reorder; /* of these, the one that heeds turns; or NULL */
    /* A sink stage: the sink whose phases run here. */
    exec_operator *sink;
    unsigned phase; /* the one that runs now */
    /* Nothing comes of it (stages.h): its tasks end, its phases do not run. Set under the pool's lock. */
    _Atomic bool is_unwanted;
    bool is_fed, lacks_rows; /* stages.c: pipelines before it have rows; they have none */
    unsigned number;         /* in the query's stages: each stands behind those that it waits for */
    /* Graph. */
    ARRAY(exec_stage *) dependents;
    unsigned pending; /* stages that must finish first; under the pool's lock */
    /* Tasks of this stage, or of its present phase, that have not finished. */
    unsigned tasks_active;
    status failure;          /* could not start; until it is told */
    exec_stage *next_failed; /* of the pool's */
    ARRAY(scheduled_task *) tasks;
};

/* Numbers of the query's exchanges among the ranks: those below are of whoever runs the statement. */
#define EXEC_NET_FIRST_EXCHANGE 16u

struct net_query;

/* A join's broadcast that may overflow, on this rank: plan/distribute/distribute_overflow.c. */
typedef struct exec_overflow {
    _Atomic uint64_t bytes; /* that have come of what goes to all ranks */
    uint64_t bytes_max;
    exec_stage *build_stage; /* when it has finished all ranks have the same bytes */
} exec_overflow;

static inline bool exec_has_overflowed(const exec_overflow *overflow)
{
    return atomic_load_explicit(&overflow->bytes, memory_order_relaxed) > overflow->bytes_max;
}

struct exec_query {
    arena *memory;
    const plan_statement *statement; /* borrowed */
    device *dev;
    mem_budget *budget;
    const char *temp_directory;
    struct exec_pool *pool;
    uint64_t task_bytes; /* that a task holds of the row group it works on: of the largest one */
    ARRAY(exec_operator *) operators; /* all, closed last first */
    ARRAY(exec_stage *) stages;
    runtime_filter *filters;
    runtime_bound *bounds;      /* of sorts with a limit, by id - 1 */
    exec_stage **filter_stages; /* who publishes each */
    exec_operator **shared_sinks;
    exec_stage **shared_stages;
    exec_operator *result_sink; /* NULL: it is a part */
    /* Stages of another device are a query of their own, a part, whose rows a source of this one gives (op_move.h). */
    ARRAY(exec_operator *) moves; /* these sources, */
    ARRAY(exec_query *) parts;    /* and the part of each; set when the stages are */
    exec_query *whole;            /* of a part: who takes its rows */
    status (*start)(
        exec_query *part); /* of a part: begins it; for the first task that wants rows */
    /* On several ranks. */
    struct net_query *net; /* borrowed; NULL: on this one alone */
    uint32_t rank, rank_count;
    uint64_t net_message_bytes;
    bool sends_cargo;          /* rows go from device to device: exec/exchange/exchange_cargo.h */
    struct heavy_keys **heavy; /* of joins, by heavy_id - 1; the joins' */
    exec_overflow *overflows;  /* of joins, by overflow_id - 1 */
    bool *shared_is_sent;      /* what a subplan of rank 0 needs from this rank is on its way */

    /* Gives up what is held only to save work later, as memory is short; how many bytes that were.
     * Any thread; NULL: there is nothing. */
    uint64_t (*reclaim)(const exec_query *query);
    struct scan_reads *reads; /* exec/scan/scan_reads.h: what its scans read, and have read */
    pthread_mutex_t lock;     /* failure, locations */
    status failure;
    ARRAY(char *) locations;
    cancel_flag is_cancelled; /* by the user, or because of a failure: tasks stop at a chunk */
    uint32_t store;           /* as object_store_use */
    bool is_buffering;        /* small chunks are put together before joins */
    bool has_open_tables;     /* of joins by integers: setting join_table */
    bool is_timed;            /* kernels of a lazy device are (dev_stream.is_timed) */
    bool is_synchronous;      /* tasks block where they would await a stream: for measurements */
    bool is_finished;         /* its last batch was taken, all its tasks are over */
    bool is_traced;           /* steps of its operators are noted: set before it starts */
    struct usage *usage;      /* where its threads' time is noted, or NULL: set before it starts */
    /* Under the pool's lock: */
    _Atomic unsigned stages_active; /* not finished; written under the lock */
    unsigned busy_tasks;            /* that run, are ready to go on, or await the device */
    uint64_t turns;                 /* of its tasks on workers, so far, */
    uint64_t wakes;                 /* and wake-ups: each takes the lock, a turn takes it twice */
    query_share share;
    read_share reading;     /* its share of storage devices; the storage layer's */
    pthread_cond_t changed; /* for the thread that asks for a new query (pool.c), */
    bool is_awaited;        /* which waits */
};

/* Adds an operator to those that the query closes. Takes it over also on failure. */
CHECKED status exec_adopt(exec_query *query, exec_operator *op);
/* Closes an operator that could not be opened, and returns why. The other ranks are told first: they would
 * otherwise hear that its exchange was closed too early. */
CHECKED status exec_give_up(exec_query *query, exec_operator *op, status st);

/* Raises the flag of the query and its parts. Also for signal handlers. */
void exec_raise_cancelled(exec_query *query);

/* op_shared.c: collects a common subplan's rows, and reads them. */
CHECKED status op_shared_open(exec_query *query, const plan_node *plan, exec_layout input,
                              exec_operator **out_sink);
CHECKED status op_shared_source_open(exec_query *query, const plan_node *plan, exec_operator *sink,
                                     exec_operator **out);
/* Keeps rows of no node of the plan, of which one source gives all columns, once, and lets go of them. */
CHECKED status op_kept_open(exec_query *query, exec_operator **out_sink);
CHECKED status op_kept_source_open(exec_query *query, exec_operator *sink, exec_operator **out);

#endif
