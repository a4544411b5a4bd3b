/* adbc_statement.c - AdbcStatement. */
#include "api/adbc/adbc.h"
#include "api/adbc/adbc_error.h"
#include "api/adbc/adbc_option.h"
#include "api/adbc/adbc_rows.h"
#include "api/arrow/arrow_schema.h"
#include "api/handles/error.h"
#include "api/session/database.h"
#include "base/system/mutex.h"

#include <stdio.h>

static AdbcStatusCode released(struct AdbcError *error)
{
    return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "statement was released");
}

static void put_prepared(adbc_statement *s, pistachio_statement *prepared)
{
    mutex_lock(&s->lock);
    pistachio_statement *before = s->prepared;
    s->prepared = prepared;
    mutex_unlock(&s->lock);
    pistachio_statement_free(before);
}

static void release_bound(adbc_statement *s)
{
    if (s->bound.release)
        s->bound.release(&s->bound);
    s->bound.release = NULL;
}

/* ---- life ---- */

static AdbcStatusCode adbc_statement_new(struct AdbcConnection *connection,
                                         struct AdbcStatement *statement, struct AdbcError *error)
{
    const adbc_connection *c = connection ? connection->private_data : NULL;
    statement->private_data = NULL;
    if (!c || !c->connection)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "connection is not open");
    adbc_statement *s = mem_new(sizeof *s);
    if (!s)
        return adbc_fail(error, status_no_memory("statement", sizeof *s));
    if (c->folder) {
        s->ingest.folder = mem_copy_text(c->folder, strlen(c->folder));
        if (!s->ingest.folder) {
            mem_free(s);
            return adbc_fail(error, status_no_memory("statement", strlen(c->folder)));
        }
    }
    s->connection = api_connection_ref(c->connection);
    mutex_init(&s->lock);
    statement->private_data = s;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode statement_release(struct AdbcStatement *statement, struct AdbcError *error)
{
    adbc_statement *s = statement->private_data;
    if (!s)
        return released(error);
    put_prepared(s, NULL);
    release_bound(s);
    pistachio_disconnect(s->connection);
    mutex_destroy(&s->lock);
    adbc_ingest_release(&s->ingest);
    mem_free(s->sql);
    mem_free(s);
    statement->private_data = NULL;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode statement_cancel(struct AdbcStatement *statement, struct AdbcError *error)
{
    adbc_statement *s = statement->private_data;
    if (!s)
        return released(error);
    mutex_lock(&s->lock);
    pistachio_statement_cancel(s->prepared);
    mutex_unlock(&s->lock);
    return ADBC_STATUS_OK;
}

/* ---- options ---- */

static AdbcStatusCode adbc_statement_set_option(void *object, const char *key, const char *value,
                                                struct AdbcError *error)
{
    adbc_statement *s = object;
    AdbcStatusCode code;
    if (adbc_ingest_set(&s->ingest, key, value, error, &code))
        return code;
    if (!strcmp(key, ADBC_STATEMENT_OPTION_INCREMENTAL) &&
        !strcmp(value, ADBC_OPTION_VALUE_DISABLED))
        return ADBC_STATUS_OK;
    return adbc_refuse(error, ADBC_STATUS_NOT_IMPLEMENTED, "there is no option %s", key);
}

/* For the Python package, whose signal handler calls pistachio_statement_cancel() with it. The statement lives as long as
 * streams of its results. */
static AdbcStatusCode give_address(const void *object, char **out, struct AdbcError *error)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)(intptr_t)object);
    return adbc_option_give(text, out, error);
}

