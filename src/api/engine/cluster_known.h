/* cluster_known.h - the tables that a process that is a rank has opened with the others. */
#ifndef PISTACHIO_API_ENGINE_CLUSTER_KNOWN_H
#define PISTACHIO_API_ENGINE_CLUSTER_KNOWN_H

#include "api/engine/cluster.h"

/* Returns the table that the text means; NULL: it is to be opened, or opened again. *out_age: the
 * cluster's now. */
pq_table *api_cluster_known_table(api_cluster *cluster, const char *text, uint64_t *out_age);
/* Has the text mean this table from now on, which was opened at this age. Closes it on failure, and where the table
 * that the text meant has the same files: *io becomes that one, so that opening again takes no more files. */
CHECKED status api_cluster_know_table(api_cluster *cluster, const char *text, pq_table **io,
                                      uint64_t age);
/* A statement has failed, perhaps because files are not what they were: tables are opened again before
 * they are used again. */
void api_cluster_doubt_tables(api_cluster *cluster);
void api_cluster_close_tables(api_cluster *cluster);

#endif
