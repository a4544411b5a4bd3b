/* cluster.c - ranks that are processes: joining, starting together, leaving. */
#include "api/cluster.h"

#include "api/rank_run.h"
#include "net/ucx/ucx.h"
#include "pistachio/pistachio.h"

#include <stdio.h>

/* ---- joining ---- */

/* The setting says what is so. */
static status set_ranks(settings *s, unsigned count)
{
    char text[16];
    if (s->ranks.number > 1 && s->ranks.number != count)
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "ranks is %s, but this process is one of %u ranks",
                                      s->ranks.text, count),
                           "ranks that are processes have one rank each: leave the setting out");
    snprintf(text, sizeof text, "%u", count);
    return settings_set(s, "ranks", text);
}

static status open_comm(const settings *s, const net_place *place, net_comm **out)
{
    const net_options options = {.peer_timeout_ms = (uint32_t)s->peer_timeout.number};
    return net_open_ucx(place, &options, out);
}

status api_cluster_join(pistachio_database *database, const net_place *place)
{
    api_cluster *cluster = mem_new(sizeof *cluster);
    if (!cluster)
        return status_no_memory("ranks", sizeof *cluster);
    pthread_mutex_init(&cluster->lock, NULL);
    pthread_mutex_init(&cluster->binding, NULL);
    pthread_mutex_init(&cluster->table_lock, NULL);
    cluster->rank = place->rank;
    cluster->count = place->ranks;
    cluster->sharers = place->sharers;
    status st = set_ranks(&database->settings, place->ranks);
    cluster->initial = database->settings;
    if (!st)
        st = open_comm(&database->settings, place, &cluster->comm);
    if (st) {
        api_cluster_leave(cluster);
        return st;
    }
    database->cluster = cluster;
    const sql_opener opener = api_cluster_opener(database);
    sql_catalog_use_opener(database->catalog, &opener);
    return STATUS_OK;
}

void api_cluster_leave(api_cluster *cluster)
{
    if (!cluster)
        return;
    net_comm_close(cluster->comm);
    api_cluster_close_tables(cluster);
    pthread_mutex_destroy(&cluster->table_lock);
    pthread_mutex_destroy(&cluster->binding);
    pthread_mutex_destroy(&cluster->lock);
    mem_free(cluster);
}

status api_cluster_open(const api_cluster *cluster, api_engine *engine)
{
    if (engine->made_of.ranks.number != cluster->count)
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "this process is one of %u ranks, which stay so many",
                                      cluster->count),
                           "SET ranks = %u", cluster->count);
    engine->ranks = mem_new(sizeof *engine->ranks);
    if (!engine->ranks)
        return status_no_memory("rank", sizeof *engine->ranks);
    engine->place_count = 1;
    engine->rank_count = cluster->count;
    engine->sharers = cluster->sharers;
    TRY(api_ranks_open_place(engine, &engine->ranks[0]));
    engine->ranks[0].comm = cluster->comm;
    net_comm_set_peer_timeout(cluster->comm, (uint32_t)engine->made_of.peer_timeout.number);
    engine->budget = engine->ranks[0].budget;
    engine->dev = engine->ranks[0].dev;
    engine->pool = engine->ranks[0].pool;
    return STATUS_OK;
}

/* ---- starting together ---- */

#define VERSION_BYTES_MAX 4096

static status compare_versions(const api_cluster *cluster, const net_collective *versions)
{
    uint64_t bytes;
    const char *first = net_collective_bytes(versions, 0, &bytes);
    for (unsigned rank = 1; rank < cluster->count; rank++) {
        const char *other = net_collective_bytes(versions, rank, &bytes);
        if (strcmp(first, other))
            return status_hint(status_new(STATUS_KIND_INVALID,
                                          "rank %u (host %s) is Pistachio %s, rank 0 (host %s) %s",
                                          rank, net_comm_host(cluster->comm, rank), other,
                                          net_comm_host(cluster->comm, 0), first),
                               "all ranks must run the same version");
    }
    return STATUS_OK;
}

