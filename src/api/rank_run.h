/* rank_run.h - one rank's part of a statement on several ranks: what it tells the others, and how a
 * rank that is not the client's serves.
 *
 *     rank 0   send ───────┬─> agree plan ── (runs, gives rows) ── agree end
 *     others   receive <───┘   agree plan ── (runs) ────────────── agree end
 *                              └──────────────── serve ─────────────────┘
 */
#ifndef PISTACHIO_API_RANK_RUN_H
#define PISTACHIO_API_RANK_RUN_H

#include "api/ranks.h"
#include "api/statement_bytes.h"

#include <semaphore.h>

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
    sem_t changed; /* it is woken, or is_cancelled */
    _Atomic bool is_cancelled;
    pthread_mutex_t lock; /* of what follows */
    bool is_woken, has_failed;
    exec_query *query; /* to be stopped; NULL: there is none */
} rank_run;

/* References the engine. */
void rank_run_init(rank_run *run, pistachio_database *database, api_engine *engine, unsigned rank,
                   const api_rank *place);
/* Ends its part of the network's query, too. */
void rank_run_release(rank_run *run);
/* What net_query_begin is to call: stops the query. */
void rank_run_failed(void *run);
/* The query that is to be stopped when another rank fails; NULL: none any more. */
void rank_run_attach(rank_run *run, exec_query *query);
/* Where its query runs: on its place. */
exec_place rank_run_place(const rank_run *run);

/* Fails what rank_run_await waits for. Any thread, also a signal handler's. */
void rank_run_cancel(rank_run *run);
/* Until the collective is finished, or the thread's client cancels. For the thread of a client, or of a rank that has nothing else to
 * do: blocks. */
CHECKED status rank_run_await(rank_run *run, net_collective *collective);

/* The statement, and what it is bound with, to the other ranks. */
CHECKED status rank_run_send(rank_run *run, const pistachio_result *result);
/* The same for another request (statement_write_request). */
CHECKED status rank_run_send_request(rank_run *run, statement_request request, const char *text,
                                     bool use_cache);
/* What rank 0 has sent; the caller's (mem_free). Blocks until there is a statement. */
CHECKED status rank_run_receive(rank_run *run, char **out, uint64_t *out_bytes);
/* Whether all ranks have this plan, of the same files. */
CHECKED status rank_run_agree_plan(rank_run *run, const plan_statement *plan);
/* Whether no rank has failed. */
CHECKED status rank_run_agree_end(rank_run *run);

/* Binds, optimizes, distributes and runs what was received, or does what else is asked for; a failure is told to all ranks. On a rank
 * that is a process the engine becomes the one that the statement's settings ask for. */
void rank_run_serve(rank_run *run, const char *data, uint64_t bytes);

#endif
