/* rank_run.c - one rank's part of a network's query: its failures, and waiting for the other ranks. */
#include "api/ranks/rank_run.h"

#include "api/engine/engine.h"
#include "base/system/mutex.h"

void rank_run_failed(void *argument)
{
    rank_run *run = argument;
    mutex_lock(&run->lock);
    run->has_failed = true;
    atomic_store(&run->is_cancelled, true);
    if (run->query)
        exec_query_stop(run->query);
    mutex_unlock(&run->lock);
}

void rank_run_attach(rank_run *run, exec_query *query)
{
    mutex_lock(&run->lock);
    run->query = query;
    if (run->has_failed && query)
        exec_query_stop(query);
    mutex_unlock(&run->lock);
}

static void rank_run_wake(void *argument)
{
    rank_run *run = argument;
    mutex_lock(&run->lock);
    run->is_woken = true;
    sem_post(&run->wait.changed); /* with the lock: who sees is_woken may end the run */
    mutex_unlock(&run->lock);
}

void rank_run_init(rank_run *run, pistachio_database *database, api_engine *engine, unsigned rank,
                   const api_rank *place)
{
    *run = (rank_run){.database = database,
                      .catalog = database->catalog,
                      .rank = rank,
                      .engine = engine,
                      .place = place};
    atomic_fetch_add(&engine->references, 1);
    run->waiter = (net_waiter){.wake = rank_run_wake, .argument = run};
    mutex_init(&run->lock);
    api_wait_init(&run->wait);
}

void rank_run_release(rank_run *run)
{
    net_query_end(run->net);
    if (run->owns_catalog)
        sql_catalog_free(run->catalog);
    api_engine_unref(run->engine);
    api_wait_release(&run->wait);
    mutex_destroy(&run->lock);
}

/* ---- waiting ---- */

static bool take_woken(rank_run *run)
{
    mutex_lock(&run->lock);
    bool is_woken = run->is_woken;
    run->is_woken = false;
    mutex_unlock(&run->lock);
    return is_woken;
}

/* Cancelled, the query fails, which wakes it: the waiter is registered until then. */
static void wait_woken(rank_run *run)
{
    bool has_failed = false;
    while (!take_woken(run)) {
        if (atomic_load(&run->wait.is_cancelled) && !has_failed) {
            has_failed = true;
            net_query_fail(run->net, status_new(STATUS_KIND_CANCELLED, "query cancelled"));
        }
        sem_wait(&run->wait.changed); /* perhaps interrupted */
    }
}

static status ranks_rank_run_await(rank_run *run, net_collective *collective)
{
    for (;;) {
        net_state is;
        TRY(net_try_collective(collective, &run->waiter, &is));
        if (is != NET_WAIT)
            return STATUS_OK;
        wait_woken(run);
    }
}

status rank_run_await(rank_run *run, net_collective *collective)
{
    api_client_waits(&run->wait);
    status st = ranks_rank_run_await(run, collective);
    api_client_waits(NULL);
    return st;
}

exec_place rank_run_place(const rank_run *run)
{
    return (exec_place){.dev = run->place->dev,
                        .pool = run->place->pool,
                        .net = run->net,
                        .rank = run->rank,
                        .rank_count = run->engine->rank_count,
                        .message_bytes =
                            (uint32_t)run->engine->made_of.network_message_bytes.number,
                        .takes_cargo = run->net && net_comm_takes_cargo(run->place->comm)};
}
