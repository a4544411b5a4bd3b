/* pool.h - worker threads and the tasks that are ready to run.
 *
 * Tasks are queued in the order in which their stages became ready, and a worker runs a task until
 * it finishes or waits: morsels, not tasks, are the grain of balance. The thread that asks for
 * results works too, so that a query with one thread runs on its caller alone; on a host device it
 * leaves its task between two steps when the result is there, so that what it does with that
 * overlaps with the others' work, and no queue of results fills up meanwhile.
 *
 * While a query is new (shares.h) its tasks do not wait until a thread's step is over: where as many threads run as may, the
 * thread that asks for it, which takes no other tasks meanwhile, and threads in reserve run them in addition, at most as
 * many again. The system shares the cores out, and gives these threads one sooner (base/system/slice.h); when their steps are over
 * the others stop until as many run as may, all but one. So a statement of a millisecond does not wait for the
 * steps of one of minutes, and steps may be long.
 *
 * One lock guards
 * queue, stage graph and task states: it is taken a few times per task, not per chunk. */
#ifndef PISTACHIO_EXEC_SCHED_POOL_H
#define PISTACHIO_EXEC_SCHED_POOL_H

#include "exec/sched/query.h"

typedef struct exec_pool exec_pool;

/* A pool that runs tasks on `thread_count` threads, the asking one included. */
CHECKED status exec_pool_new(unsigned thread_count, exec_pool **out);
void exec_pool_free(exec_pool *pool); /* joins the threads; no query may be running */
unsigned exec_pool_thread_count(const exec_pool *pool);

/* Starts the stages of a query that wait for nothing. */
CHECKED status exec_pool_start(exec_pool *pool, exec_query *query);
/* Runs tasks, of any query, until is_done(argument) or the query has no stage left. is_done is
 * called under the pool's lock, or none. */
void exec_pool_work(exec_pool *pool, exec_query *query, bool (*is_done)(void *argument),
                    void *argument);
/* How often tasks of the query began or went on so far, and how often they were woken: a turn takes
 * the pool's lock twice, a wake-up once (bench/scheduler). */
void exec_pool_turns(exec_pool *pool, const exec_query *query, uint64_t *out_turns,
                     uint64_t *out_wakes);
/* Wakes those in exec_pool_work, for the query or any other, to look at is_done again. */
void exec_pool_notify(exec_pool *pool, exec_query *query);

#endif
