/* cluster_topology.c - ranks, their machines, and how each reaches each. */

#include "api/ranks/cluster_topology.h"

#include "api/engine/engine.h"
#include "api/engine/machine.h"
#include "api/ranks/ranks_parts.h"
#include "api/ranks/statement_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Numbers of the request's collectives; the first is the request itself. */
enum { NET_MACHINES = 1, NET_MEETING, NET_MET };
#define MACHINES_BYTES_MAX ((uint64_t)64 << 20)

/* Describes this rank; the caller's (free). */
static status cluster_topology_describe(const net_comm *comm, const api_neighbors *neighbors,
                                        char **out)
{
    char *machine;
    size_t bytes;
    *out = NULL;
    TRY(api_machine_text(neighbors, &machine));
    FILE *to = open_memstream(out, &bytes);
    if (to) {
        unsigned own = net_comm_rank(comm);
        fprintf(to, "rank %u: host %s, process %ld\n%s", own, net_comm_host(comm, own),
                (long)getpid(), machine);
        for (unsigned rank = 0; rank < net_comm_ranks(comm); rank++)
            if (rank != own)
                fprintf(to, "  to rank %u (host %s): %s\n", rank, net_comm_host(comm, rank),
                        net_comm_transport(comm, rank));
    }
    (free)(machine);
    if (to && !fclose(to))
        return STATUS_OK;
    (free)(*out);
    *out = NULL;
    return status_no_memory("topology", 0);
}

static status cluster_topology_unite(const net_collective *texts, unsigned ranks, char **out)
{
    uint64_t all = 0, bytes;
    for (unsigned rank = 0; rank < ranks; rank++) {
        net_collective_bytes(texts, rank, &bytes);
        all += bytes;
    }
    char *at = *out = mem_new(all + 1);
    if (!at)
        return status_no_memory("topology", all);
    for (unsigned rank = 0; rank < ranks; rank++) {
        const char *text = net_collective_bytes(texts, rank, &bytes);
        memcpy(at, text, bytes);
        at += bytes;
    }
    return STATUS_OK;
}

static status await_and_close(rank_run *run, net_collective *collective)
{
    status st = rank_run_await(run, collective);
    net_collective_close(collective);
    return st;
}

/* How ranks reach each other is known when each has heard each. What follows gives the network time to note it. */
static status connect_all(rank_run *run)
{
    const uint8_t all = NET_AND;
    const uint64_t one = 1;
    net_collective *collective;
    TRY(net_meet(run->net, NET_MEETING, "connections of all ranks", &collective));
    TRY(await_and_close(run, collective));
    TRY(net_agree(run->net, NET_MET, "end of connecting", &one, &all, 1, &collective));
    return await_and_close(run, collective);
}

/* out NULL: on ranks other than 0. */
static status cluster_topology_gather(rank_run *run, char **out)
{
    net_collective *texts = NULL;
    char *own;
    TRY(connect_all(run));
    TRY(cluster_topology_describe(run->place->comm, &run->engine->neighbors, &own));
    status st = net_gather(run->net, NET_MACHINES, "topology", own, strlen(own), 0,
                           MACHINES_BYTES_MAX, &texts);
    if (!st)
        st = rank_run_await(run, texts);
    if (!st && out)
        st = cluster_topology_unite(texts, run->engine->rank_count, out);
    net_collective_close(texts);
    (free)(own);
    return st;
}

status api_cluster_serve_topology(rank_run *run)
{
    return cluster_topology_gather(run, NULL);
}

static status topology_of_all(pistachio_database *database, char **out)
{
    settings s;
    api_engine *engine;
    rank_run run;
    TRY(api_engine_hold(database, &s, &engine));
    rank_run_init(&run, database, engine, 0, &engine->ranks[0]);
    status st = api_cluster_ask(&run, REQUEST_TOPOLOGY, "", false);
    if (!st)
        st = cluster_topology_gather(&run, out);
    rank_run_release(&run);
    api_engine_unref(engine);
    return st;
}

status api_cluster_topology(pistachio_database *database, char **out)
{
    char *machine;
    *out = NULL;
    if (database->cluster)
        return topology_of_all(database, out);
    TRY(api_machine_text(&(api_neighbors){.count = 1}, &machine));
    *out = mem_copy_text(machine, strlen(machine));
    (free)(machine);
    return *out ? STATUS_OK : status_no_memory("topology", 0);
}
