/* cluster_tables.h - tables that all ranks open together. */
#ifndef PISTACHIO_API_RANKS_CLUSTER_TABLES_H
#define PISTACHIO_API_RANKS_CLUSTER_TABLES_H

#include "api/ranks/rank_run.h"

/* Returns the opener of the catalogs of a process that is a rank. */
sql_opener api_cluster_opener(pistachio_database *database);
/* Opens the table of the text with the others, because rank 0 has asked for it. */
CHECKED status api_cluster_serve_table(rank_run *run, const char *text, bool use_cache);
/* Opens the state of a lake that rank 0 has told. keys: the request's settings. */
CHECKED status api_cluster_serve_lake(rank_run *run, const char *told, const settings *keys,
                                      bool use_cache);

#endif
