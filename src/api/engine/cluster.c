/* cluster.c - what a process that is a rank has: its connection to the others, and its place in an engine. */
#include "api/engine/cluster.h"

#include "api/engine/cluster_known.h"
#include "api/engine/engine_device.h"
#include "api/engine/ranks.h"
#include "base/system/mutex.h"

status api_comm_new(net_comm *net, api_comm **out)
{
    api_comm *comm = *out = mem_new(sizeof *comm);
    if (!comm) {
        net_comm_close(net);
        return status_no_memory("ranks", sizeof *comm);
    }
    atomic_init(&comm->references, 1);
    comm->net = net;
    return STATUS_OK;
}

void api_comm_unref(api_comm *comm)
{
    if (!comm || atomic_fetch_sub(&comm->references, 1) != 1)
        return;
    net_comm_close(comm->net);
    mem_free(comm);
}

api_comm *api_cluster_comm(api_cluster *cluster)
{
    mutex_lock(&cluster->lock);
    api_comm *comm = cluster->comm;
    atomic_fetch_add(&comm->references, 1);
    mutex_unlock(&cluster->lock);
    return comm;
}

status api_cluster_loss(api_cluster *cluster)
{
    mutex_lock(&cluster->lock);
    api_comm *comm = cluster->comm;
    if (comm)
        atomic_fetch_add(&comm->references, 1);
    mutex_unlock(&cluster->lock);
    status st = comm ? net_comm_failure(comm->net) : STATUS_OK;
    api_comm_unref(comm);
    return st;
}

status api_cluster_new(const net_place *place, api_cluster **out)
{
    api_cluster *cluster = *out = mem_new(sizeof *cluster);
    if (!cluster)
        return status_no_memory("ranks", sizeof *cluster);
    mutex_init(&cluster->lock);
    mutex_init(&cluster->binding);
    mutex_init(&cluster->table_lock);
    pthread_cond_init(&cluster->closes, NULL);
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
    mutex_lock(&cluster->lock);
    api_comm *comm = cluster->comm;
    cluster->comm = NULL;
    cluster->is_closing = true;
    pthread_cond_broadcast(&cluster->closes);
    mutex_unlock(&cluster->lock);
    api_comm_unref(comm);
    if (cluster->has_keeper) /* after that: processes that it has started end with it */
        pthread_join(cluster->keeper, NULL);
    api_cluster_close_tables(cluster);
    mem_free(cluster->host);
    pthread_cond_destroy(&cluster->closes);
    mutex_destroy(&cluster->table_lock);
    mutex_destroy(&cluster->binding);
    mutex_destroy(&cluster->lock);
    mem_free(cluster);
}

status api_cluster_open(api_cluster *cluster, api_engine *engine)
{
    if (engine->made_of.ranks.number != cluster->count)
        return status_hint(
            status_new(STATUS_KIND_INVALID,
                       "this process is one of %u ranks: their number cannot be changed",
                       cluster->count),
            "SET ranks = %u", cluster->count);
    engine->ranks = mem_new(sizeof *engine->ranks);
    if (!engine->ranks)
        return status_no_memory("rank", sizeof *engine->ranks);
    engine->place_count = 1;
    engine->rank_count = cluster->count;
    engine->sharers = cluster->sharers;
    engine->comm = api_cluster_comm(cluster);
    net_comm *comm = engine->comm->net;
    engine->neighbors = api_neighbors_find(comm, cluster->nodes);
    TRY(api_ranks_open_place(engine, &engine->ranks[0]));
    engine->ranks[0].comm = comm;
    net_comm_set_peer_timeout(comm, (uint32_t)engine->made_of.peer_timeout.number);
    engine->budget = engine->ranks[0].budget;
    engine->dev = engine->ranks[0].dev;
    engine->pool = engine->ranks[0].pool;
    return STATUS_OK;
}