/* The notices of the statement, if it is prepared, a line each. */
static AdbcStatusCode give_notices(const adbc_statement *s, char **out, struct AdbcError *error)
{
    const char *notice;
    size_t bytes = 0;
    for (uint32_t i = 0; (notice = pistachio_statement_notice(s->prepared, i)); i++)
        bytes += strlen(notice) + 1;
    char *text = *out = mem_new(bytes + 1);
    if (!text)
        return adbc_fail(error, status_no_memory("option", bytes));
    for (uint32_t i = 0; (notice = pistachio_statement_notice(s->prepared, i)); i++) {
        size_t length = strlen(notice);
        memcpy(text, notice, length);
        text[length] = '\n';
        text += length + 1;
    }
    *text = 0;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode adbc_statement_get_option(void *object, const char *key, char **out,
                                                struct AdbcError *error)
{
    const adbc_statement *s = object;
    if (!strcmp(key, ADBC_INGEST_OPTION_TARGET_TABLE) && s->ingest.table)
        return adbc_option_give(s->ingest.table, out, error);
    if (!strcmp(key, ADBC_INGEST_OPTION_MODE) && s->ingest.mode)
        return adbc_option_give(s->ingest.mode, out, error);
    if (!strcmp(key, ADBC_STATEMENT_OPTION_INCREMENTAL))
        return adbc_option_give(ADBC_OPTION_VALUE_DISABLED, out, error);
    if (!strcmp(key, "pistachio.statement") && s->prepared)
        return give_address(s->prepared, out, error);
    if (!strcmp(key, "pistachio.notices"))
        return give_notices(s, out, error);
    return adbc_refuse(error, ADBC_STATUS_NOT_FOUND, "option %s is not set", key);
}

ADBC_OPTION_FUNCTIONS(Statement, adbc_statement_set_option, adbc_statement_get_option)

/* ---- text ---- */

static AdbcStatusCode statement_set_sql_query(struct AdbcStatement *statement, const char *query,
                                              struct AdbcError *error)
{
    adbc_statement *s = statement->private_data;
    if (!s)
        return released(error);
    if (!query)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "query is NULL");
    char *sql = mem_copy_text(query, strlen(query));
    if (!sql)
        return adbc_fail(error, status_no_memory("statement", strlen(query)));
    mem_free(s->sql);
    s->sql = sql;
    mem_free(s->ingest.table); /* a query it is from now on */
    s->ingest.table = NULL;
    put_prepared(s, NULL);
    return ADBC_STATUS_OK;
}

/* Another statement behind the first one is refused: a result is of one. */
static status adbc_statement_check_rest(const char *rest)
{
    size_t with_end;
    while (*rest && strchr(" \t\r\n;", *rest))
        rest++;
    return *rest && sql_statement_length(rest, &with_end)
               ? status_new(STATUS_KIND_UNSUPPORTED, "several statements in one are not supported")
               : STATUS_OK;
}

static status adbc_statement_prepare(adbc_statement *s)
{
    const char *rest;
    pistachio_statement *prepared;
    TRY(api_error_status(pistachio_prepare(s->connection, s->sql, &rest, &prepared)));
    status st = prepared ? adbc_statement_check_rest(rest)
                         : status_new(STATUS_KIND_INVALID, "the text has no statement");
    if (st)
        pistachio_statement_free(prepared);
    else
        put_prepared(s, prepared);
    return st;
}

/* The statement is prepared, now if it was not. */
static AdbcStatusCode ready(struct AdbcStatement *statement, adbc_statement **out,
                            struct AdbcError *error)
{
    adbc_statement *s = *out = statement->private_data;
    if (!s)
        return released(error);
    if (!s->sql)
        return adbc_refuse(error, ADBC_STATUS_INVALID_STATE, "the statement has no query");
    return s->prepared ? ADBC_STATUS_OK : adbc_fail_in(error, adbc_statement_prepare(s), s->sql);
}

static AdbcStatusCode statement_prepare(struct AdbcStatement *statement, struct AdbcError *error)
{
    adbc_statement *s;
    return ready(statement, &s, error);
}

/* ---- parameters ---- */

