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

/* A connection to the other ranks. Held by the cluster as long as it is the present one, and by engines. */
typedef struct api_comm {
    _Atomic uint32_t references;
    net_comm *net;
} api_comm;

struct api_cluster {
    api_comm *comm;                /* with `lock`; on rank 0 another one when a lost rank is back */
    unsigned rank, count, sharers; /* as in api_engine */
    const int *nodes;              /* as in net_place */
    char *host;                    /* this rank's */
    settings initial;              /* when it joined */
    pthread_mutex_t binding;       /* a served statement's settings and views are the database's */
    pthread_mutex_t lock;          /* of the next one */
    uint64_t statements;           /* begun on `comm` */
    bool is_closing;               /* with `lock` */
    uint64_t losses;               /* with `lock`: how often ranks were lost */
    pthread_cond_t closes;         /* it has become true */
    pthread_t keeper;              /* of cluster_keep.h */
    bool has_keeper;
    pthread_mutex_t table_lock;  /* of what follows */
    ARRAY(cluster_table) tables; /* what each text means now */
    ARRAY(pq_table *) opened;    /* all, as statements may still use them */
    uint64_t age;                /* rises when files of any rank may have changed */
};

/* Makes a holder of a connection, which is closed on failure, too. */
CHECKED status api_comm_new(net_comm *net, api_comm **out);
void api_comm_unref(api_comm *comm); /* takes NULL; the last one closes it */
/* Returns the present connection, with a reference. */
api_comm *api_cluster_comm(api_cluster *cluster);

/* Returns why statements cannot run on all ranks at the moment; NULL: they can, or the cluster closes. */
status api_cluster_loss(api_cluster *cluster);

/* Takes NULL. */
void api_cluster_leave(api_cluster *cluster);

/* Makes the cluster of a process with this place, not connected yet; *out is NULL on failure. */
CHECKED status api_cluster_new(const net_place *place, api_cluster **out);
/* The engine's one place, on this rank. */
CHECKED status api_cluster_open(api_cluster *cluster, api_engine *engine);

#endif
