/* cluster_follow.h - settings, tables and views of rank 0, on a rank that serves a statement of it. */
#ifndef PISTACHIO_API_CLUSTER_FOLLOW_H
#define PISTACHIO_API_CLUSTER_FOLLOW_H

#include "api/statement_bytes.h"
#include "sql/catalog/catalog.h"

/* The database's settings become those of a statement that is served; *out is the engine for them, and
 * *out_catalog has its tables and views: the caller's. With the cluster's `binding` held. */
CHECKED status api_cluster_follow(pistachio_database *database, const settings *s,
                                  const statement_read *read, sql_catalog **out_catalog,
                                  api_engine **out);

#endif
