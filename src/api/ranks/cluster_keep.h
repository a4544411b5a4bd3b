/* cluster_keep.h - rank 0 of a service: it takes lost ranks back.
 *
 *     a rank is lost ── statements that run fail ── rank 0 listens again ── all ranks come ── a new connection
 *
 * Ranks that were not lost leave the old connection, too, and come again by themselves. Meanwhile rank 0 runs what needs no
 * other rank. Statements that begin afterwards run on an engine with the new connection. */
#ifndef PISTACHIO_API_RANKS_CLUSTER_KEEP_H
#define PISTACHIO_API_RANKS_CLUSTER_KEEP_H

#include "api/handles/handles.h"
#include "net/bootstrap/bootstrap.h"

/* Functions that the keeper's thread calls. */
typedef struct cluster_keeper {
    /* Starts processes anew that this one has started and that have ended. */
    void (*revive)(void);
    /* Tells people that a rank is lost, or that all are there. */
    void (*say)(const char *text);
} cluster_keeper;

/* Starts a thread, which ends with the database. place, keeper: static. */
CHECKED status api_cluster_keep(pistachio_database *database, const net_place *place,
                                const cluster_keeper *keeper);

#endif
