/* ranks_parts.h - files of one function each about what processes ask of one another. */
#ifndef PISTACHIO_API_RANKS_RANKS_PARTS_H
#define PISTACHIO_API_RANKS_RANKS_PARTS_H

#include "api/engine/cluster.h"
#include "api/ranks/rank_run.h"
#include "api/ranks/statement_bytes.h"

/* ---- cluster_join.c ---- */

/* Meets the other ranks; *out is connected to them. */
CHECKED status api_cluster_open_comm(const api_cluster *cluster, const net_place *place,
                                     api_comm **out);
/* Runs the first query of a connection, in which ranks learn that all are there, of one version. */
CHECKED status api_cluster_greet(rank_run *run);

/* ---- cluster_serve.c ---- */

/* On ranks other than 0: serves statements, until rank 0 leaves or another rank is gone, which is the
 * failure. is_kept: rank 0 stays after a loss, so that nobody waits for news of its end. */
CHECKED status api_cluster_serve(pistachio_database *database, bool is_kept);

/* ---- cluster_ask.c ---- */

/* Begins a query of the run on rank 0, and asks the others for something other than a statement. */
CHECKED status api_cluster_ask(rank_run *run, statement_request request, const char *text,
                               bool use_cache);

/* ---- cluster_follow.c ---- */

/* The database's settings become those of a statement that is served; *out is the engine for them, and
 * *out_catalog has its tables and views: the caller's. With the cluster's `binding` held. */
CHECKED status api_cluster_follow(pistachio_database *database, const settings *s,
                                  const statement_read *read, sql_catalog **out_catalog,
                                  api_engine **out);

/* ---- rank_serve.c ---- */

/* rank_serve.c: binds, optimizes, distributes and runs what was received, or does what else is asked for; a
 * failure is told to all ranks. On a rank that is a process the engine becomes the one that the statement's
 * settings ask for. */
void rank_run_serve(rank_run *run, const char *data, uint64_t bytes);

#endif
