/* statement.c - prepared statements: what they return and take, values of parameters. query.c executes them.
 *
 * The statement is bound when it is prepared, for its columns and parameters, and again with each
 * execution: values are constants of the plan, so that statistics exclude what they exclude. */
#include "api/session/statement.h"

#include "api/handles/error.h"
#include "api/handles/handles.h"
#include "api/session/database.h"
#include "base/type/nested_type.h"
#include "sql/statement/sql.h"
#include "sql/text/split.h"

pistachio_statement *api_statement_ref(pistachio_statement *statement)
{
    atomic_fetch_add(&statement->references, 1);
    return statement;
}

static void free_bound(api_bound *bound)
{
    nested_type_release(bound->value.type);
    mem_free(bound->text);
}

static void statement_unref(pistachio_statement *statement)
{
    if (!statement || atomic_fetch_sub(&statement->references, 1) != 1)
        return;
    for (uint32_t i = 0; statement->bound && i < pistachio_parameter_count(statement); i++)
        free_bound(&statement->bound[i]);
    mem_free(statement->bound);
    mem_free(statement->sql);
    sql_statement_free(statement->described);
    api_running_release(&statement->running);
    api_connection_unref(statement->connection);
    mem_free(statement);
}

void pistachio_statement_free(pistachio_statement *statement)
{
    statement_unref(statement);
}

void pistachio_statement_cancel(pistachio_statement *statement)
{
    if (statement)
        api_running_cancel(&statement->running);
}

/* ---- preparing ---- */

static status name_parameters(pistachio_statement *statement)
{
    const sql_statement *described = statement->described;
    uint32_t count = described->parameter_count;
    statement->parameter_types =
        arena_alloc_array(described->query.memory, (size_t)count + 1, TYPE_NAME_BYTES);
    statement->bound = mem_new_array((size_t)count + 1, sizeof *statement->bound);
    if (!statement->parameter_types || !statement->bound)
        return status_no_memory("parameters", count * TYPE_NAME_BYTES);
    for (uint32_t i = 0; i < count; i++)
        type_name(described->parameter_types[i], statement->parameter_types[i]);
    return STATUS_OK;
}

/* The rows of a COPY ... FROM STDIN that is only described: none. */
static status take_nothing(void *context, const sql_copy *copy, const sql_copy_column *columns,
                           uint32_t count, const char **out_path)
{
    (void)context, (void)copy, (void)columns, (void)count;
    *out_path = NULL;
    return STATUS_OK;
}

static status prepare(pistachio_statement *statement, const char *sql, const data_type *declared,
                      uint32_t declared_count, const char **out_rest)
{
    settings now;
    api_settings(statement->connection, &now);
    bool copies_from = statement->connection->copies_from.take;
    const sql_session session = {.copies_from = {copies_from ? take_nothing : NULL, NULL},
                                 .catalog = api_catalog(statement->connection),
                                 .hive_partitioning = now.hive_partitioning.text,
                                 .timezone = now.timezone.text,
                                 .search_path = now.search_path.text,
                                 .is_confined = !now.enable_external_access.number,
                                 .replaces_text = api_replaces_text(&now),
                                 .ignores_checksums = api_ignores_checksums(&now),
                                 .copies_to_client = statement->connection->copies_to_client,
                                 .is_described = true,
                                 .list_kept = api_cache_lister(&now),
                                 .declared = declared,
                                 .declared_count = declared_count};
    cancel_flag is_cancelled = false;
    api_working working;
    api_working_begin(&working, &is_cancelled,
                      (api_client){&statement->connection->running, &statement->running});
    status st = api_working_choose(&now);
    if (!st)
        st = sql_prepare(&session, sql, &statement->described, out_rest);
    api_working_end(&working);
    TRY(st);
    statement->sql = mem_copy_text(sql, (size_t)(*out_rest - sql));
    if (!statement->sql)
        return status_no_memory("statement", (size_t)(*out_rest - sql));
    TRY(api_columns_make(statement->described, &statement->columns));
    return name_parameters(statement);
}

static status statement_new(pistachio_connection *connection, pistachio_statement **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("statement", sizeof **out);
    atomic_init(&(*out)->references, 1);
    (*out)->connection = api_connection_ref(connection);
    api_running_init(&(*out)->running);
    return STATUS_OK;
}

status api_prepare(pistachio_connection *connection, const char *sql, const data_type *declared,
                   uint32_t declared_count, const char **out_rest, pistachio_statement **out)
{
    pistachio_statement *statement = NULL;
    *out = NULL;
    status st = statement_new(connection, &statement);
    if (!st)
        st = prepare(statement, sql, declared, declared_count, out_rest);
    if (st || statement->described->kind == SQL_EMPTY)
        statement_unref(statement);
    else
        *out = statement;
    return st;
}

pistachio_error *pistachio_prepare(pistachio_connection *connection, const char *sql,
                                   const char **out_rest, pistachio_statement **out)
{
    const char *rest = sql ? sql + strlen(sql) : "";
    if (out_rest)
        *out_rest = rest;
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!connection || !sql)
        return api_null_argument(connection ? "sql" : "connection");
    status st = api_prepare(connection, sql, NULL, 0, &rest, out);
    if (out_rest)
        *out_rest = rest;
    return api_error(st);
}

/* ---- what it returns and takes ---- */

