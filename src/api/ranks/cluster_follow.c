/* cluster_follow.c - settings, tables and views of rank 0, on a rank that serves a statement of it. */

#include "api/engine/engine.h"
#include "api/ranks/cluster_tables.h"
#include "api/ranks/ranks_parts.h"
#include "base/status.h"
#include "base/system/mutex.h"

/* Fills the catalog that rank 0's statement is bound with, a session's views among it, and nothing else. */
static status fill_catalog(sql_catalog *catalog, const statement_read *read)
{
    for (size_t i = 0; i < read->tables.count; i++) {
        statement_name table = read->tables.items[i];
        TRY(sql_catalog_put(catalog, &(sql_catalog_entry){.name = table.name, .path = table.text}));
    }
    for (size_t i = 0; i < read->parts.count; i++)
        TRY(sql_catalog_put_part(catalog, read->parts.items[i].name, read->parts.items[i].text));
    for (size_t i = 0; i < read->views.count; i++) {
        statement_name view = read->views.items[i];
        TRY(sql_catalog_put(catalog,
                            &(sql_catalog_entry){.name = view.name, .view_sql = view.text}));
    }
    return STATUS_OK;
}

static status make_catalog(pistachio_database *database, const statement_read *read,
                           sql_catalog **out)
{
    const sql_opener opener = api_cluster_opener(database);
    TRY(sql_catalog_new(out));
    sql_catalog_use_opener(*out, &opener);
    status st = fill_catalog(*out, read);
    if (st) {
        sql_catalog_free(*out);
        *out = NULL;
    }
    return st;
}

status api_cluster_follow(pistachio_database *database, const settings *s,
                          const statement_read *read, sql_catalog **out_catalog, api_engine **out)
{
    settings now;
    TRY(make_catalog(database, read, out_catalog));
    mutex_lock(&database->lock);
    database->settings = *s;
    mutex_unlock(&database->lock);
    api_engine_check(database);
    status st = api_engine_hold(database, &now, out);
    if (st) {
        sql_catalog_free(*out_catalog);
        *out_catalog = NULL;
    }
    return st;
}
