/* cluster.h - ranks that are processes: how a process becomes one, and what those do that are not the
 * client's.
 *
 *     rank 0   join ── tables ── start ── statements ────────── leave
 *     others   join ── tables ── start ── serve: one after another, until rank 0 leaves
 *
 * All open the same tables, from files of their own or shared ones that must be the same everywhere.
 * Each statement that runs on all ranks has a network query, numbered in their order. Settings that say
 * what a machine has (threads, memory_limit, device, temp_directory ...) are each rank's own until rank
 * 0 sets them; of the others those of rank 0 count, and so do its views and its clock. */
#ifndef PISTACHIO_API_CLUSTER_H
#define PISTACHIO_API_CLUSTER_H

#include "api/internal.h"
#include "api/statement_bytes.h"
#include "net/bootstrap.h"
#include "net/net.h"

struct api_cluster {
    net_comm *comm;
    unsigned rank, count, sharers; /* as in api_engine */
    settings initial;              /* when it joined */
    pthread_mutex_t binding;       /* a served statement's settings and views are the database's */
    pthread_mutex_t lock;          /* of the next one */
    uint64_t statements;           /* begun */
};

/* Meets the other ranks. Before the database's first statement. Of the ranks, `sharers` share this
 * machine's threads and memory_limit. Blocks until all are there. */
CHECKED status api_cluster_join(pistachio_database *database, const net_place *place,
                                unsigned sharers);
/* After the tables: all ranks begin, or none. Takes why this one cannot. The failure is that of the first
 * rank that has one; others than rank 0 return when rank 0 has left. */
CHECKED status api_cluster_start(pistachio_database *database, status opened);
/* On ranks other than 0: serves statements, until rank 0 leaves or another rank is gone, which is the
 * failure. */
CHECKED status api_cluster_serve(pistachio_database *database);
/* Takes NULL. */
void api_cluster_leave(api_cluster *cluster);

/* ---- for the rest of the folder ---- */

/* The engine's one place, on this rank. */
CHECKED status api_cluster_open(const api_cluster *cluster, api_engine *engine);
/* The database's settings and views become those of a statement that is served; *out is the engine for
 * them. With `binding` held. */
CHECKED status api_cluster_follow(pistachio_database *database, const settings *s,
                                  const statement_read *read, api_engine **out);

#endif
