/* database.c - databases, connections, tables. */
#include "api/session/database.h"

#include "api/engine/cluster.h"
#include "api/engine/engine.h"
#include "api/handles/error.h"
#include "base/system/mutex.h"
#include "exec/scan/scan_cache.h"
#include "plan/rules/optimize.h"
#include "plan/tree/rule.h"

#ifndef PISTACHIO_VERSION
#define PISTACHIO_VERSION "unknown"
#endif

const char *pistachio_version(void)
{
    return PISTACHIO_VERSION;
}

/* ---- databases ---- */

static void database_unref(pistachio_database *database)
{
    if (!database || atomic_fetch_sub(&database->references, 1) != 1)
        return;
    api_engine_drop(database, true);
    api_cluster_leave(database->cluster);
    sql_catalog_free(database->catalog);
    mutex_destroy(&database->lock);
    mem_free(database);
}

/* Checks what settings.def cannot say of a text. */
static status check_settings(const settings *s)
{
    uint64_t rules;
    return status_context(plan_rules_parse(s->disabled_optimizer_rules.text, &rules),
                          "setting disabled_optimizer_rules");
}

static status set_options(settings *s, const pistachio_option *options, size_t option_count)
{
    TRY(settings_init(s));
    for (size_t i = 0; i < option_count; i++) {
        if (!options[i].name || !options[i].value)
            return status_new(STATUS_KIND_INVALID, "option %zu has no %s", i,
                              options[i].name ? "value" : "name");
        TRY(settings_set(s, options[i].name, options[i].value));
    }
    return check_settings(s);
}

pistachio_error *pistachio_open(const pistachio_option *options, size_t option_count,
                                pistachio_database **out)
{
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!options && option_count)
        return api_null_argument("options");
    pistachio_database *database = mem_new(sizeof *database);
    if (!database)
        return api_error(status_no_memory("database", sizeof *database));
    atomic_init(&database->references, 1);
    mutex_init(&database->lock);
    status st = set_options(&database->settings, options, option_count);
    if (!st)
        st = sql_catalog_new(&database->catalog);
    if (!st)
        sql_catalog_cache_footers(database->catalog, database->settings.metadata_cache.number);
    if (st)
        database_unref(database);
    else
        *out = database;
    return api_error(st);
}

void pistachio_close(pistachio_database *database)
{
    database_unref(database);
}

/* ---- connections ---- */

static status give_session(pistachio_connection *connection)
{
    connection->layer = mem_new(sizeof *connection->layer);
    if (!connection->layer)
        return status_no_memory("session", sizeof *connection->layer);
    return sql_catalog_new_over(connection->database->catalog, &connection->catalog);
}

static pistachio_error *connect_to(pistachio_database *database, bool is_session,
                                   pistachio_connection **out)
{
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!database)
        return api_null_argument("database");
    pistachio_connection *connection = mem_new(sizeof *connection);
    if (!connection)
        return api_error(status_no_memory("connection", sizeof *connection));
    atomic_init(&connection->references, 1);
    atomic_fetch_add(&database->references, 1);
    connection->database = database;
    mutex_init(&connection->lock);
    api_running_init(&connection->running);
    status st = is_session ? give_session(connection) : STATUS_OK;
    if (st)
        api_connection_unref(connection);
    else
        *out = connection;
    return api_error(st);
}

pistachio_error *pistachio_connect(pistachio_database *database, pistachio_connection **out)
{
    return connect_to(database, false, out);
}

pistachio_error *pistachio_connect_session(pistachio_database *database, pistachio_connection **out)
{
    return connect_to(database, true, out);
}

sql_catalog *api_catalog(const pistachio_connection *connection)
{
    return connection->catalog ? connection->catalog : connection->database->catalog;
}

sql_catalog *api_result_catalog(const pistachio_result *result)
{
    return result->catalog ? result->catalog : api_catalog(result->connection);
}

pq_list_kept *api_cache_lister(const settings *s)
{
    return s->ranks.number > 1 ? NULL : scan_cache_list;
}

bool api_replaces_text(const settings *s)
{
    return !strcmp(s->invalid_utf8.text, "replace");
}

bool api_ignores_checksums(const settings *s)
{
    return !strcmp(s->page_checksums.text, "ignore");
}

