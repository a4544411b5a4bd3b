/* cluster_join.h - ranks that are processes: how a process becomes one, and what those do that are not the
 * client's.
 *
 *     rank 0   join ── start ── tables, statements ────────── leave
 *     others   join ── start ── serve: one after another, until rank 0 leaves
 *
 * A table is opened by all when rank 0 opens it (parquet/table/table_share.h). It, and each statement that
 * runs on all ranks, has a network query, numbered in their order. Settings that say
 * what a machine has (threads, memory_limit, device, temp_directory ...) are each rank's own until rank
 * 0 sets them; of the others those of rank 0 count, and so do its views and its clock. */
#ifndef PISTACHIO_API_RANKS_CLUSTER_JOIN_H
#define PISTACHIO_API_RANKS_CLUSTER_JOIN_H

#include "api/handles/handles.h"
#include "net/bootstrap/bootstrap.h"

/* Meets the other ranks. Before the database's first statement. Blocks until all are there. */
CHECKED status api_cluster_join(pistachio_database *database, const net_place *place);
/* All ranks begin, or none. The failure is that of the first rank that has one; others than rank 0 return
 * when rank 0 has left. */
CHECKED status api_cluster_start(pistachio_database *database);

#endif
