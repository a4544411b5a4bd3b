/* run.h - what the API sees of the executor: start a query, take its batches, stop it. */
#ifndef PISTACHIO_EXEC_RUN_H
#define PISTACHIO_EXEC_RUN_H

#include "base/setting/setting.h"
#include "exec/operators/op_result.h"
#include "exec/scan/scan_reads.h"
#include "exec/sched/pool.h"

/* The engine's parts that a query runs on. */
typedef struct exec_place {
    device *dev;
    device *other; /* that a plan's moves are from or to; NULL: it has none */
    exec_pool *pool;
    struct net_query *net; /* NULL, or of a statement that has exchanges: with other ranks */
    uint32_t rank, rank_count;
    uint32_t message_bytes; /* to other ranks */
    bool takes_cargo;       /* net_comm_takes_cargo */
} exec_place;

/* Builds the stages; nothing runs yet. The statement and the place outlive the query; the settings
 * are those of now. On several ranks each has a query of its own, whose batches rank 0 has; a
 * failure of one is told to the others, and net_query's `failed` calls exec_query_stop. */
CHECKED status exec_query_new(const plan_statement *statement, const exec_place *place,
                              const settings *settings, exec_query **out);
/* Has batches stay in the memory of a lazy device (op_result.h). Called before the query is started. */
void exec_query_stay(exec_query *query, exec_device_layout layout);
/* Has the time of a lazy device's kernels counted, by operator. Called before the query is started. */
void exec_query_time_kernels(exec_query *query);
/* Has steps of its operators noted in the process's trace, or not. Called before the query is started. */
void exec_query_trace(exec_query *query, bool is_traced);
/* Sets the query's share of the threads among other queries' (EXEC_WEIGHT_NORMAL). Called before the query is started. */
void exec_query_weigh(exec_query *query, unsigned weight);
CHECKED status exec_query_start(exec_query *query);
/* Any time: from now on tasks make of batches what a client wants (op_result.h). */
void exec_query_shape(exec_query *query, const exec_batch_shape *shape);
/* The next batch (owned by the caller), or NULL at the end. Works on the query meanwhile. */
CHECKED status exec_query_next(exec_query *query, exec_batch **out);
/* Bytes and times that the query's scans have read so far. Any thread while the query lives. */
typedef struct exec_report {
    const scan_storage *storage; /* by storage device; the query's */
    size_t storage_count;
    uint64_t bytes_stored, bytes_cached; /* compressed, from storage and from the page cache */
    uint64_t bytes_shared;               /* read by one scan and used by another one as well */
    uint64_t bytes_done, bytes_total;    /* of all row groups, for a progress bar */
    uint64_t turns, wakes;               /* exec_pool_turns */
} exec_report;
void exec_query_report(const exec_query *query, exec_report *out);

/* Any thread, also a signal handler's (only sets a flag): exec_query_next then fails. */
void exec_query_cancel(exec_query *query);
/* The ranks' statement has failed elsewhere: exec_query_next then fails. Any thread. */
void exec_query_stop(exec_query *query);
/* Stops what still runs and waits for it. Takes NULL. */
void exec_query_free(exec_query *query);

#endif
