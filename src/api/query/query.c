/* query.c - runs statements, of a text or prepared: queries by the executor, the others here. */
#include "api/engine/engine.h"
#include "api/handles/error.h"
#include "api/query/cache.h"
#include "api/query/define.h"
#include "api/query/explain.h"
#include "api/query/query_parts.h"
#include "api/query/query_run.h"
#include "api/query/result.h"
#include "api/query/retry.h"
#include "api/query/table_rows.h"
#include "api/session/database.h"
#include "api/session/statement.h"
#include "base/system/mutex.h"
#include "exec/operators/result_batch.h"
#include "exec/scan/scan_cache.h"
#include "sql/catalog/schema.h"
#include "sql/statement/sql.h"

#include <stdio.h>
#include <time.h>

/* ---- queries ---- */

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

static status run_query(pistachio_result *result)
{
    sql_kind kind = result->statement->kind;
    TRY(api_query_plan(result));
    if (kind == SQL_EXPLAIN)
        return api_explain(result, false);
    if (kind == SQL_CACHE)
        TRY(api_cache_check(result));
    TRY(api_query_start(result));
    if (kind == SQL_COPY || kind == SQL_CREATE_TABLE || kind == SQL_INSERT) {
        TRY(kind == SQL_COPY ? api_copy(result) : api_keep_rows(result));
        return api_finish_trace(result);
    }
    if (kind == SQL_CACHE) {
        TRY(drain(result));
        return api_finish_trace(result);
    }
    if (kind == SQL_EXPLAIN_ANALYZE) {
        TRY(drain(result));
        TRY(api_finish_trace(result));
        return api_explain(result, true);
    }
    return STATUS_OK;
}

/* ---- the other statements ---- */

/* Sets a setting of a session alone. */
static status run_set_layer(pistachio_connection *connection, const sql_statement *statement)
{
    settings_layer *layer = connection->layer;
    mutex_lock(&connection->lock);
    status st = statement->is_reset ? settings_layer_reset(layer, statement->name)
                                    : settings_layer_set(layer, statement->name, statement->text);
    mutex_unlock(&connection->lock);
    return st;
}

