/* query.c - runs statements: queries by the executor, the others here. */
#include "api/cluster.h"
#include "api/copy.h"
#include "api/place_text.h"
#include "api/ranks.h"
#include "api/rounds.h"
#include "base/trace.h"
#include "plan/optimize.h"

#include <stdio.h>
#include <time.h>

status api_made_row(pistachio_result *result, const char *const *cells)
{
    arena *a = result->statement->query.memory;
    for (uint32_t i = 0; i < result->columns.count; i++) {
        const char *copy = cells[i] ? arena_copy_text(a, cells[i], strlen(cells[i])) : NULL;
        if (cells[i] && !copy)
            return status_no_memory("result", strlen(cells[i]));
        TRY(array_push(a, &result->made.cells, copy));
    }
    return STATUS_OK;
}

/* The path that a setting gives, in the statement's memory, or NULL. */
static status copy_path(pistachio_result *result, const char *text, const char **out)
{
    *out = NULL;
    if (!strcmp(text, "off") || !*text)
        return STATUS_OK;
    *out = arena_copy_text(result->statement->query.memory, text, strlen(text));
    return *out ? STATUS_OK : status_no_memory("trace", strlen(text));
}

static status start_trace(pistachio_result *result)
{
    const settings *s = &result->settings;
    TRY(copy_path(result, s->trace.text, &result->trace_path));
    TRY(copy_path(result, s->timeline.text, &result->timeline_path));
    /* False: another query of the process is being traced. */
    result->is_traced = (result->trace_path || result->timeline_path) && trace_start();
    result->query->is_traced = result->is_traced;
    return STATUS_OK;
}

status api_finish_trace(pistachio_result *result)
{
    bool is_traced = result->is_traced;
    result->is_traced = false;
    return is_traced
               ? trace_stop(result->trace_path, result->timeline_path, result->statement->query.sql)
               : STATUS_OK;
}

static api_client client_of(const pistachio_result *result)
{
    return (api_client){&result->connection->running,
                        result->prepared ? &result->prepared->running : NULL};
}

status api_query_next(pistachio_result *result, exec_batch **out)
{
    TRY(exec_query_next(result->query, out));
    if (*out || !result->ranked)
        return STATUS_OK;
    api_client before = api_client_set(client_of(result));
    bool is_analyzed = result->statement->kind == SQL_EXPLAIN_ANALYZE;
    status st = api_ranked_finish(result->ranked, is_analyzed ? &result->statement->query : NULL,
                                  result->query);
    api_client_set(before);
    return st;
}

/* Runs the query and throws its rows away. */
static status drain(pistachio_result *result)
{
    exec_batch *batch;
    do {
        TRY(api_query_next(result, &batch));
        exec_batch_free(batch);
    } while (batch);
    return STATUS_OK;
}

/* On this rank, or on all. */
static status make_query(pistachio_result *result)
{
    const api_engine *engine = result->engine;
    exec_place place = {.dev = engine->dev, .pool = engine->pool};
    if (result->statement->query.exchange_count)
        TRY(api_ranked_begin(result, &place));
    const api_cluster *cluster = result->connection->database->cluster;
    const char *host = cluster ? net_comm_host(cluster->comm, 0) : NULL;
    TRY(api_place_settings(&result->settings, 0, host));
    TRY(exec_query_new(&result->statement->query, &place, &result->settings, &result->query));
    if (result->ranked)
        api_ranked_attach(result->ranked, result->query);
    return STATUS_OK;
}

static void show_query(pistachio_result *result)
{
    api_running_show(&result->connection->running, result->query);
    if (result->prepared)
        api_running_show(&result->prepared->running, result->query);
}

static void hide_query(pistachio_result *result)
{
    api_running_hide(&result->connection->running, result->query);
    if (result->prepared)
        api_running_hide(&result->prepared->running, result->query);
}

static status start_query(pistachio_result *result)
{
    plan_statement *plan = &result->statement->query;
    TRY(api_engine_hold(result->connection->database, &result->settings, &result->engine));
    api_settings_apply(result->connection, &result->settings);
    TRY(plan_rules_parse(result->settings.disabled_optimizer_rules.text, &plan->rules_off));
    TRY(plan_optimize(plan));
    const plan_distribution distribution = api_distribution(result->engine, &result->settings);
    TRY(plan_distribute(plan, &distribution));
    if (result->statement->kind == SQL_EXPLAIN)
        return api_explain(result, false);
    TRY(make_query(result));
    show_query(result);
    if (!result->is_round)
        TRY(start_trace(result));
    TRY(exec_query_start(result->query));
    sql_kind kind = result->statement->kind;
    if (kind == SQL_COPY || kind == SQL_CREATE_TABLE || kind == SQL_INSERT) {
        TRY(kind == SQL_COPY ? api_copy(result) : api_keep_rows(result));
        return api_finish_trace(result);
    }
    if (result->statement->kind == SQL_EXPLAIN_ANALYZE) {
        TRY(drain(result));
        TRY(api_finish_trace(result));
        return api_explain(result, true);
    }
    return STATUS_OK;
}

