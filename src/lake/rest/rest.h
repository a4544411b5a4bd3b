/* rest.h - a catalog of Iceberg tables behind a server: the REST catalog of Iceberg's specification.
 *
 *     GET  /v1/config                                         prefix of all other paths
 *     POST /v1/oauth/tokens                                   a token for a client's name and secret
 *     GET  /v1/PREFIX/namespaces                              schemas
 *     GET  /v1/PREFIX/namespaces/NAMESPACE/tables             their tables
 *     GET  /v1/PREFIX/namespaces/NAMESPACE/tables/TABLE       metadata, and keys for its files that are lent
 *
 * Requests are those of pistachio-http.so. Everything that the server says is hostile until it is checked. */
#ifndef PISTACHIO_LAKE_REST_REST_H
#define PISTACHIO_LAKE_REST_REST_H

#include "lake/log/lake_text.h"

/* Options of ATTACH. Texts may be NULL. */
typedef struct rest_options {
    const char *uri, *warehouse;
    const char *token;
    const char *client_id, *client_secret, *token_uri, *scope;
    bool lends_nothing; /* keys for files are not asked for */
} rest_options;

/* A catalog. One thread at a time. */
typedef struct rest_catalog rest_catalog;

/* Asks the server for its configuration. name: how errors call the catalog. */
CHECKED status rest_catalog_open(const char *name, const rest_options *options, rest_catalog **out);
void rest_catalog_close(rest_catalog *c); /* takes NULL */

/* Takes the name of a namespace, its levels with dots between them, or of a table. */
typedef status (*rest_taker)(void *context, const char *name);
CHECKED status rest_list_namespaces(rest_catalog *c, rest_taker take, void *context);
CHECKED status rest_list_tables(rest_catalog *c, const char *space, rest_taker take, void *context);
/* NOT_FOUND: the server does not have it. */
CHECKED status rest_find_namespace(rest_catalog *c, const char *space);

typedef struct rest_table {
    const char *name; /* "lake.space.table" */
    yyjson_val *metadata;
    const char *location; /* of the metadata: names this state of the table */
    uint32_t store;       /* as object_store_use; 0: no keys are lent */
    int64_t ends;         /* seconds since 1970: the keys end; 0: never */
} rest_table;

/* Loads a table into the arena, which drops the keys when it is freed. NOT_FOUND: the server does not have it. */
CHECKED status rest_load_table(rest_catalog *c, arena *a, const char *space, const char *table,
                               rest_table *out);

/* ---- inside src/lake/rest ---- */

/* Takes the keys that the server lends with a table. */
CHECKED status rest_take_keys(const rest_catalog *c, arena *a, yyjson_val *answer, rest_table *out);
/* Returns a text of the server's configuration; NULL: it says none. */
const char *rest_config(const rest_catalog *c, const char *name);

#endif
