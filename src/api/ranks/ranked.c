/* ranked.c - one statement on several ranks, seen from the client's: its own part, and those of ranks
 * that are threads of this process. */
#include "api/ranks/ranked.h"

#include "api/engine/cluster.h"
#include "api/engine/cluster_known.h"
#include "api/ranks/explain_metrics.h"
#include "api/ranks/rank_statement.h"
#include "api/ranks/ranks_parts.h"
#include "api/session/database.h"
#include "base/system/mutex.h"

/* A rank's part, and the thread that serves it. */
typedef struct ranked_part {
    rank_run run;
    pthread_t thread;
    bool has_thread;
} ranked_part;

struct api_ranked {
    unsigned count;   /* of parts in this process */
    bool is_finished; /* on all ranks */
    ranked_metrics metrics;
    ranked_part parts[];
};

static void *ranked_serve(void *argument)
{
    rank_run *run = argument;
    char *data;
    uint64_t bytes;
    status st = rank_run_receive(run, &data, &bytes);
    if (st)
        net_query_fail(run->net, st);
    else
        rank_run_serve(run, data, bytes);
    mem_free(data);
    return NULL;
}

/* The ranks' queries begin in one order on all of them. */
static status begin_queries(api_ranked *ranked, api_engine *engine, api_cluster *cluster)
{
    pthread_mutex_t *lock = cluster ? &cluster->lock : &engine->lock;
    uint64_t *statements = cluster ? &cluster->statements : &engine->statements;
    status st = STATUS_OK;
    mutex_lock(lock);
    uint64_t number = *statements + 1;
    for (unsigned i = 0; i < ranked->count && !st; i++) {
        rank_run *run = &ranked->parts[i].run;
        st = net_query_begin(run->place->comm, number, run->place->budget, rank_run_failed, run,
                             &run->net);
    }
    if (!st || !cluster) /* other processes wait for each number */
        *statements = number;
    mutex_unlock(lock);
    return st;
}

static status ranked_start_threads(api_ranked *ranked)
{
    for (unsigned i = 1; i < ranked->count; i++) {
        ranked_part *part = &ranked->parts[i];
        int number = pthread_create(&part->thread, NULL, ranked_serve, &part->run);
        if (number)
            return status_new_errno(number, "could not start a thread for rank %u", i);
        part->has_thread = true;
    }
    return STATUS_OK;
}

static status send_statement(api_ranked *ranked, const pistachio_result *result)
{
    rank_run *own = &ranked->parts[0].run;
    char *data;
    uint64_t bytes;
    TRY(rank_run_write(own, result, &data, &bytes));
    status st = begin_queries(ranked, own->engine, own->database->cluster);
    if (!st)
        st = ranked_start_threads(ranked);
    if (!st)
        st = rank_run_send(own, data, bytes);
    mem_free(data);
    return st;
}

status api_ranked_begin(pistachio_result *result, exec_place *place)
{
    api_engine *engine = result->engine;
    pistachio_database *database = result->connection->database;
    unsigned count = engine->place_count;
    api_ranked *ranked = mem_new(sizeof *ranked + count * sizeof *ranked->parts);
    if (!ranked)
        return status_no_memory("ranks", count * sizeof *ranked->parts);
    ranked->count = count;
    for (unsigned i = 0; i < count; i++) {
        rank_run_init(&ranked->parts[i].run, database, engine, i, &engine->ranks[i]);
        ranked->parts[i].run.catalog = api_result_catalog(result);
    }
    result->ranked = ranked;
    rank_run *own = &ranked->parts[0].run;
    TRY(send_statement(ranked, result));
    status st = rank_run_agree_plan(own, &result->statement->query);
    if (st && database->cluster)
        api_cluster_doubt_tables(database->cluster);
    *place = rank_run_place(own);
    return st;
}

void api_ranked_attach(api_ranked *ranked, exec_query *query)
{
    rank_run_attach(&ranked->parts[0].run, query);
}

rank_run *api_ranked_own(api_ranked *ranked)
{
    return &ranked->parts[0].run;
}

status api_ranked_finish(api_ranked *ranked, const plan_statement *plan, const exec_query *query)
{
    rank_run *own = &ranked->parts[0].run;
    if (!ranked->is_finished && plan)
        TRY(metrics_gather(own, plan, query, &ranked->metrics));
    if (!ranked->is_finished)
        TRY(rank_run_agree_end(own));
    ranked->is_finished = true;
    return STATUS_OK;
}

const ranked_metrics *api_ranked_metrics(const api_ranked *ranked)
{
    return ranked && ranked->metrics.nodes ? &ranked->metrics : NULL;
}

void api_ranked_end(api_ranked *ranked)
{
    if (!ranked)
        return;
    rank_run *own = &ranked->parts[0].run;
    if (own->net && !ranked->is_finished)
        net_query_fail(own->net, status_new(STATUS_KIND_CANCELLED, "the statement was given up"));
    for (unsigned i = 0; i < ranked->count; i++) {
        if (ranked->parts[i].has_thread)
            pthread_join(ranked->parts[i].thread, NULL);
        rank_run_release(&ranked->parts[i].run);
    }
    ranked_metrics_release(&ranked->metrics);
    mem_free(ranked);
}
