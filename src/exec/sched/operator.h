/* operator.h - running a plan: queries, pipelines, tasks, and the interface of an operator.
 *
 * A pipeline is a source, streaming operators and a sink. A task is one running instance of a
 * pipeline: it owns a stream and each operator's local state, pulls a chunk from the source, pushes
 * it through, and gives its thread back (EXEC_WAIT) whenever it would have to wait. When all tasks of all pipelines
 * that feed a sink have finished, the sink's phases run, in order, each phase on all tasks, with a
 * barrier between; then whatever depends on the sink may start.
 *
 *     open ─ local_open ─ pull | push ... ─ local_finish ─┤all tasks├ phase 0 ─┤ ... ─ close
 *
 * Threads: open, local_open, close from one thread; pull, push, local_finish and phase from many at
 * once, each with its own task and local state. docs/ARCHITECTURE.md tells the life of a task. */
#ifndef PISTACHIO_EXEC_SCHED_OPERATOR_H
#define PISTACHIO_EXEC_SCHED_OPERATOR_H

#include "device/tensor.h"
#include "plan/tree/plan.h"

#include <pthread.h>

typedef struct exec_query exec_query;
typedef struct exec_task exec_task;
typedef struct exec_operator exec_operator;

typedef enum exec_result {
    EXEC_NEED_INPUT,  /* the input was consumed and gave no (more) output: push the next one */
    EXEC_HAVE_OUTPUT, /* *output is set; call again without input until it says otherwise */
    EXEC_FINISHED,    /* pull: no more chunks; push: no input is wanted any more; local_finish,
                         phase: done */
    EXEC_WAIT,        /* exactly one wake-up was registered on the task: call again the same way */
    EXEC_FAILED       /* exec_fail was called */
} exec_result;

typedef struct exec_operator_ops {
    const char *name; /* as in EXPLAIN */
    /* The operator's state for one task: this many bytes, zeroed, are given to each call as
     * `local`. */
    size_t local_bytes;
    /* Optional: sets the local state up. */
    status (*local_open)(exec_operator *op, exec_task *task, void *local);
    /* Optional, called by debug builds before a task begins: asserts what must hold of what others
     * have made for the operator. */
    void (*check)(const exec_operator *op);
    /* Optional: releases what the task holds; also after failures. */
    void (*local_close)(exec_operator *op, void *local);
    /* Sources: the next chunk, owned by the caller. */
    exec_result (*pull)(exec_operator *op, exec_task *task, void *local, chunk **output);
    /* Streaming operators and sinks: takes *input (and sets it to NULL) when it has consumed it;
     * *input is NULL when called again for more output. Sinks never give output. */
    exec_result (*push)(exec_operator *op, exec_task *task, void *local, chunk **input,
                        chunk **output);
    /* Set: the chunks pushed have exact counts and at least one row. On lazy devices a chunk is
     * pushed when the next one has come: by then its count has, too. */
    bool exact_counts;
    /* Optional: no more input for this task. Streaming operators may give output (called again
     * until EXEC_FINISHED); sinks merge the local state into the shared one. */
    exec_result (*local_finish)(exec_operator *op, exec_task *task, void *local, chunk **output);
    /* Sinks, optional: phase `number` of phase_count, on all tasks at once, each with its index in
     * task->index and the number of tasks in task->count; local states are gone by then. */
    unsigned phase_count;
    exec_result (*phase)(exec_operator *op, exec_task *task, unsigned number);
    /* Optional, of what heeds turns: the task begins another one (exec_turn_begin), all chunks of those
     * before have been pushed. Returns whether its rows are still wanted. */
    bool (*begin_turn)(exec_operator *op, exec_task *task, uint64_t number);
    /* Optional: the query is cancelled; wakes those of its tasks that wait for another one. */
    void (*wake_all)(exec_operator *op);
    /* Optional: returns by column of the input whether it may come NARROW, straight from a source. */
    const bool *(*narrow_columns)(const exec_operator *op);
    /* Optional: all pipelines that the operator is part of have finished, or are given up: lets go
     * of memory that only they needed. */
    void (*release)(exec_operator *op);
    /* Optional: releases everything, the operator as well; takes a half-opened one. Left out: there is nothing
     * but the operator itself, of mem_new. */
    void (*close)(exec_operator *op);
} exec_operator_ops;

/* Counts of the one caller of the operators. */
typedef struct exec_metrics {
    _Atomic uint64_t rows_out, chunks_out, nanoseconds; /* of pull, push, finish and phases */
    _Atomic uint64_t bytes_read;                        /* by scans, compressed */
    _Atomic uint64_t nanoseconds_decoding; /* by scans of host devices, with copying from files */
    _Atomic uint64_t values_cached;        /* by scans, from the column cache: */
    _Atomic uint64_t bytes_cached, nanoseconds_saved; /* there, and that decoding took before */
    _Atomic uint64_t files, files_opened;             /* by scans of tables with keys */
    _Atomic uint64_t row_groups_taken;                /* by scans, from other ranks */
    _Atomic uint64_t rows_probed;                     /* by joins, before they meet build rows */
    _Atomic uint64_t bytes_sent, bytes_received;      /* to and from other ranks */
    _Atomic uint64_t *sent_to, *received_from;        /* those, by rank; NULL: no exchange */
    _Atomic uint64_t bytes_spilled;                   /* to temporary files, as they lie there */
    _Atomic uint64_t memory_peak;                     /* hash tables, sorts: set by the operator */
    dev_work work;                                    /* on lazy devices */
} exec_metrics;

