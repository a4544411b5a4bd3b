/* cluster_topology.h - the ranks, their machines, and how each reaches each. */
#ifndef PISTACHIO_API_RANKS_CLUSTER_TOPOLOGY_H
#define PISTACHIO_API_RANKS_CLUSTER_TOPOLOGY_H

#include "api/ranks/rank_run.h"

/* On rank 0, or alone: ranks, their machines, and how each reaches each; the caller's (mem_free). */
CHECKED status api_cluster_topology(pistachio_database *database, char **out);
/* Gives rank 0, which has asked for it, this rank's part of the topology. */
CHECKED status api_cluster_serve_topology(rank_run *run);

#endif