status api_run_round(pistachio_result *result, int *out_descriptor)
{
    TRY(start_query(result));
    return api_write_rows(result, out_descriptor);
}

sql_catalog *api_result_catalog(const pistachio_result *result)
{
    return result->catalog ? result->catalog : api_catalog(result->connection);
}

status api_settings_check(const settings *s)
{
    uint64_t rules;
    return status_context(plan_rules_parse(s->disabled_optimizer_rules.text, &rules),
                          "setting disabled_optimizer_rules");
}

/* Of a session alone. */
static status run_set_layer(pistachio_connection *connection, const sql_statement *statement)
{
    settings_layer *layer = connection->layer;
    pthread_mutex_lock(&connection->lock);
    status st = statement->is_reset ? settings_layer_reset(layer, statement->name)
                                    : settings_layer_set(layer, statement->name, statement->text);
    pthread_mutex_unlock(&connection->lock);
    return st;
}

static status run_set(pistachio_result *result)
{
    if (result->connection->layer)
        return run_set_layer(result->connection, result->statement);
    pistachio_database *database = result->connection->database;
    pthread_mutex_lock(&database->lock);
    status st = settings_set(&database->settings, result->statement->name, result->statement->text);
    sql_catalog_cache_footers(database->catalog, database->settings.metadata_cache.number);
    pthread_mutex_unlock(&database->lock);
    api_engine_check(database);
    return st;
}

static status run_show(pistachio_result *result)
{
    settings *s = &result->settings;
    const char *name = result->statement->name;
    bool is_all = !strcmp(name, "all");
    setting_info info;
    api_settings(result->connection, s);
    result->made.is_made = true;
    for (unsigned i = 0; setting_describe(i, &info); i++)
        if (is_all || !strcmp(name, info.name)) {
            const char *cells[] = {info.name, settings_get(s, info.name), info.initial, info.help};
            TRY(api_made_row(result, cells));
        }
    if (!result->made.cells.count)
        return status_hint(
            status_new(STATUS_KIND_NOT_FOUND, "there is no setting named \"%s\"", name),
            "SHOW ALL lists the settings");
    return STATUS_OK;
}

static status run_show_tables(pistachio_result *result)
{
    sql_catalog_entry *entries;
    size_t count;
    result->made.is_made = true;
    TRY(sql_catalog_list(api_catalog(result->connection), true, &result->statement->held, &entries,
                         &count));
    for (size_t i = 0; i < count; i++) {
        const pq_table *table = entries[i].table;
        char rows[24], columns[24];
        bool is_counted = false;
        if (table) {
            uint64_t row_count = 0;
            status st = sql_catalog_rows(&entries[i], &row_count);
            is_counted = !st;
            status_free(st); /* a query that reads the file says so */
            int128_format((int128)row_count, 0, rows);
            int128_format((int128)table->columns.count, 0, columns);
        }
        const char *cells[] = {entries[i].name, entries[i].view_sql ? "view" : "table",
                               is_counted ? rows : NULL, table ? columns : NULL};
        TRY(api_made_row(result, cells));
    }
    return STATUS_OK;
}

static status run_describe(pistachio_result *result)
{
    const plan_column_list *columns = &result->statement->query.root->columns;
    result->made.is_made = true;
    for (size_t i = 0; i < columns->count; i++) {
        char type[TYPE_NAME_BYTES];
        const char *cells[] = {columns->items[i].name, type_name(columns->items[i].type, type),
                               columns->items[i].is_nullable ? "yes" : "no"};
        TRY(api_made_row(result, cells));
    }
    return STATUS_OK;
}

static status run(pistachio_result *result)
{
    sql_statement *statement = result->statement;
    sql_catalog *catalog = api_catalog(result->connection);
    switch (statement->kind) {
    case SQL_EMPTY:
        return STATUS_OK;
    case SQL_QUERY:
    case SQL_COPY:
    case SQL_EXPLAIN:
    case SQL_EXPLAIN_ANALYZE:
        return start_query(result);
    case SQL_CREATE_VIEW:
        return sql_catalog_add_view(catalog, statement->name, statement->text, statement->replace);
    case SQL_CREATE_TABLE:
    case SQL_INSERT:
        return statement->is_there ? STATUS_OK : start_query(result);
    case SQL_DROP_TABLE:
        return sql_catalog_drop_rows(catalog, statement->name, statement->if_exists);
    case SQL_DROP_VIEW:
        return sql_catalog_drop_view(catalog, statement->name, statement->if_exists);
    case SQL_SET:
        return run_set(result);
    case SQL_SHOW:
        return run_show(result);
    case SQL_SHOW_TABLES:
        return run_show_tables(result);
    case SQL_DESCRIBE:
        return run_describe(result);
    case SQL_ROUND: /* was run before */
        break;
    }
    return status_new(STATUS_KIND_INTERNAL, "statement of kind %d cannot run", statement->kind);
}