/* The first member of each operator's own struct. */
struct exec_operator {
    const exec_operator_ops *ops;
    exec_query *query;
    const plan_node *plan; /* borrowed */
    /* Sources: by column, whether it may come NARROW; NULL: none may. Of the operator that takes the rows. */
    const bool *narrow_columns;
    /* Sources: most tasks that may pull; 0: any number. 1 keeps an order (after a sort). Set by
     * open; for the source of a breaker, at the latest by the last phase of its sink. */
    unsigned task_limit;
    /* Sources whose rows have an order, set by open: they say the turn (exec_task) of what they give,
     * so that any number of tasks may pull where the sink heeds it, and nothing between the two
     * makes other chunks of those that it is given. */
    bool has_turns;
    /* Sources with turns, and windows: rows that are equal by so many of the first keys are of one turn, so
     * that any number of tasks may pull where partitions are wanted whole. 0: they may be divided. Set when
     * all operators are open. */
    uint32_t whole_keys;
    /* Sources: rows will not come, tasks are not worth making. Set as drops_all is; both are looked at while other
     * sinks are at work (stages.h). */
    _Atomic bool is_empty;
    /* Sources of breakers: the node's columns that nobody reads, which may come as no tensor; NULL: all are
     * wanted. Set before it is pulled from. */
    const bool *unread;
    /* Sources: only what comes of the rows of pipelines that they wait for; where none has any, nothing. */
    bool gives_rest;
    /* Operators that are pushed to: nothing comes of any row. Set at the latest by the last phase of a sink
     * that their pipelines wait for; then those have no tasks, unless other ranks' rows are to be taken. */
    _Atomic bool drops_all;
    _Atomic bool has_input; /* a chunk has been pushed to it; the scheduler's */
    unsigned pipelines;     /* that it is part of and that have not finished; the scheduler's */
    exec_metrics metrics;
};

/* Releases the operator, with all that it holds. Takes NULL. */
void exec_operator_close(exec_operator *op);
/* Gives out an operator that was opened, or releases it and returns the failure. */
CHECKED status exec_operator_opened(exec_operator *op, status st, exec_operator **out);

/* Rows that a join takes to meet its build rows. */
static inline void exec_count_probed(exec_operator *op, const chunk *c)
{
    if (!c->rows.actual)
        atomic_fetch_add_explicit(&op->metrics.rows_probed, c->rows.bound, memory_order_relaxed);
}

/* The place of chunks among those that other tasks pull: those of a lower turn come before them. The
 * chunks of one turn are pulled by one task, in their order.
 *
 * Of sources that know their chunks beforehand (has_turns: sorts) each turn has one at least, they are
 * numbered from 0 on, and none is left out. Other sources call exec_turn_begin. */
typedef struct exec_turn {
    uint64_t number;
    bool is_last; /* of its turn's chunks */
} exec_turn;

struct exec_task {
    exec_query *query;
    dev_stream *stream;
    dev_error *error; /* on the device; for kernels that can fail. Checked by exec_check_error */
    unsigned index, count;            /* which of the tasks of its stage or phase */
    exec_turn turn;                   /* of the chunk that was pulled last: see has_turns */
    struct scheduled_task *scheduled; /* the scheduler's own state */
};

/* For sources, on hosts: what the task gives from now on is of this turn, the one it was in is over. Its
 * turns rise, and so do those that the source hands out. Returns false where no further row is wanted:
 * then pull is to return EXEC_FINISHED. */
bool exec_turn_begin(exec_task *task, uint64_t number);

/* Fails the query with st (owned), the first failure wins, and returns EXEC_FAILED. */
exec_result exec_fail(exec_task *task, status st);

/* In a function that returns exec_result. */
#define EXEC_TRY(task, call)                                                                       \
    do {                                                                                           \
        status exec_status_ = (call);                                                              \
        if (__builtin_expect(exec_status_ != NULL, 0))                                             \
            return exec_fail((task), exec_status_);                                                \
    } while (0)

/* Wake-ups, for what comes from elsewhere: bytes from storage, room in a queue. Each is registered just
 * before returning EXEC_WAIT. What the task's own stream has computed is awaited by dev_words_read
 * and its kin, in the middle of whatever is under way. */

/* Hand the task to whoever will call exec_wake, once, from any thread, and return
 * EXEC_WAIT. A wake-up that comes before that is remembered: the task is running. */
