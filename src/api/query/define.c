/* define.c - see define.h. */
#include "api/query/define.h"

#include "api/session/database.h"
#include "sql/catalog/schema.h"

/* Returns in *out what the statement does to a catalog; false: nothing. */
static bool definition_of(const sql_statement *s, sql_definition *out)
{
    static const sql_definition_kind kinds[] = {
        [SQL_CREATE_VIEW] = SQL_DEFINE_VIEW,     [SQL_DROP_VIEW] = SQL_DEFINE_DROP_VIEW,
        [SQL_DROP_TABLE] = SQL_DEFINE_DROP_ROWS, [SQL_RENAME] = SQL_DEFINE_RENAME,
        [SQL_CREATE_SCHEMA] = SQL_DEFINE_SCHEMA, [SQL_DROP_SCHEMA] = SQL_DEFINE_DROP_SCHEMA};
    *out = (sql_definition){.kind = kinds[s->kind],
                            .name = s->name,
                            .text = s->text,
                            .uses = s->uses,
                            .replaces = s->replace,
                            .if_exists = s->if_exists,
                            .cascades = s->cascades};
    return !s->is_there;
}

/* Returns whether the statement is for the session alone: a prepared statement or variable, what is called temporary, or an
 * entry that the session has. */
static bool is_own(const pistachio_connection *connection, const sql_statement *s,
                   const sql_definition *d)
{
    bool makes = d->kind == SQL_DEFINE_VIEW || d->kind == SQL_DEFINE_SCHEMA;
    if (!connection->define || s->is_temporary || sql_catalog_is_session_name(d->name))
        return true;
    return !makes && sql_catalog_has_own(connection->catalog, d->name);
}

/* Gives a schema's key to the definition: of one that is dropped, what keys in it begin with. */
static status name_schema(const sql_statement *s, sql_definition *d)
{
    if (d->kind != SQL_DEFINE_SCHEMA && d->kind != SQL_DEFINE_DROP_SCHEMA)
        return STATUS_OK;
    const sql_table_name schema = {s->schema.catalog, s->schema.schema, ""};
    d->name = sql_table_key(s->query.memory, &schema);
    return d->name ? STATUS_OK : status_no_memory("schema", 0);
}

status api_define(pistachio_result *result)
{
    const sql_statement *s = result->statement;
    pistachio_connection *connection = result->connection;
    sql_definition d;
    if (!definition_of(s, &d))
        return STATUS_OK;
    TRY(name_schema(s, &d));
    if (is_own(connection, s, &d))
        return sql_catalog_define(api_catalog(connection), &d);
    return connection->define(connection->define_context, &d);
}
