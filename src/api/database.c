/* database.c - databases, connections, tables; the device and the workers behind them. */
#include "api/internal.h"
#include "storage/read.h"

#ifndef PISTACHIO_VERSION
#define PISTACHIO_VERSION "unknown"
#endif

const char *pistachio_version(void)
{
    return PISTACHIO_VERSION;
}

static void engine_close(pistachio_database *database)
{
    exec_pool_free(database->pool);
    dev_close(database->dev);
    mem_budget_free(database->budget);
    database->pool = NULL;
    database->dev = NULL;
    database->budget = NULL;
}

static status engine_open(pistachio_database *database)
{
    const settings *s = &database->settings;
    unsigned threads = s->threads.number ? (unsigned)s->threads.number : setting_core_count();
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    storage_use_threads(!strcmp(s->io_engine.text, "threads"));
    TRY(mem_budget_new(s->memory_limit.number, &database->budget));
    if (!strcmp(s->device.text, "simulated"))
        TRY(dev_open_simulated(chunk_rows, database->budget, &database->dev));
    else
        TRY(dev_open_cpu(s->isa.text, chunk_rows, database->budget, &database->dev));
    return exec_pool_new(threads, &database->pool);
}

status api_engine_hold(pistachio_database *database)
{
    status st = STATUS_OK;
    pthread_mutex_lock(&database->lock);
    if (database->is_stale && !database->running) {
        engine_close(database);
        database->is_stale = false;
    }
    if (!database->pool) {
        st = engine_open(database);
        if (st)
            engine_close(database);
    }
    if (!st)
        database->running++;
    pthread_mutex_unlock(&database->lock);
    return st;
}

void api_engine_drop(pistachio_database *database)
{
    pthread_mutex_lock(&database->lock);
    database->running--;
    pthread_mutex_unlock(&database->lock);
}

pistachio_error *pistachio_open(const pistachio_option *options, size_t option_count,
                                pistachio_database **out)
{
    *out = NULL;
    pistachio_database *database = mem_new(sizeof *database);
    if (!database)
        return api_error(status_no_memory("database", sizeof *database));
    pthread_mutex_init(&database->lock, NULL);
    status st = settings_init(&database->settings);
    for (size_t i = 0; i < option_count && !st; i++)
        st = settings_set(&database->settings, options[i].name, options[i].value);
    if (!st)
        st = api_settings_check(&database->settings);
    if (!st)
        st = sql_catalog_new(&database->catalog);
    if (!st)
        sql_catalog_cache_footers(database->catalog, database->settings.metadata_cache.number);
    if (st) {
        pistachio_close(database);
        return api_error(st);
    }
    *out = database;
    return NULL;
}

void pistachio_close(pistachio_database *database)
{
    if (!database)
        return;
    engine_close(database);
    sql_catalog_free(database->catalog);
    pthread_mutex_destroy(&database->lock);
    mem_free(database);
}

pistachio_error *pistachio_connect(pistachio_database *database, pistachio_connection **out)
{
    pistachio_connection *connection = mem_new(sizeof *connection);
    *out = connection;
    if (!connection)
        return api_error(status_no_memory("connection", sizeof *connection));
    connection->database = database;
    pthread_mutex_init(&connection->lock, NULL);
    return NULL;
}

void pistachio_disconnect(pistachio_connection *connection)
{
    if (!connection)
        return;
    pthread_mutex_destroy(&connection->lock);
    mem_free(connection);
}

pistachio_error *pistachio_add_table(pistachio_connection *connection, const char *name,
                                     const char *path)
{
    return api_error(sql_catalog_add_table(connection->database->catalog, name, path));
}

pistachio_error *pistachio_add_path(pistachio_connection *connection, const char *path)
{
    return api_error(sql_catalog_add_path(connection->database->catalog, path));
}

void pistachio_cancel(pistachio_connection *connection)
{
    exec_query *query = atomic_load(&connection->query);
    if (query)
        exec_query_cancel(query);
}

void pistachio_progress(pistachio_connection *connection, uint64_t *out_done, uint64_t *out_total)
{
    *out_done = *out_total = 0;
    pthread_mutex_lock(&connection->lock);
    exec_query *query = atomic_load(&connection->query);
    if (query) {
        exec_report report;
        exec_query_report(query, &report);
        *out_done = report.bytes_done;
        *out_total = report.bytes_total;
    }
    pthread_mutex_unlock(&connection->lock);
}

uint64_t pistachio_memory_peak(const pistachio_connection *connection)
{
    const mem_budget *budget = connection->database->budget;
    return budget ? mem_budget_peak(budget) : 0;
}
