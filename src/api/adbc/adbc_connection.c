/* adbc_connection.c - AdbcConnection: a session of its database. */
#include "api/adbc/adbc_connection.h"

#include "api/adbc/adbc.h"
#include "api/adbc/adbc_database.h"
#include "api/adbc/adbc_error.h"
#include "api/adbc/adbc_objects.h"
#include "api/adbc/adbc_option.h"
#include "api/adbc/adbc_statistics.h"
#include "api/handles/error.h"
#include "api/session/database.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNTER_TEXT_BYTES 24

static AdbcStatusCode not_open(struct AdbcError *error)
{
    return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "connection is not open");
}

AdbcStatusCode adbc_open_connection(const struct AdbcConnection *connection,
                                    pistachio_connection **out, struct AdbcError *error)
{
    const adbc_connection *c = connection->private_data;
    *out = c ? c->connection : NULL;
    return *out ? ADBC_STATUS_OK : not_open(error);
}

/* ---- options ---- */

char *adbc_quoted(const char *text, char quote)
{
    char *out = mem_new(2 * strlen(text) + 3), *to = out;
    if (!out)
        return NULL;
    *to++ = quote;
    for (; *text; text++) {
        if (*text == quote)
            *to++ = quote;
        *to++ = *text;
    }
    *to = quote;
    return out;
}

AdbcStatusCode adbc_set(pistachio_connection *connection, const char *name, const char *value,
                        struct AdbcError *error)
{
    char *quoted_name = adbc_quoted(name, '"'), *text = adbc_quoted(value, '\'');
    size_t bytes = quoted_name && text ? strlen(quoted_name) + strlen(text) + 16 : 1;
    char *sql = mem_new(bytes);
    pistachio_result *result = NULL;
    pistachio_error *failure = NULL;
    if (quoted_name && text && sql) {
        snprintf(sql, bytes, "SET %s = %s", quoted_name, text);
        failure = pistachio_query(connection, sql, NULL, &result);
    } else {
        failure = api_error(status_no_memory("option", bytes));
    }
    pistachio_result_free(result);
    mem_free(quoted_name);
    mem_free(text);
    mem_free(sql);
    return adbc_fail_public(error, failure);
}

static AdbcStatusCode set_autocommit(adbc_connection *c, const char *value, struct AdbcError *error)
{
    bool is_on = !strcmp(value, ADBC_OPTION_VALUE_ENABLED);
    if (!is_on && strcmp(value, ADBC_OPTION_VALUE_DISABLED))
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT,
                           "autocommit is \"true\" or \"false\", not \"%s\"", value);
    c->is_manual = !is_on;
    return ADBC_STATUS_OK;
}

/* Options that a client may ask for, but only as they are. */
static const struct {
    const char *key, *value;
} fixed_options[] = {
    {ADBC_CONNECTION_OPTION_READ_ONLY, ADBC_OPTION_VALUE_DISABLED},
    {ADBC_CONNECTION_OPTION_ISOLATION_LEVEL, ADBC_OPTION_ISOLATION_LEVEL_DEFAULT},
    {ADBC_CONNECTION_OPTION_CURRENT_CATALOG, ""},
    {ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA, ""},
};

/* Returns the option's value; NULL: it is not one of them. */
static const char *fixed_option(const char *key)
{
    for (size_t i = 0; i < sizeof fixed_options / sizeof *fixed_options; i++)
        if (!strcmp(key, fixed_options[i].key))
            return fixed_options[i].value;
    return NULL;
}

static AdbcStatusCode adbc_connection_set_option(void *object, const char *key, const char *value,
                                                 struct AdbcError *error)
{
    adbc_connection *c = object;
    const char *name = adbc_setting_name(key), *fixed = fixed_option(key);
    if (!strcmp(key, ADBC_CONNECTION_OPTION_AUTOCOMMIT))
        return set_autocommit(c, value, error);
    if (name)
        return c->connection ? adbc_set(c->connection, name, value, error) : not_open(error);
    if (fixed && !strcmp(fixed, value))
        return ADBC_STATUS_OK;
    return adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED,
                       fixed ? "option %s can only be \"%s\"" : "there is no option %s", key,
                       fixed);
}

/* Facts that can only be asked for, by the name after "pistachio.". */
/* For the Python package, whose signal handler calls pistachio_cancel() with it. */
static uint64_t adbc_connection_address_of(const pistachio_connection *connection)
{
    return (uintptr_t)connection;
}

static const struct {
    const char *name;
    uint64_t (*count)(const pistachio_connection *connection);
} counters[] = {
    {"memory_exported", pistachio_memory_exported},
    {"memory_peak", pistachio_memory_peak},
    {"connection", adbc_connection_address_of},
};

/* Writes a counter. False: the name is not one of a counter. */
static bool counter_text(const pistachio_connection *connection, const char *name,
                         char out[COUNTER_TEXT_BYTES])
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (!strcmp(name, counters[i].name)) {
            snprintf(out, COUNTER_TEXT_BYTES, "%" PRIu64, counters[i].count(connection));
            return true;
        }
    return false;
}

