/* database.h - a database's and a connection's settings and catalogs. */
#ifndef PISTACHIO_API_SESSION_DATABASE_H
#define PISTACHIO_API_SESSION_DATABASE_H

#include "api/handles/handles.h"

pistachio_connection *api_connection_ref(pistachio_connection *connection);
void api_connection_unref(pistachio_connection *connection);
sql_catalog *api_catalog(const pistachio_connection *connection);
/* Returns the catalog that the result's statement is bound with. */
sql_catalog *api_result_catalog(const pistachio_result *result);
/* Adds tables as pistachio_add_table and pistachio_add_path do, in their order; those of object stores are opened together. */
pistachio_error *api_add_tables(pistachio_connection *connection, const sql_table_path *tables,
                                size_t count);
/* Ranks that are processes, as rank 0 knows them. Returns how many there are, 1: this process is alone. *out_losses: how
 * often some were lost; *out_loss, which the caller frees: why statements cannot run on all of them now, or NULL. */
unsigned api_database_ranks(const pistachio_database *database, uint64_t *out_losses,
                            status *out_loss);
/* The settings of now: the database's, and over them the session's. */
void api_settings(pistachio_connection *connection, settings *out);
/* Setting invalid_utf8. */
bool api_replaces_text(const settings *s);
/* Returns what lists the column cache's columns; NULL with several ranks, of which each has a cache of its own. */
pq_list_kept *api_cache_lister(const settings *s);
/* Setting page_checksums. */
bool api_ignores_checksums(const settings *s);
/* Returns whether statements run on a host device; so do those with lists where setting device is auto. */
bool api_keeps_lists(const settings *s);
/* Applies what a session has set, over the settings of its database. */
void api_settings_apply(pistachio_connection *connection, settings *s);

#endif
