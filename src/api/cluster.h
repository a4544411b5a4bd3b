/* cluster.h - ranks that are processes: how a process becomes one, and what those do that are not the
 * client's.
 *
 *     rank 0   join ── start ── tables, statements ────────── leave
 *     others   join ── start ── serve: one after another, until rank 0 leaves
 *
 * A table is opened by all when rank 0 opens it (parquet/read/table_share.h). It, and each statement that
 * runs on all ranks, has a network query, numbered in their order. Settings that say
 * what a machine has (threads, memory_limit, device, temp_directory ...) are each rank's own until rank
 * 0 sets them; of the others those of rank 0 count, and so do its views and its clock. */
#ifndef PISTACHIO_API_CLUSTER_H
#define PISTACHIO_API_CLUSTER_H

#include "api/internal.h"
#include "net/bootstrap.h"
#include "net/net.h"
#include "parquet/read/table.h"
#include "sql/catalog/catalog.h"

struct rank_run;

/* A table that was opened by all ranks. */
typedef struct cluster_table {
    char *text;
    pq_table *table;
    uint64_t age; /* the cluster's when it was opened */
} cluster_table;

struct api_cluster {
    net_comm *comm;
    unsigned rank, count, sharers; /* as in api_engine */
    const int *nodes;              /* as in net_place */
    settings initial;              /* when it joined */
    pthread_mutex_t binding;       /* a served statement's settings and views are the database's */
    pthread_mutex_t lock;          /* of the next one */
    uint64_t statements;           /* begun */
    pthread_mutex_t table_lock;    /* of what follows */
    ARRAY(cluster_table) tables;   /* what each text means now */
    ARRAY(pq_table *) opened;      /* all, as statements may still use them */
    uint64_t age;                  /* rises when files of any rank may have changed */
};

/* Meets the other ranks. Before the database's first statement. Blocks until all are there. */
CHECKED status api_cluster_join(pistachio_database *database, const net_place *place);
/* All ranks begin, or none. The failure is that of the first rank that has one; others than rank 0 return
 * when rank 0 has left. */
CHECKED status api_cluster_start(pistachio_database *database);
/* On ranks other than 0: serves statements, until rank 0 leaves or another rank is gone, which is the
 * failure. */
CHECKED status api_cluster_serve(pistachio_database *database);
/* On rank 0, or alone: ranks, their machines, and how each reaches each; the caller's (mem_free). */
CHECKED status api_cluster_topology(pistachio_database *database, char **out);
/* Takes NULL. */
void api_cluster_leave(api_cluster *cluster);

/* ---- for the rest of the folder ---- */

/* Of a process with this place, not connected yet; *out is NULL on failure. */
CHECKED status api_cluster_new(const net_place *place, api_cluster **out);
/* The engine's one place, on this rank. */
CHECKED status api_cluster_open(const api_cluster *cluster, api_engine *engine);

/* cluster_topology.c: what rank 0 has asked for: this rank's part of the topology. */
CHECKED status api_cluster_serve_topology(struct rank_run *run);

/* cluster_tables.c: the opener of the catalogs of a process that is a rank. */
sql_opener api_cluster_opener(pistachio_database *database);
/* What rank 0 has asked for: opens the table of the text with the others. */
CHECKED status api_cluster_serve_table(struct rank_run *run, const char *text, bool use_cache);

/* cluster_known.c: the table that the text means; NULL: it is to be opened, or opened again. *out_age: the
 * cluster's now. */
pq_table *api_cluster_known_table(api_cluster *cluster, const char *text, uint64_t *out_age);
/* The text means this table from now on, which was opened at this age. Closes it on failure. */
CHECKED status api_cluster_know_table(api_cluster *cluster, const char *text, pq_table *table,
                                      uint64_t age);
/* A statement has failed, perhaps because files are not what they were: tables are opened again before
 * they are used again. */
void api_cluster_doubt_tables(api_cluster *cluster);
void api_cluster_close_tables(api_cluster *cluster);

#endif
