/* shares.h - which query's task a free thread takes: the one of the query that has had least of its share.
 *
 * Each query has a pass: the time that its tasks had threads for, divided by its weight and by how new it is. A query
 * that has used little goes far on that, so that a statement of milliseconds does not wait for one of minutes, and the
 * longer it runs the more it is one among others. A query that comes, or had nothing to do, begins at the pass of those
 * that run: time in which it asked for no thread is not owed to it. Everything under the pool's lock, but for what
 * pool_shares_others_wait reads. */
#ifndef PISTACHIO_EXEC_SCHED_SHARES_H
#define PISTACHIO_EXEC_SCHED_SHARES_H

#include "exec/sched/weight.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How long a task goes on while another query waits for a thread. */
#define POOL_TURN_NANOSECONDS 1000000u
/* How much threads' time a query may have had to be a new one. */
#define POOL_NEW_NANOSECONDS 200000000u

/* A query's. */
typedef struct query_share {
    uint64_t nanoseconds; /* that its tasks had threads for, */
    uint64_t pass;        /* and those by its weight and age */
    unsigned weight;      /* 0: EXEC_WEIGHT_NORMAL; set before it starts */
    _Atomic unsigned ready_tasks;
} query_share;

typedef struct pool_shares {
    _Atomic unsigned query_count; /* that have tasks which are ready */
    _Atomic bool is_crowded;      /* more threads run tasks than are to (pool.h) */
    uint64_t pass;                /* of the query that had a thread last */
} pool_shares;

/* Notes that a task of the query is ready. */
static inline void pool_shares_add(pool_shares *shares, query_share *query)
{
    if (atomic_fetch_add_explicit(&query->ready_tasks, 1, memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&shares->query_count, 1, memory_order_relaxed);
    if (query->pass < shares->pass)
        query->pass = shares->pass;
}

/* Notes that a task that was ready has a thread. */
static inline void pool_shares_take(pool_shares *shares, query_share *query)
{
    if (atomic_fetch_sub_explicit(&query->ready_tasks, 1, memory_order_relaxed) == 1)
        atomic_fetch_sub_explicit(&shares->query_count, 1, memory_order_relaxed);
    if (shares->pass < query->pass)
        shares->pass = query->pass;
}

static inline bool pool_shares_are_several(const pool_shares *shares)
{
    return atomic_load_explicit(&shares->query_count, memory_order_relaxed) > 1;
}

/* Returns whether another query has a task that is ready, or one that runs in addition. Any thread. */
static inline bool pool_shares_others_wait(const pool_shares *shares, const query_share *query)
{
    unsigned count = atomic_load_explicit(&shares->query_count, memory_order_relaxed);
    return atomic_load_explicit(&shares->is_crowded, memory_order_relaxed) || count > 1 ||
           (count && !atomic_load_explicit(&query->ready_tasks, memory_order_relaxed));
}

/* Counts so much time of a thread as the query's. */
static inline void pool_shares_use(query_share *query, uint64_t nanoseconds)
{
    const uint64_t is_long = 2000000000;
    unsigned age = query->nanoseconds < POOL_NEW_NANOSECONDS ? 16
                   : query->nanoseconds < is_long            ? 4
                                                             : 1;
    unsigned weight = query->weight ? query->weight : EXEC_WEIGHT_NORMAL;
    query->nanoseconds += nanoseconds;
    query->pass += nanoseconds * 64 / (age * weight);
}

#endif