bool api_keeps_lists(const settings *s)
{
    return !strcmp(s->device.text, "cpu") || !strcmp(s->device.text, "auto");
}

void api_settings_apply(pistachio_connection *connection, settings *s)
{
    mutex_lock(&connection->lock);
    if (connection->layer)
        settings_layer_apply(connection->layer, s);
    mutex_unlock(&connection->lock);
}

void api_settings(pistachio_connection *connection, settings *out)
{
    pistachio_database *database = connection->database;
    mutex_lock(&database->lock);
    *out = database->settings;
    mutex_unlock(&database->lock);
    api_settings_apply(connection, out);
}

pistachio_connection *api_connection_ref(pistachio_connection *connection)
{
    atomic_fetch_add(&connection->references, 1);
    return connection;
}

void api_connection_unref(pistachio_connection *connection)
{
    if (!connection || atomic_fetch_sub(&connection->references, 1) != 1)
        return;
    sql_catalog_free(connection->catalog);
    mem_free(connection->layer);
    database_unref(connection->database);
    api_running_release(&connection->running);
    mutex_destroy(&connection->lock);
    mem_free(connection);
}

void pistachio_disconnect(pistachio_connection *connection)
{
    api_connection_unref(connection);
}

void pistachio_cancel(pistachio_connection *connection)
{
    if (connection)
        api_running_cancel(&connection->running);
}

void pistachio_progress(pistachio_connection *connection, uint64_t *out_done, uint64_t *out_total)
{
    uint64_t done = 0, total = 0;
    if (connection) {
        mutex_lock(&connection->running.lock);
        exec_query *query = atomic_load(&connection->running.query);
        if (query) {
            exec_report report;
            exec_query_report(query, &report);
            done = report.bytes_done;
            total = report.bytes_total;
        }
        mutex_unlock(&connection->running.lock);
    }
    if (out_done)
        *out_done = done;
    if (out_total)
        *out_total = total;
}

uint64_t pistachio_memory_peak(const pistachio_connection *connection)
{
    if (!connection)
        return 0;
    pistachio_database *database = connection->database;
    mutex_lock(&database->lock);
    uint64_t peak = database->engine ? mem_budget_peak(database->engine->budget) : 0;
    peak = peak > database->memory_peak ? peak : database->memory_peak;
    mutex_unlock(&database->lock);
    return peak;
}

uint64_t pistachio_memory_exported(const pistachio_connection *connection)
{
    if (!connection)
        return 0;
    pistachio_database *database = connection->database;
    mutex_lock(&database->lock);
    const api_engine *engine = database->engine;
    uint64_t bytes = engine ? mem_budget_exported(engine->budget) : 0;
    if (engine && engine->dev->budget != engine->budget) /* it has memory of its own */
        bytes += mem_budget_exported(engine->dev->budget);
    mutex_unlock(&database->lock);
    return bytes;
}

/* ---- tables ---- */

pistachio_error *pistachio_add_table(pistachio_connection *connection, const char *name,
                                     const char *path)
{
    if (!connection)
        return api_null_argument("connection");
    if (!path)
        return api_null_argument("path");
    return api_error(sql_catalog_add_table(api_catalog(connection), name, path));
}

pistachio_error *pistachio_add_path(pistachio_connection *connection, const char *path)
{
    if (!connection)
        return api_null_argument("connection");
    if (!path)
        return api_null_argument("path");
    return api_error(sql_catalog_add_path(api_catalog(connection), path));
}

pistachio_error *api_add_tables(pistachio_connection *connection, const sql_table_path *tables,
                                size_t count)
{
    return api_error(sql_catalog_add_tables(api_catalog(connection), tables, count));
}

unsigned api_database_ranks(const pistachio_database *database, uint64_t *out_losses,
                            status *out_loss)
{
    api_cluster *cluster = database->cluster;
    *out_losses = 0;
    *out_loss = STATUS_OK;
    if (!cluster)
        return 1;
    mutex_lock(&cluster->lock);
    *out_losses = cluster->losses;
    mutex_unlock(&cluster->lock);
    *out_loss = api_cluster_loss(cluster);
    return cluster->count;
}
