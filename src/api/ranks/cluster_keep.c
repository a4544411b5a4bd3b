/* cluster_keep.c - see cluster_keep.h. */
#include "api/ranks/cluster_keep.h"

#include "api/engine/cluster.h"
#include "api/engine/cluster_known.h"
#include "api/engine/engine.h"
#include "api/ranks/ranks_parts.h"
#include "base/budget.h"
#include "base/system/mutex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

/* How often the keeper looks for a loss, and tries to meet again. */
#define LOOK_MS 100
/* A meeting that takes longer is begun anew. */
#define MEET_MS 10000
#define GREETING_BYTES ((uint64_t)64 << 20)

typedef struct kept {
    pistachio_database *database;
    const net_place *place;
    const cluster_keeper *keeper;
    char said[256]; /* why the last meeting failed */
} kept;

/* Waits a moment; returns whether the cluster goes on. */
static bool cluster_keep_rest(api_cluster *cluster)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    mutex_lock(&cluster->lock);
    if (!cluster->is_closing)
        pthread_cond_timedwait(&cluster->closes, &cluster->lock, &until);
    bool goes_on = !cluster->is_closing;
    mutex_unlock(&cluster->lock);
    return goes_on;
}

static bool is_closing(void *context)
{
    api_cluster *cluster = context;
    mutex_lock(&cluster->lock);
    bool is = cluster->is_closing;
    mutex_unlock(&cluster->lock);
    return is;
}

/* ---- meeting again ---- */

/* Greets the ranks that are there. */
static status greet(pistachio_database *database, const api_comm *comm)
{
    api_engine none = {.rank_count = database->cluster->count};
    api_rank place = {.comm = comm->net};
    rank_run run;
    TRY(mem_budget_new(GREETING_BYTES, &place.budget));
    atomic_init(&none.references, 1);
    mutex_init(&none.lock);
    rank_run_init(&run, database, &none, 0, &place);
    status st = api_cluster_greet(&run);
    rank_run_release(&run);
    mutex_destroy(&none.lock);
    mem_budget_free(place.budget);
    return st;
}

static status meet(const kept *k, api_comm **out)
{
    net_place place = *k->place;
    place.is_listening = place.keeps_listener;
    if (place.is_listening)
        place.listener = fcntl(place.kept_listener, F_DUPFD_CLOEXEC, 0);
    if (place.is_listening && place.listener < 0)
        return status_new_errno(errno, "could not listen for ranks");
    place.timeout_ms = MEET_MS;
    place.is_given_up = is_closing;
    place.given_up_context = k->database->cluster;
    TRY(api_cluster_open_comm(k->database->cluster, &place, out));
    status st = greet(k->database, *out);
    if (st)
        api_comm_unref(*out);
    return st;
}

/* Has statements that begin from now on run by this connection, which is taken over. */
static void use(pistachio_database *database, api_comm *comm)
{
    api_cluster *cluster = database->cluster;
    api_comm *before = comm;
    mutex_lock(&cluster->lock);
    if (!cluster->is_closing) {
        before = cluster->comm;
        cluster->comm = comm;
        cluster->statements = 1;
    }
    mutex_unlock(&cluster->lock);
    api_cluster_doubt_tables(cluster); /* the others have not opened them */
    api_engine_drop(database, true);
    api_comm_unref(before);
}

/* Says why ranks could not meet, once for each reason. Takes st. */
static void say_obstacle(kept *k, status st)
{
    if (!st || strcmp(k->said, status_message(st)))
        k->keeper->say(st ? status_message(st) : "all ranks are there again");
    snprintf(k->said, sizeof k->said, "%s", st ? status_message(st) : "");
    status_free(st);
}

static bool reunite(kept *k)
{
    api_comm *comm;
    k->keeper->revive();
    status st = meet(k, &comm);
    bool is_good = !st;
    if (is_good)
        use(k->database, comm);
    if (!is_closing(k->database->cluster))
        say_obstacle(k, st);
    else
        status_free(st);
    return is_good;
}

/* ---- the thread ---- */

static void say_loss(const kept *k, status loss)
{
    char text[512];
    snprintf(text, sizeof text, "%s; waiting until all %u ranks are there", status_message(loss),
             k->database->cluster->count);
    status_free(loss);
    k->keeper->say(text);
}

static void *keep(void *argument)
{
    kept k = *(kept *)argument;
    api_cluster *cluster = k.database->cluster;
    mem_free(argument);
    while (cluster_keep_rest(cluster)) {
        status loss = api_cluster_loss(cluster);
        if (!loss)
            continue;
        mutex_lock(&cluster->lock);
        cluster->losses++;
        mutex_unlock(&cluster->lock);
        say_loss(&k, loss);
        while (!reunite(&k))
            if (!cluster_keep_rest(cluster))
                return NULL;
    }
    return NULL;
}

status api_cluster_keep(pistachio_database *database, const net_place *place,
                        const cluster_keeper *keeper)
{
    api_cluster *cluster = database->cluster;
    kept *k = mem_new(sizeof *k);
    if (!k)
        return status_no_memory("ranks", sizeof *k);
    *k = (kept){.database = database, .place = place, .keeper = keeper};
    int number = pthread_create(&cluster->keeper, NULL, keep, k);
    if (number) {
        mem_free(k);
        return status_new_errno(number, "could not start a thread that takes ranks back");
    }
    cluster->has_keeper = true;
    return STATUS_OK;
}