uint32_t pistachio_statement_column_count(const pistachio_statement *statement)
{
    return statement ? statement->columns.count : 0;
}

const char *pistachio_statement_column_name(const pistachio_statement *statement, uint32_t column)
{
    return column < pistachio_statement_column_count(statement) ? statement->columns.names[column]
                                                                : NULL;
}

const char *pistachio_statement_column_type(const pistachio_statement *statement, uint32_t column)
{
    return column < pistachio_statement_column_count(statement)
               ? statement->columns.type_names[column]
               : NULL;
}

const char *pistachio_statement_notice(const pistachio_statement *statement, uint32_t index)
{
    const sql_statement *described = statement ? statement->described : NULL;
    return described && index < described->notices.count ? described->notices.items[index] : NULL;
}

uint32_t pistachio_parameter_count(const pistachio_statement *statement)
{
    return statement && statement->described ? statement->described->parameter_count : 0;
}

const char *pistachio_parameter_name(const pistachio_statement *statement, uint32_t parameter)
{
    return parameter < pistachio_parameter_count(statement)
               ? statement->described->parameter_names[parameter]
               : NULL;
}

const char *pistachio_parameter_type(const pistachio_statement *statement, uint32_t parameter)
{
    if (parameter >= pistachio_parameter_count(statement) ||
        statement->described->parameter_types[parameter].id == TYPE_NULL)
        return NULL;
    return statement->parameter_types[parameter];
}

/* ---- values ---- */

static status check_parameter(const pistachio_statement *statement, uint32_t parameter)
{
    uint32_t count = pistachio_parameter_count(statement);
    return parameter < count ? STATUS_OK
                             : status_new(STATUS_KIND_INVALID,
                                          "the statement has %u parameters, of which none has the "
                                          "number %u, counted from 0",
                                          (unsigned)count, (unsigned)parameter);
}

/* A text as long as that a view can hold. */
#define TEXT_BYTES_MAX ((size_t)INT32_MAX)

static status copy_text(const value *v, char **out)
{
    *out = NULL;
    if (v->is_null || (!type_is_text(v->type) && !type_is_nested(v->type)))
        return STATUS_OK;
    if (v->bytes > TEXT_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID, "a parameter of %zu bytes is longer than %zu",
                          v->bytes, TEXT_BYTES_MAX);
    status st = v->type.id != TYPE_BLOB ? sql_check_utf8(v->text, v->bytes, "it") : STATUS_OK;
    if (st) { /* its place is one in the text, not in the statement */
        int64_t at = status_position(st);
        status_free(st);
        return status_new(STATUS_KIND_INVALID,
                          "text of a parameter is not valid UTF-8 from byte %lld on",
                          (long long)at);
    }
    *out = mem_copy_text(v->text, v->bytes);
    return *out ? STATUS_OK : status_no_memory("parameter", v->bytes);
}

status api_bind(pistachio_statement *statement, uint32_t parameter, const value *v)
{
    char *text;
    TRY(check_parameter(statement, parameter));
    TRY(copy_text(v, &text));
    api_bound *bound = &statement->bound[parameter];
    nested_type_hold(v->type);
    free_bound(bound);
    *bound = (api_bound){.is_bound = true, .value = *v, .text = text};
    if (text)
        bound->value.text = text;
    return STATUS_OK;
}

static pistachio_error *bind_value(pistachio_statement *statement, uint32_t parameter, value v)
{
    return statement ? api_error(api_bind(statement, parameter, &v))
                     : api_null_argument("statement");
}

pistachio_error *pistachio_bind_null(pistachio_statement *statement, uint32_t parameter)
{
    return bind_value(statement, parameter, value_null(type_make(TYPE_NULL)));
}

pistachio_error *pistachio_bind_boolean(pistachio_statement *statement, uint32_t parameter,
                                        bool boolean)
{
    return bind_value(statement, parameter, value_bool(boolean));
}

pistachio_error *pistachio_bind_int64(pistachio_statement *statement, uint32_t parameter,
                                      int64_t number)
{
    return bind_value(statement, parameter, value_int(TYPE_INT64, number));
}

pistachio_error *pistachio_bind_double(pistachio_statement *statement, uint32_t parameter,
                                       double number)
{
    return bind_value(statement, parameter, value_double(number));
}

pistachio_error *pistachio_bind_text(pistachio_statement *statement, uint32_t parameter,
                                     const char *text, size_t bytes)
{
    if (!text && bytes)
        return api_null_argument("text");
    return bind_value(statement, parameter, value_text(text ? text : "", bytes));
}

status api_bound_values(const pistachio_statement *statement, value **out)
{
    uint32_t count = pistachio_parameter_count(statement);
    *out = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!statement->bound[i].is_bound) {
            const char *name = pistachio_parameter_name(statement, i);
            return status_hint(
                name ? status_new(STATUS_KIND_INVALID, "parameter $%s has no value", name)
                     : status_new(STATUS_KIND_INVALID, "parameter %u of %u has no value",
                                  (unsigned)i + 1, (unsigned)count),
                "bind one before the statement is executed");
        }
    *out = mem_new_array((size_t)count + 1, sizeof **out);
    if (!*out)
        return status_no_memory("parameters", count * sizeof **out);
    for (uint32_t i = 0; i < count; i++)
        (*out)[i] = statement->bound[i].value;
    return STATUS_OK;
}
