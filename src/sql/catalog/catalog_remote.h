/* catalog_remote.h - catalogs behind servers. */
#ifndef PISTACHIO_SQL_CATALOG_CATALOG_REMOTE_H
#define PISTACHIO_SQL_CATALOG_CATALOG_REMOTE_H

#include "sql/catalog/catalog_parts.h"

/* Looks whether a catalog behind a server has the table or schema of a key that has no entry; *out NULL: no. */
CHECKED status sql_remote_find(sql_catalog *catalog, const char *key, sql_catalog_entry **out);
/* Adds and removes entries, as the servers list namespaces and tables now. */
CHECKED status sql_remote_list(sql_catalog *catalog);
/* Returns whether the text is of a table of a catalog behind a server, and, with `catalog`, whether it is attached there. */
bool sql_remote_has(const sql_catalog *catalog, const char *text);
/* Opens the table of such a text; *out NULL: the server does not have it. */
CHECKED status sql_remote_open(sql_catalog *catalog, const char *text, pq_table *before,
                               pq_table **out);
/* Closes the catalog of the name, or all (NULL). */
void sql_remote_close(sql_catalog *catalog, const char *name);

#endif