static AdbcStatusCode adbc_connection_get_option(void *object, const char *key, char **out,
                                                 struct AdbcError *error)
{
    const adbc_connection *c = object;
    const char *name = adbc_setting_name(key), *fixed = fixed_option(key);
    char counter[COUNTER_TEXT_BYTES];
    settings s;
    if (!strcmp(key, ADBC_CONNECTION_OPTION_AUTOCOMMIT))
        return adbc_option_give(
            c->is_manual ? ADBC_OPTION_VALUE_DISABLED : ADBC_OPTION_VALUE_ENABLED, out, error);
    if (fixed)
        return adbc_option_give(fixed, out, error);
    if (name && c->connection && counter_text(c->connection, name, counter))
        return adbc_option_give(counter, out, error);
    if (name && c->connection) {
        api_settings(c->connection, &s);
        const char *text = settings_get(&s, name);
        if (text)
            return adbc_option_give(text, out, error);
    }
    return adbc_refuse(error, ADBC_STATUS_NOT_FOUND, "option %s is not set", key);
}

ADBC_OPTION_FUNCTIONS(Connection, adbc_connection_set_option, adbc_connection_get_option)

/* ---- life ---- */

static AdbcStatusCode connection_new(struct AdbcConnection *connection, struct AdbcError *error)
{
    connection->private_data = mem_new(sizeof(adbc_connection));
    return connection->private_data
               ? ADBC_STATUS_OK
               : adbc_fail(error, status_no_memory("connection", sizeof(adbc_connection)));
}

static AdbcStatusCode connection_init(struct AdbcConnection *connection,
                                      struct AdbcDatabase *database, struct AdbcError *error)
{
    adbc_connection *c = connection->private_data;
    const adbc_database *d = database ? database->private_data : NULL;
    if (!c || c->connection)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "connection is %s",
                           c ? "open already" : "not new");
    if (!d || !d->database)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "database is not open");
    if (d->path && file_is_folder(d->path)) {
        c->folder = mem_copy_text(d->path, strlen(d->path));
        if (!c->folder)
            return adbc_fail(error, status_no_memory("connection", strlen(d->path)));
    }
    return adbc_fail_public(error, pistachio_connect_session(d->database, &c->connection));
}

static AdbcStatusCode connection_release(struct AdbcConnection *connection, struct AdbcError *error)
{
    adbc_connection *c = connection->private_data;
    if (!c)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "connection was released");
    pistachio_disconnect(c->connection);
    mem_free(c->folder);
    mem_free(c);
    connection->private_data = NULL;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode connection_cancel(struct AdbcConnection *connection, struct AdbcError *error)
{
    pistachio_connection *open;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    pistachio_cancel(open);
    return code;
}

/* Each statement is done when it has run: there is nothing to commit, nor to roll back. */
static AdbcStatusCode connection_end(struct AdbcConnection *connection, struct AdbcError *error)
{
    const adbc_connection *c = connection->private_data;
    if (!c || !c->connection)
        return not_open(error);
    return c->is_manual ? ADBC_STATUS_OK
                        : adbc_refuse(error, ADBC_STATUS_INVALID_STATE,
                                      "there is no transaction: autocommit is on");
}

/* ---- what there is ---- */

static AdbcStatusCode connection_get_table_schema(struct AdbcConnection *connection,
                                                  const char *catalog, const char *db_schema,
                                                  const char *table, struct ArrowSchema *schema,
                                                  struct AdbcError *error)
{
    pistachio_connection *open;
    pistachio_statement *statement = NULL;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    if (code)
        return code;
    if (!table || !schema || (catalog && *catalog) || (db_schema && *db_schema))
        return adbc_refuse(error, ADBC_STATUS_NOT_FOUND,
                           "tables have a name; there are no catalogs and schemas");
    char *name = adbc_quoted(table, '"');
    size_t bytes = name ? strlen(name) + 20 : 1;
    char *sql = mem_new(bytes);
    pistachio_error *failure = api_error(status_no_memory("statement", bytes));
    if (name && sql) {
        pistachio_error_free(failure);
        snprintf(sql, bytes, "SELECT * FROM %s", name);
        failure = pistachio_prepare(open, sql, NULL, &statement);
    }
    if (!failure)
        failure = pistachio_statement_schema(statement, schema);
    pistachio_statement_free(statement);
    mem_free(name);
    mem_free(sql);
    return adbc_fail_public(error, failure);
}

void adbc_connection_functions(struct AdbcDriver *driver, bool has_1_1)
{
    driver->ConnectionNew = connection_new;
    driver->ConnectionInit = connection_init;
    driver->ConnectionRelease = connection_release;
    driver->ConnectionCommit = connection_end;
    driver->ConnectionRollback = connection_end;
    driver->ConnectionGetInfo = adbc_connection_get_info;
    driver->ConnectionGetObjects = adbc_connection_get_objects;
    driver->ConnectionGetTableTypes = adbc_connection_get_table_types;
    driver->ConnectionGetTableSchema = connection_get_table_schema;
    if (has_1_1) {
        driver->ConnectionCancel = connection_cancel;
        driver->ConnectionGetStatistics = adbc_connection_get_statistics;
        driver->ConnectionGetStatisticNames = adbc_connection_get_statistic_names;
    }
    ADBC_OPTION_FILL(driver, Connection, has_1_1);
}
