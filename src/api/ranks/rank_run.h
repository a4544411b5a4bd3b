/* rank_run.h - one rank's part of a network's query, a statement's or another request's: where it runs, how
 * it fails, how it waits for the other ranks. What is said in it: rank_statement.h. */
#ifndef PISTACHIO_API_RANKS_RANK_RUN_H
#define PISTACHIO_API_RANKS_RANK_RUN_H

#include "api/handles/handles.h"
#include "net/net.h"

typedef struct rank_run {
    pistachio_database *database;
    sql_catalog *catalog; /* that statements are bound with */
    bool owns_catalog;    /* made for the statement */
    unsigned rank;        /* its number */
    api_engine
        *engine; /* that it runs on, with a reference; set before there is something to run */
    const api_rank *place; /* in the engine */
    net_query *net;
    net_waiter waiter;
    api_wait wait;        /* for is_woken */
    pthread_mutex_t lock; /* of what follows */
    bool is_woken, has_failed;
    cancel_flag is_cancelled; /* raised with has_failed: what prepares the statement looks at it */
    exec_query *query;        /* to be stopped; NULL: there is none */
} rank_run;

/* References the engine. */
void rank_run_init(rank_run *run, pistachio_database *database, api_engine *engine, unsigned rank,
                   const api_rank *place);
/* Ends its part of the network's query, too. */
void rank_run_release(rank_run *run);
/* Stops the query: called by net_query_begin. */
void rank_run_failed(void *run);
/* The query that is to be stopped when another rank fails; NULL: none any more. */
void rank_run_attach(rank_run *run, exec_query *query);
/* Returns the place that its query runs on. */
exec_place rank_run_place(const rank_run *run);

/* Until the collective is finished, or the thread's client cancels. For the thread of a client, or of a rank
 * that has nothing else to do: blocks. */
CHECKED status rank_run_await(rank_run *run, net_collective *collective);

#endif
