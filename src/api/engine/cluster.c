/* cluster.c - what a process that is a rank has: its connection to the others, and its place in an engine. */
#include "api/engine/cluster.h"

#include "api/engine/cluster_known.h"
#include "api/engine/engine_device.h"
#include "api/engine/ranks.h"
#include "base/mutex.h"

status api_cluster_new(const net_place *place, api_cluster **out)
{
    api_cluster *cluster = *out = mem_new(sizeof *cluster);
    if (!cluster)
        return status_no_memory("ranks", sizeof *cluster);
    mutex_init(&cluster->lock);
    mutex_init(&cluster->binding);
    mutex_init(&cluster->table_lock);
    cluster->rank = place->rank;
    cluster->count = place->ranks;
    cluster->sharers = place->sharers;
    cluster->nodes = place->nodes;
    return STATUS_OK;
}

void api_cluster_leave(api_cluster *cluster)
{
    if (!cluster)
        return;
    net_comm_close(cluster->comm);
    api_cluster_close_tables(cluster);
    mutex_destroy(&cluster->table_lock);
    mutex_destroy(&cluster->binding);
    mutex_destroy(&cluster->lock);
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
    engine->neighbors = api_neighbors_find(cluster->comm, cluster->nodes);
    TRY(api_ranks_open_place(engine, &engine->ranks[0]));
    engine->ranks[0].comm = cluster->comm;
    net_comm_set_peer_timeout(cluster->comm, (uint32_t)engine->made_of.peer_timeout.number);
    engine->budget = engine->ranks[0].budget;
    engine->dev = engine->ranks[0].dev;
    engine->pool = engine->ranks[0].pool;
    return STATUS_OK;
}