static void name_tag(pistachio_result *result)
{
    const sql_statement *statement = result->statement;
    const char *word = "";
    switch (statement->kind) {
    case SQL_COPY:
        snprintf(result->tag, sizeof result->tag, "COPY %llu",
                 (unsigned long long)result->rows_written);
        return;
    case SQL_INSERT:
        snprintf(result->tag, sizeof result->tag, "INSERT 0 %llu",
                 (unsigned long long)result->rows_written);
        return;
    case SQL_CREATE_TABLE:
        word = "CREATE TABLE";
        break;
    case SQL_DROP_TABLE:
        word = "DROP TABLE";
        break;
    case SQL_CREATE_VIEW:
        word = "CREATE VIEW";
        break;
    case SQL_DROP_VIEW:
        word = "DROP VIEW";
        break;
    case SQL_SET:
        word = statement->is_reset ? "RESET" : "SET";
        break;
    default:
        break;
    }
    snprintf(result->tag, sizeof result->tag, "%s", word);
}

/* The statement's one reading of the clock. */
static int64_t statement_time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

typedef struct statement_text {
    const char *sql;
    const char **out_rest;
    bool is_tried;
} statement_text;

/* Binds the statement, with the values of its parameters. */
static status bind(pistachio_result *result, void *context)
{
    const statement_text *text = context;
    value *values = NULL;
    if (result->prepared)
        TRY(api_bound_values(result->prepared, &values));
    settings now;
    api_settings(result->connection, &now);
    const sql_session session = {.catalog = api_result_catalog(result),
                                 .hive_partitioning = now.hive_partitioning.text,
                                 .rounds = result->rounds,
                                 .is_tried = text->is_tried,
                                 .statement_time = result->statement_time,
                                 .values = values,
                                 .value_count = pistachio_parameter_count(result->prepared)};
    status st = sql_prepare(&session, text->sql, &result->statement, text->out_rest);
    mem_free(values);
    return st;
}

/* What is wrong with the statement is told before its rounds begin. */
static status try_statement(pistachio_result *result, statement_text text)
{
    sql_statement *round = result->statement;
    result->statement = NULL;
    text.is_tried = true;
    status st = bind(result, &text);
    sql_statement_free(result->statement);
    result->statement = round;
    return st;
}

static status prepare_and_run(pistachio_result *result, const char *sql, const char **out_rest)
{
    result->statement_time = statement_time_now();
    result->started = api_nanoseconds();
    statement_text text = {sql, out_rest, false};
    TRY(bind(result, &text));
    if (result->statement->kind == SQL_ROUND) {
        TRY(try_statement(result, text));
        TRY(api_rounds(result, bind, &text));
    }
    TRY(api_columns_make(result->statement, &result->columns));
    TRY(run(result));
    name_tag(result);
    return STATUS_OK;
}

status api_run(pistachio_connection *connection, pistachio_statement *prepared, const char *sql,
               const char **out_rest, pistachio_result **out)
{
    *out = NULL;
    pistachio_result *result = mem_new(sizeof *result);
    if (!result)
        return status_no_memory("result", sizeof *result);
    result->connection = api_connection_ref(connection);
    result->prepared = prepared ? api_statement_ref(prepared) : NULL;
    api_client before = api_client_set(client_of(result));
    status st = prepare_and_run(result, sql, out_rest);
    api_client_set(before);
    if (st || result->statement->kind == SQL_EMPTY)
        pistachio_result_free(result);
    else
        *out = result;
    return st;
}

pistachio_error *pistachio_query(pistachio_connection *connection, const char *sql,
                                 const char **out_rest, pistachio_result **out)
{
    const char *rest = sql ? sql + strlen(sql) : "";
    if (out_rest)
        *out_rest = rest;
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!connection || !sql)
        return api_null_argument(connection ? "sql" : "connection");
    status st = api_run(connection, NULL, sql, &rest, out);
    if (out_rest)
        *out_rest = rest;
    return api_error(st);
}

void pistachio_result_free(pistachio_result *result)
{
    if (!result)
        return;
    pistachio_batch_unref(result->batch);
    if (result->query) {
        hide_query(result);
        if (result->ranked)
            api_ranked_attach(result->ranked, NULL);
        exec_query_free(result->query);
    }
    api_ranked_end(result->ranked);
    status_free(api_finish_trace(result)); /* of a query that was given up */
    api_engine_unref(result->engine);
    sql_statement_free(result->statement);
    if (!result->is_round)
        sql_catalog_free(result->catalog);
    pistachio_statement_free(result->prepared);
    api_connection_unref(result->connection);
    mem_free(result);
}
