/* cluster.h - what a process that is a rank knows of the others, from joining them (ranks/cluster_join.h) to
 * leaving. */
#ifndef PISTACHIO_API_ENGINE_CLUSTER_H
#define PISTACHIO_API_ENGINE_CLUSTER_H

#include "api/handles/handles.h"
#include "net/bootstrap/bootstrap.h"
#include "net/net.h"
#include "parquet/table/table.h"
#include "sql/catalog/catalog.h"

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

/* Takes NULL. */
void api_cluster_leave(api_cluster *cluster);

/* Makes the cluster of a process with this place, not connected yet; *out is NULL on failure. */
CHECKED status api_cluster_new(const net_place *place, api_cluster **out);
/* The engine's one place, on this rank. */
CHECKED status api_cluster_open(const api_cluster *cluster, api_engine *engine);

#endif