static AdbcStatusCode statement_bind_stream(struct AdbcStatement *statement,
                                            struct ArrowArrayStream *stream,
                                            struct AdbcError *error)
{
    adbc_statement *s = statement->private_data;
    if (!s)
        return released(error);
    if (!stream || !stream->release)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "the stream was released");
    release_bound(s);
    s->bound = *stream;
    stream->release = NULL;
    return ADBC_STATUS_OK;
}

static AdbcStatusCode statement_bind(struct AdbcStatement *statement, struct ArrowArray *values,
                                     struct ArrowSchema *schema, struct AdbcError *error)
{
    struct ArrowArrayStream stream;
    if (!statement->private_data)
        return released(error);
    if (!values || !schema || !values->release || !schema->release)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "the array was released");
    status st = adbc_stream_of(schema, values, &stream);
    return st ? adbc_fail(error, st) : statement_bind_stream(statement, &stream, error);
}

static status parameter_schema(const pistachio_statement *prepared, struct ArrowSchema *out)
{
    const sql_statement *described = prepared->described;
    uint32_t count = described->parameter_count;
    TRY(api_arrow_schema_new("+s", "", count, out));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < count && !st; i++) {
        char format[API_ARROW_FORMAT_BYTES];
        const char *name = described->parameter_names[i];
        api_arrow_format(described->parameter_types[i], (api_arrow_options){0}, format);
        st = api_arrow_schema_new(format, name ? name : "", 0, out->children[i]);
    }
    if (st)
        out->release(out);
    return st;
}

static AdbcStatusCode statement_get_parameter_schema(struct AdbcStatement *statement,
                                                     struct ArrowSchema *schema,
                                                     struct AdbcError *error)
{
    adbc_statement *s;
    AdbcStatusCode code = ready(statement, &s, error);
    return code ? code : adbc_fail(error, parameter_schema(s->prepared, schema));
}

/* ---- executing ---- */

static AdbcStatusCode statement_execute_schema(struct AdbcStatement *statement,
                                               struct ArrowSchema *schema, struct AdbcError *error)
{
    adbc_statement *s;
    AdbcStatusCode code = ready(statement, &s, error);
    return code ? code : adbc_fail_public(error, pistachio_statement_schema(s->prepared, schema));
}

static AdbcStatusCode statement_execute_query(struct AdbcStatement *statement,
                                              struct ArrowArrayStream *out, int64_t *rows_affected,
                                              struct AdbcError *error)
{
    adbc_statement *s;
    if (out)
        *out = (struct ArrowArrayStream){0};
    if (rows_affected)
        *rows_affected = -1;
    s = statement->private_data;
    AdbcStatusCode code = s && s->ingest.table ? ADBC_STATUS_OK : ready(statement, &s, error);
    if (code) {
        if (s) /* rows are bound for one execution, also if it fails before it reads them */
            release_bound(s);
        return code;
    }
    if (s->ingest.table)
        return adbc_ingest_run(s->connection, &s->ingest, &s->bound, rows_affected, error);
    if (!s->bound.release)
        return adbc_fail_in(error, adbc_execute_once(s->prepared, out, rows_affected), s->sql);
    struct ArrowArrayStream bound = s->bound;
    s->bound.release = NULL;
    return adbc_fail_in(error, adbc_execute_rows(s->prepared, &bound, out, rows_affected), s->sql);
}

void adbc_statement_functions(struct AdbcDriver *driver, bool has_1_1)
{
    driver->StatementNew = adbc_statement_new;
    driver->StatementRelease = statement_release;
    driver->StatementSetSqlQuery = statement_set_sql_query;
    driver->StatementPrepare = statement_prepare;
    driver->StatementBind = statement_bind;
    driver->StatementBindStream = statement_bind_stream;
    driver->StatementGetParameterSchema = statement_get_parameter_schema;
    driver->StatementExecuteQuery = statement_execute_query;
    if (has_1_1) {
        driver->StatementCancel = statement_cancel;
        driver->StatementExecuteSchema = statement_execute_schema;
    }
    ADBC_OPTION_FILL(driver, Statement, has_1_1);
}