/* The first query: nothing but that all are there, of one version. */
static status agree_start(rank_run *run, const api_cluster *cluster)
{
    const char *version = pistachio_version();
    net_collective *versions;
    TRY(net_gather(run->net, 0, "version", version, strlen(version), NET_ANY,
                   (uint64_t)cluster->count * VERSION_BYTES_MAX, &versions));
    status st = rank_run_await(run, versions);
    if (!st)
        st = compare_versions(cluster, versions);
    net_collective_close(versions);
    return st;
}

/* A failure of this rank's own comes before what others say. */
static status start(pistachio_database *database, api_engine *engine)
{
    api_cluster *cluster = database->cluster;
    rank_run run;
    rank_run_init(&run, database, engine, cluster->rank, &engine->ranks[0]);
    status st = net_query_begin(cluster->comm, ++cluster->statements, engine->budget,
                                rank_run_failed, &run, &run.net);
    if (!st) {
        st = agree_start(&run, cluster);
        if (st)
            net_query_fail(run.net, api_copy_status(st));
    }
    rank_run_release(&run);
    return st;
}

status api_cluster_start(pistachio_database *database)
{
    settings s;
    api_engine *engine;
    TRY(api_engine_hold(database, &s, &engine));
    status st = start(database, engine);
    api_engine_unref(engine);
    if (st && database->cluster->rank) /* who left now could be what rank 0 hears of first */
        status_free(api_cluster_serve(database));
    return st;
}

/* ---- asking ---- */

status api_cluster_ask(rank_run *run, statement_request request, const char *text, bool use_cache)
{
    api_cluster *cluster = run->database->cluster;
    pthread_mutex_lock(&cluster->lock);
    status st = net_query_begin(cluster->comm, ++cluster->statements, run->place->budget,
                                rank_run_failed, run, &run->net);
    pthread_mutex_unlock(&cluster->lock);
    TRY(st);
    st = rank_run_send_request(run, request, text, use_cache);
    if (st)
        net_query_fail(run->net, api_copy_status(st));
    return st;
}

/* ---- following rank 0 ---- */

/* What rank 0's statement is bound with, a session's views among it, and nothing else. */
static status fill_catalog(sql_catalog *catalog, const statement_read *read)
{
    for (size_t i = 0; i < read->tables.count; i++) {
        statement_name table = read->tables.items[i];
        TRY(sql_catalog_put(catalog, &(sql_catalog_entry){.name = table.name, .path = table.text}));
    }
    for (size_t i = 0; i < read->parts.count; i++)
        TRY(sql_catalog_put_part(catalog, read->parts.items[i].name, read->parts.items[i].text));
    for (size_t i = 0; i < read->views.count; i++) {
        statement_name view = read->views.items[i];
        TRY(sql_catalog_put(catalog,
                            &(sql_catalog_entry){.name = view.name, .view_sql = view.text}));
    }
    return STATUS_OK;
}

static status make_catalog(pistachio_database *database, const statement_read *read,
                           sql_catalog **out)
{
    const sql_opener opener = api_cluster_opener(database);
    TRY(sql_catalog_new(out));
    sql_catalog_use_opener(*out, &opener);
    status st = fill_catalog(*out, read);
    if (st) {
        sql_catalog_free(*out);
        *out = NULL;
    }
    return st;
}

status api_cluster_follow(pistachio_database *database, const settings *s,
                          const statement_read *read, sql_catalog **out_catalog, api_engine **out)
{
    settings now;
    TRY(make_catalog(database, read, out_catalog));
    pthread_mutex_lock(&database->lock);
    database->settings = *s;
    pthread_mutex_unlock(&database->lock);
    api_engine_check(database);
    status st = api_engine_hold(database, &now, out);
    if (st) {
        sql_catalog_free(*out_catalog);
        *out_catalog = NULL;
    }
    return st;
}
