/* cluster_join.c - how a process becomes a rank: joining, starting together. */
#include "api/ranks/cluster_join.h"

#include "api/engine/cluster.h"
#include "api/engine/engine.h"
#include "api/ranks/cluster_tables.h"
#include "api/ranks/rank_run.h"
#include "api/ranks/ranks_parts.h"
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

status api_cluster_open_comm(const api_cluster *cluster, const net_place *place, api_comm **out)
{
    const net_options options = {.peer_timeout_ms = (uint32_t)cluster->initial.peer_timeout.number};
    net_comm *net;
    TRY(net_open_ucx(place, &options, &net));
    return api_comm_new(net, out);
}

static status cluster_join_connect(api_cluster *cluster, const net_place *place)
{
    TRY(api_cluster_open_comm(cluster, place, &cluster->comm));
    const char *host = net_comm_host(cluster->comm->net, cluster->rank);
    cluster->host = mem_copy_text(host, strlen(host));
    return cluster->host ? STATUS_OK : status_no_memory("host", strlen(host));
}

status api_cluster_join(pistachio_database *database, const net_place *place)
{
    api_cluster *cluster;
    TRY(api_cluster_new(place, &cluster));
    status st = set_ranks(&database->settings, place->ranks);
    cluster->initial = database->settings;
    if (!st)
        st = cluster_join_connect(cluster, place);
    if (st) {
        api_cluster_leave(cluster);
        return st;
    }
    database->cluster = cluster;
    const sql_opener opener = api_cluster_opener(database);
    sql_catalog_use_opener(database->catalog, &opener);
    return STATUS_OK;
}

/* ---- starting together ---- */

#define VERSION_BYTES_MAX 4096

static status compare_versions(const net_comm *comm, const net_collective *versions)
{
    uint64_t bytes;
    const char *first = net_collective_bytes(versions, 0, &bytes);
    for (unsigned rank = 1; rank < net_comm_ranks(comm); rank++) {
        const char *other = net_collective_bytes(versions, rank, &bytes);
        if (strcmp(first, other))
            return status_hint(status_new(STATUS_KIND_INVALID,
                                          "rank %u (host %s) is Pistachio %s, rank 0 (host %s) %s",
                                          rank, net_comm_host(comm, rank), other,
                                          net_comm_host(comm, 0), first),
                               "all ranks must run the same version");
    }
    return STATUS_OK;
}

static status agree_start(rank_run *run)
{
    const char *version = pistachio_version();
    net_collective *versions;
    TRY(net_gather(run->net, 0, "version", version, strlen(version), NET_ANY,
                   (uint64_t)net_comm_ranks(run->place->comm) * VERSION_BYTES_MAX, &versions));
    status st = rank_run_await(run, versions);
    if (!st)
        st = compare_versions(run->place->comm, versions);
    net_collective_close(versions);
    return st;
}

status api_cluster_greet(rank_run *run)
{
    TRY(net_query_begin(run->place->comm, 1, run->place->budget, rank_run_failed, run, &run->net));
    status st = agree_start(run);
    if (st)
        net_query_fail(run->net, status_copy(st));
    return st;
}

/* A failure of this rank's own comes before what others say. */
static status cluster_join_start(pistachio_database *database, api_engine *engine)
{
    api_cluster *cluster = database->cluster;
    rank_run run;
    rank_run_init(&run, database, engine, cluster->rank, &engine->ranks[0]);
    cluster->statements = 1;
    status st = api_cluster_greet(&run);
    rank_run_release(&run);
    return st;
}

status api_cluster_start(pistachio_database *database)
{
    settings s;
    api_engine *engine;
    TRY(api_engine_hold(database, &s, &engine));
    status st = cluster_join_start(database, engine);
    api_engine_unref(engine);
    if (st && database->cluster->rank) /* who left now could be what rank 0 hears of first */
        status_free(api_cluster_serve(database, false));
    return st;
}