static status run_set(pistachio_result *result)
{
    if (result->connection->layer)
        return run_set_layer(result->connection, result->statement);
    pistachio_database *database = result->connection->database;
    mutex_lock(&database->lock);
    status st = settings_set(&database->settings, result->statement->name, result->statement->text);
    sql_catalog_cache_footers(database->catalog, database->settings.metadata_cache.number);
    mutex_unlock(&database->lock);
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

static bool is_in_schema(const sql_catalog_entry *entry, const sql_table_name *schema)
{
    return !strcmp(entry->of.catalog, schema->catalog) && !strcmp(entry->of.schema, schema->schema);
}

/* Opens a table that was listed without; NULL: it cannot be opened, which a query says that reads it. */
static const pq_table *query_open_listed(pistachio_result *result, sql_catalog_entry *entry)
{
    const sql_catalog_entry *found = NULL;
    status_free(sql_catalog_find(api_catalog(result->connection), entry->name,
                                 &result->statement->held, &found));
    entry->table = found ? found->table : NULL;
    return entry->table;
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
        if (!is_in_schema(&entries[i], &result->statement->schema))
            continue;
        if (!table && entries[i].path)
            table = query_open_listed(result, &entries[i]);
        char rows[24], columns[24];
        bool is_counted = false;
        if (table) {
            uint64_t row_count = 0;
            status st = sql_catalog_rows(&entries[i], &row_count);
            is_counted = !st;
            status_free(st); /* a query that reads the file says so */
            int128_format((int128)row_count, 0, rows);
            int128_format((int128)pq_table_count_columns(table), 0, columns);
        }
        const char *cells[] = {entries[i].of.table, entries[i].view_sql ? "view" : "table",
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
        const char *type;
        TRY(api_type_text(result->statement->query.memory, columns->items[i].type, &type));
        const char *cells[] = {columns->items[i].name, type,
                               columns->items[i].is_nullable ? "yes" : "no"};
        TRY(api_made_row(result, cells));
    }
    return STATUS_OK;
}

/* Runs ATTACH and DETACH. */
static status run_attach(pistachio_result *result)
{
    const sql_statement *statement = result->statement;
    sql_catalog *catalog = api_catalog(result->connection);
    const sql_table_name *schema = &statement->schema;
    if (statement->is_there)
        return STATUS_OK;
    if (statement->kind == SQL_ATTACH && statement->rest)
        return sql_catalog_attach_rest(catalog, statement->name, statement->rest);
    if (statement->kind == SQL_ATTACH)
        return sql_catalog_attach(catalog, statement->name, statement->text);
    const char *beginning = sql_table_key(statement->query.memory, schema);
    return beginning ? sql_catalog_drop_beginning(catalog, beginning)
                     : status_no_memory("schema", 0);
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
    case SQL_CACHE:
        return run_query(result);
    case SQL_UNCACHE:
        api_cache_forget(&statement->query);
        return STATUS_OK;
    case SQL_CLEAR_CACHE:
        scan_cache_clear();
        return STATUS_OK;
    case SQL_CREATE_TABLE:
    case SQL_INSERT:
        return statement->is_there ? STATUS_OK : run_query(result);
    case SQL_DEALLOCATE_ALL:
        sql_catalog_drop_prepared(catalog);
        return STATUS_OK;
    case SQL_SET:
        return run_set(result);
    case SQL_SHOW:
        return run_show(result);
    case SQL_SHOW_TABLES:
        return run_show_tables(result);
    case SQL_CREATE_VIEW:
    case SQL_DROP_VIEW:
    case SQL_DROP_TABLE:
    case SQL_RENAME:
    case SQL_CREATE_SCHEMA:
        return api_define(result);
    case SQL_DROP_SCHEMA: /* or a catalog */
        return statement->schema.schema ? api_define(result) : run_attach(result);
    case SQL_ATTACH:
        return run_attach(result);
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
    if (statement->tag) {
        snprintf(result->tag, sizeof result->tag, "%s", statement->tag);
        return;
    }
    switch (statement->kind) {
    case SQL_COPY:
        snprintf(result->tag, sizeof result->tag, "COPY %llu",
                 (unsigned long long)result->rows_written);
        return;
    case SQL_INSERT:
        snprintf(result->tag, sizeof result->tag,
                 statement->copy.is_from_client ? "COPY %llu" : "INSERT 0 %llu",
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
    case SQL_CACHE:
        word = "CACHE TABLE";
        break;
    case SQL_UNCACHE:
        word = "UNCACHE TABLE";
        break;
    case SQL_CLEAR_CACHE:
        word = "CLEAR CACHE";
        break;
    default:
        break;
    }
    snprintf(result->tag, sizeof result->tag, "%s", word);
}

/* ---- binding, then running ---- */

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
static status query_bind(pistachio_result *result, void *context)
{
    const statement_text *text = context;
    value *values = NULL;
    if (result->prepared)
        TRY(api_bound_values(result->prepared, &values));
    settings now;
    api_settings(result->connection, &now);
    status st = api_working_choose(&now);
    if (st) {
        mem_free(values);
        return st;
    }
    const sql_session session = {.catalog = api_result_catalog(result),
                                 .hive_partitioning = now.hive_partitioning.text,
                                 .timezone = now.timezone.text,
                                 .search_path = now.search_path.text,
                                 .is_confined = !now.enable_external_access.number,
                                 .keeps_lists = api_keeps_lists(&now),
                                 .replaces_text = api_replaces_text(&now),
                                 .ignores_checksums = api_ignores_checksums(&now),
                                 .copies_to_client = result->connection->copies_to_client,
                                 .list_kept = api_cache_lister(&now),
                                 .copies_from = result->connection->copies_from,
                                 .rounds = result->rounds,
                                 .is_tried = text->is_tried,
                                 .statement_time = result->statement_time,
                                 .values = values,
                                 .value_count = pistachio_parameter_count(result->prepared)};
    st = sql_prepare(&session, text->sql, &result->statement, text->out_rest);
    mem_free(values);
    return st;
}

/* Tells what is wrong with the statement before its rounds begin. */
static status try_statement(pistachio_result *result, statement_text text)
{
    sql_statement *round = result->statement;
    result->statement = NULL;
    text.is_tried = true;
    status st = query_bind(result, &text);
    if (!st)
        result->wanted = result->statement->wanted;
    sql_statement_free(result->statement);
    result->statement = round;
    return st;
}

static status prepare_and_run(pistachio_result *result, const char *sql, const char **out_rest)
{
    result->statement_time = statement_time_now();
    result->started = api_nanoseconds();
    statement_text text = {sql, out_rest, false};
    TRY(query_bind(result, &text));
    if (result->statement->kind == SQL_ROUND) {
        if (!result->statement->makes_values)
            TRY(try_statement(result, text));
        TRY(api_rounds(result, query_bind, &text));
    }
    TRY(api_columns_make(result->statement, &result->columns));
    TRY(run(result));
    name_tag(result);
    return STATUS_OK;
}

/* Returns whether a statement that has failed so runs again, if it has given nothing out: a query, or one that is
 * not bound. Takes *io if so. */
static bool runs_again(pistachio_result *result, api_retry *retry, status *io)
{
    const sql_statement *statement = result->statement;
    if (!*io ||
        (statement && statement->kind != SQL_QUERY && statement->kind != SQL_EXPLAIN_ANALYZE))
        return false;
    api_query_end(result);
    return api_retry_wants(retry, io);
}

/* Runs the first statement of sql once; *out_again: it failed, and is to run again. */
static status query_run_once(pistachio_connection *connection, pistachio_statement *prepared,
                             const char *sql, const char **out_rest, api_retry *retry,
                             bool *out_again, pistachio_result **out)
{
    *out_again = false;
    pistachio_result *result = mem_new(sizeof *result);
    if (!result)
        return status_no_memory("result", sizeof *result);
    result->connection = api_connection_ref(connection);
    result->prepared = prepared ? api_statement_ref(prepared) : NULL;
    api_working working;
    api_working_begin(&working, &result->is_cancelled, api_client_of(result));
    status st = prepare_and_run(result, sql, out_rest);
    *out_again = runs_again(result, retry, &st);
    api_working_end(&working);
    if (st || *out_again || result->statement->kind == SQL_EMPTY)
        pistachio_result_free(result);
    else
        *out = result;
    return st;
}

/* Runs the first statement of sql; prepared: the statement that it is of, with values, or NULL. *out is
 * NULL where there is none. */
static status run_text(pistachio_connection *connection, pistachio_statement *prepared,
                       const char *sql, const char **out_rest, pistachio_result **out)
{
    api_retry retry = api_retry_begin(connection);
    bool again = true;
    *out = NULL;
    while (again)
        TRY(query_run_once(connection, prepared, sql, out_rest, &retry, &again, out));
    return STATUS_OK;
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
    status st = run_text(connection, NULL, sql, &rest, out);
    if (out_rest)
        *out_rest = rest;
    return api_error(st);
}

pistachio_error *pistachio_execute(pistachio_statement *statement, pistachio_result **out)
{
    const char *rest;
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!statement)
        return api_null_argument("statement");
    return api_error(run_text(statement->connection, statement, statement->sql, &rest, out));
}