void exec_wake(exec_task *task);
/* All of a list, which is empty then; under the lock that guards the list. */
typedef ARRAY(exec_task *) exec_task_list;
void exec_wake_all(exec_task_list *waiting);
/* Wakes the tasks of a lock that may be taken under the pool's own: it is not held while a task is woken, and who
 * registers again meanwhile stays in the list. */
void exec_wake_each(pthread_mutex_t *guard, exec_task_list *waiting);

/* On a host device, turns what kernels reported into a failure (with position and text); on others
 * does nothing: the scheduler checks at the end of each task and phase. */
CHECKED status exec_check_error(exec_task *task);
/* As exec_check_error; on other devices awaits all that the task's stream was told, first. */
CHECKED status exec_await_error(exec_task *task);
/* The failure for an error cell, NULL for none: `location` is a position in the SQL text, or, with
 * EXEC_LOCATION_READER set, the number of a location registered with exec_location_register. */
#define EXEC_LOCATION_READER 0x80000000u
CHECKED status exec_error_status(exec_query *query, const dev_error *error);
/* Registers text for corrupt data (file, row group, column), taking a copy; returns its number with
 * EXEC_LOCATION_READER set. */
CHECKED status exec_location_register(exec_query *query, const char *text, uint32_t *out);

device *exec_device(const exec_query *query);
mem_budget *exec_budget(const exec_query *query);
arena *exec_memory(exec_query *query); /* lives as long as the query; for open only */
/* Returns the folder of temporary files; lives as long as the query. */
const char *exec_temp_directory(const exec_query *query);
/* Tasks that work for it at once: as many as there are threads; on lazy devices, whose tasks lend their
 * threads, as many as streams are worth running, however few threads feed them. Fewer where memory is short. */
unsigned exec_task_count(const exec_query *query);
bool exec_is_cancelled(const exec_query *query);
/* Setting join_table. */
bool exec_wants_open_tables(const exec_query *query);
struct runtime_filter *exec_runtime_filter(exec_query *query, uint32_t id);
struct runtime_bound *exec_runtime_bound(exec_query *query, uint32_t id);

/* ---- operators' constructors, one file each: op_<name>.c ----
 * `input` describes the chunks that come in: columns by id, in order. Each fills *out. Those with
 * shared state (join, aggregate, sort) make a sink and a source or prober that refer to it; the
 * sink owns the state and outlives the others. */

/* Parallel arrays of what a chunk's columns are. */
typedef struct exec_layout {
    uint32_t count;
    const plan_column *columns;
} exec_layout;

#define SOURCE(kind, name)                                                                         \
    CHECKED status op_##name##_open(exec_query *query, const plan_node *plan, exec_operator **out);
#define STREAMING(kind, name)                                                                      \
    CHECKED status op_##name##_open(exec_query *query, const plan_node *plan, exec_layout input,   \
                                    exec_operator **out);
#define BREAKER(kind, name)                                                                        \
    CHECKED status op_##name##_open(exec_query *query, const plan_node *plan, exec_layout input,   \
                                    exec_operator **out_sink, exec_operator **out_source);
#define WALKED(kind, name)
#include "exec/sched/operators.def"
#undef SOURCE
#undef STREAMING
#undef BREAKER
#undef WALKED
CHECKED status op_scan_open(exec_query *query, const plan_node *plan, exec_operator **out);
/* LIMIT of any rows; op_reorder_open is that of the first ones. */
CHECKED status op_limit_open(exec_query *query, const plan_node *plan, exec_operator **out);
/* Passes chunks on, small ones several together; for host devices. Stands for no node of the plan.
 */
CHECKED status op_buffer_open(exec_query *query, exec_operator **out);
/* Gives chunks in the order of the turns that the source begins (exec_turn_begin), with turns as of has_turns;
 * of a LIMIT node, the first rows of it; NULL: all. For host devices. */
CHECKED status op_reorder_open(exec_query *query, const plan_node *limit, exec_layout input,
                               exec_operator **out);
/* *out_build: the sink of the build side. *out_probe: where the probe side streams through, or,
 * where nothing comes out before all is probed (semi, anti, mark with build on the kept side), its
 * sink (*out_probe_is_sink). *out_tail: a source of what is left after probing (build rows kept by
 * outer, semi, anti joins; everything, where rows had to be spilled), or NULL. The tail's rows have
 * the layout of the join's columns. */
CHECKED status op_join_open(exec_query *query, const plan_node *plan, exec_layout probe,
                            exec_layout build, exec_operator **out_build, exec_operator **out_probe,
                            bool *out_probe_is_sink, exec_operator **out_tail);
/* Opens three sources of a join with heavy_id, whose build sink this is: two give nothing, one joined rows as the
 * tail. On failure those that were made are in *out, the others NULL. */
CHECKED status op_join_heavy_open(exec_operator *build, exec_operator **out_answering,
                                  exec_operator **out_collecting, exec_operator **out_kept);

#endif
