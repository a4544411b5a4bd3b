/* cluster_serve.c - what a process does that is a rank, but not the client's: waits for statements, and
 * runs each on a thread of its own, as several may be under way at once. */
#include "api/engine/cluster.h"
#include "api/engine/engine.h"
#include "api/ranks/rank_statement.h"
#include "api/ranks/ranks_parts.h"

#include <time.h>

/* Beyond peer_timeout, after which a rank that says nothing is gone. */
#define NEWS_MS 1000

typedef struct served {
    struct served *next;
    rank_run run;
    char *data;
    uint64_t bytes;
    pthread_t thread;
    _Atomic bool is_over;
} served;

static void *cluster_serve_serve(void *argument)
{
    served *one = argument;
    rank_run_serve(&one->run, one->data, one->bytes);
    atomic_store(&one->is_over, true);
    return NULL;
}

static void served_free(served *one)
{
    rank_run_release(&one->run);
    mem_free(one->data);
    mem_free(one);
}

/* Joins the threads that are over, or all. */
static void join_served(served **list, bool must_wait)
{
    for (served **link = list, *one; (one = *link);) {
        if (!must_wait && !atomic_load(&one->is_over)) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        pthread_join(one->thread, NULL);
        served_free(one);
    }
}

/* Begins the statement's query before rank 0 does, perhaps; *out is NULL on failure. */
static status cluster_serve_begin(pistachio_database *database, served **out)
{
    api_cluster *cluster = database->cluster;
    settings s;
    api_engine *engine;
    *out = NULL;
    served *one = mem_new(sizeof *one);
    if (!one)
        return status_no_memory("statement", sizeof *one);
    status st = api_engine_hold(database, &s, &engine);
    if (st) {
        mem_free(one);
        return st;
    }
    rank_run_init(&one->run, database, engine, cluster->rank, &engine->ranks[0]);
    api_engine_unref(engine);
    st = net_query_begin(cluster->comm->net, ++cluster->statements, engine->budget, rank_run_failed,
                         &one->run, &one->run.net);
    if (st)
        served_free(one);
    else
        *out = one;
    return st;
}

/* A failure is the statement's alone: it is told to the others, and the next one may be well. */
static void cluster_serve_run(served *one, served **list)
{
    status st = rank_run_receive(&one->run, &one->data, &one->bytes);
    if (!st) {
        int number = pthread_create(&one->thread, NULL, cluster_serve_serve, one);
        if (!number) {
            one->next = *list;
            *list = one;
            return;
        }
        st = status_new_errno(number, "could not start a thread for a statement");
    }
    net_query_fail(one->run.net, st);
    served_free(one);
}

static bool has_any_left(const api_cluster *cluster)
{
    for (unsigned rank = 0; rank < cluster->count; rank++)
        if (rank != cluster->rank && net_comm_has_left(cluster->comm->net, rank))
            return true;
    return false;
}

/* Ranks leave when rank 0 does, and see each other leave in any order: one that hears of another first waits for
 * news of rank 0. Whether rank 0 has left, of its own accord. */
static bool has_root_left(const api_cluster *cluster, uint64_t patience_ms)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (uint64_t ms = 0; ms < patience_ms; ms++) {
        if (net_comm_has_left(cluster->comm->net, 0))
            return true;
        if (net_comm_is_gone(cluster->comm->net, 0))
            return false;
        nanosleep(&moment, NULL);
    }
    return false;
}

static status root_is_gone(const api_cluster *cluster)
{
    return status_hint(status_new(STATUS_KIND_IO, "rank 0 (host %s) is gone",
                                  net_comm_host(cluster->comm->net, 0)),
                       "start all ranks again");
}

/* Returns whether a rank is lost, as far as this one knows: it is gone, or another one has left because of it. */
static bool is_broken(const api_cluster *cluster)
{
    net_comm *comm = cluster->comm->net;
    for (unsigned rank = 0; rank < cluster->count; rank++)
        if (rank != cluster->rank &&
            (net_comm_is_gone(comm, rank) || net_comm_has_left_broken(comm, rank)))
            return true;
    return false;
}

status api_cluster_serve(pistachio_database *database, bool is_kept)
{
    served *list = NULL, *one;
    status st;
    while (!(st = cluster_serve_begin(database, &one))) {
        cluster_serve_run(one, &list);
        join_served(&list, false);
    }
    join_served(&list, true);
    const api_cluster *cluster = database->cluster;
    if (!has_any_left(cluster) || (is_kept && is_broken(cluster)))
        return st;
    bool has_left = has_root_left(cluster, cluster->initial.peer_timeout.number + NEWS_MS);
    if (has_left &&
        net_comm_has_left_broken(cluster->comm->net, 0)) /* all are to be started again */
        return st;
    status_free(st);
    return has_left ? STATUS_OK : root_is_gone(cluster);
}
