/* adbc_objects.c - GetObjects and GetTableTypes: one catalog and one schema without names, in it the tables
 * and views of the session and its database. */
#include "api/adbc/adbc_objects.h"

#include "api/adbc/adbc_connection.h"
#include "api/adbc/adbc_error.h"
#include "api/session/database.h"
#include "base/type/type.h"

bool adbc_matches(const char *pattern, const char *name)
{
    if (!pattern)
        return true;
    const char *star = NULL, *resume = NULL; /* the last %, and where it goes on */
    for (;;) {
        if (*pattern == '%') {
            star = ++pattern;
            resume = name;
        } else if (*name && (*pattern == '_' || *pattern == *name)) {
            bool is_any = *pattern == '_';
            pattern++;
            name++;
            while (is_any && ((unsigned char)*name & 0xc0) == 0x80) /* the rest of a character */
                name++;
        } else if (!*name && !*pattern) {
            return true;
        } else if (star && *resume) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
}

bool adbc_matches_unnamed(const char *catalog, const char *db_schema)
{
    return adbc_matches(catalog, "") && adbc_matches(db_schema, "");
}

#define FIELDS(list) sizeof(list) / sizeof *(list), list

/* ---- types ---- */

static const char *const types[] = {"table", "view"};

AdbcStatusCode adbc_connection_get_table_types(struct AdbcConnection *connection,
                                               struct ArrowArrayStream *out,
                                               struct AdbcError *error)
{
    static const arrow_build_field fields[] = {{"u", "table_type", true, 0, NULL}};
    pistachio_connection *open;
    arrow_build *build;
    AdbcStatusCode code = adbc_open_connection(connection, &open, error);
    if (code)
        return code;
    status st = arrow_build_new(fields, 1, &build);
    if (st)
        return adbc_fail(error, st);
    for (size_t i = 0; i < 2; i++) {
        arrow_build_text(arrow_build_child(build, 0), types[i]);
        arrow_build_end(build);
    }
    return adbc_fail(error, arrow_build_finish(build, out));
}

/* ---- objects ---- */

static const arrow_build_field name_item[] = {{"u", "item", false, 0, NULL}};
static const arrow_build_field usage_fields[] = {{"u", "fk_catalog", false, 0, NULL},
                                                 {"u", "fk_db_schema", false, 0, NULL},
                                                 {"u", "fk_table", true, 0, NULL},
                                                 {"u", "fk_column_name", true, 0, NULL}};
static const arrow_build_field usage_item[] = {{"+s", "item", false, FIELDS(usage_fields)}};
static const arrow_build_field constraint_fields[] = {
    {"u", "constraint_name", false, 0, NULL},
    {"u", "constraint_type", true, 0, NULL},
    {"+l", "constraint_column_names", true, FIELDS(name_item)},
    {"+l", "constraint_column_usage", false, FIELDS(usage_item)}};
static const arrow_build_field constraint_item[] = {
    {"+s", "item", false, FIELDS(constraint_fields)}};
static const arrow_build_field column_fields[] = {{"u", "column_name", true, 0, NULL},
                                                  {"i", "ordinal_position", false, 0, NULL},
                                                  {"u", "remarks", false, 0, NULL},
                                                  {"s", "xdbc_data_type", false, 0, NULL},
                                                  {"u", "xdbc_type_name", false, 0, NULL},
                                                  {"i", "xdbc_column_size", false, 0, NULL},
                                                  {"s", "xdbc_decimal_digits", false, 0, NULL},
                                                  {"s", "xdbc_num_prec_radix", false, 0, NULL},
                                                  {"s", "xdbc_nullable", false, 0, NULL},
                                                  {"u", "xdbc_column_def", false, 0, NULL},
                                                  {"s", "xdbc_sql_data_type", false, 0, NULL},
                                                  {"s", "xdbc_datetime_sub", false, 0, NULL},
                                                  {"i", "xdbc_char_octet_length", false, 0, NULL},
                                                  {"u", "xdbc_is_nullable", false, 0, NULL},
                                                  {"u", "xdbc_scope_catalog", false, 0, NULL},
                                                  {"u", "xdbc_scope_schema", false, 0, NULL},
                                                  {"u", "xdbc_scope_table", false, 0, NULL},
                                                  {"b", "xdbc_is_autoincrement", false, 0, NULL},
                                                  {"b", "xdbc_is_generatedcolumn", false, 0, NULL}};
enum { NAME = 0, ORDINAL = 1, TYPE_TEXT = 4, NULLABLE = 8, IS_NULLABLE = 13 };
static const arrow_build_field column_item[] = {{"+s", "item", false, FIELDS(column_fields)}};
static const arrow_build_field table_fields[] = {
    {"u", "table_name", true, 0, NULL},
    {"u", "table_type", true, 0, NULL},
    {"+l", "table_columns", false, FIELDS(column_item)},
    {"+l", "table_constraints", false, FIELDS(constraint_item)}};
static const arrow_build_field table_item[] = {{"+s", "item", false, FIELDS(table_fields)}};
static const arrow_build_field schema_fields[] = {
    {"u", "db_schema_name", false, 0, NULL}, {"+l", "db_schema_tables", false, FIELDS(table_item)}};
static const arrow_build_field schema_item[] = {{"+s", "item", false, FIELDS(schema_fields)}};
static const arrow_build_field object_fields[] = {
    {"u", "catalog_name", false, 0, NULL},
    {"+l", "catalog_db_schemas", false, FIELDS(schema_item)}};

/* The objects that are asked for. */
typedef struct objects {
    pistachio_connection *connection;
    int depth;
    const char *catalog, *db_schema, *table, *column;
    const char **table_types;
    arena *memory;
} objects;

static void adbc_objects_add_column(arrow_build *columns, const char *name, const char *type,
                                    int32_t ordinal, bool is_nullable)
{
    arrow_build *item = arrow_build_child(columns, 0);
    for (uint32_t i = 0; i < sizeof column_fields / sizeof *column_fields; i++) {
        arrow_build *field = arrow_build_child(item, i);
        if (i == NAME || i == TYPE_TEXT)
            arrow_build_text(field, i == NAME ? name : type);
        else if (i == ORDINAL)
            arrow_build_int(field, ordinal);
        else if (i == NULLABLE)
            arrow_build_int(field, is_nullable);
        else if (i == IS_NULLABLE)
            arrow_build_text(field, is_nullable ? "YES" : "NO");
        else
            arrow_build_null(field);
    }
    arrow_build_end(item);
}

static void add_table_columns(const objects *o, const pq_table *table, arrow_build *columns)
{
    char type[TYPE_NAME_BYTES];
    for (size_t i = 0; i < table->columns.count; i++) {
        const pq_table_column *column = &table->columns.items[i];
        if (pq_table_nested_name(table, (uint32_t)i))
            continue; /* it cannot be read */
        if (adbc_matches(o->column, column->name))
            adbc_objects_add_column(columns, column->name, type_name(column->type, type),
                                    (int32_t)i + 1, column->is_nullable);
    }
}

/* One whose query fails now has no columns: asked for them, it says why. */
static void add_view_columns(const objects *o, const char *name, arrow_build *columns)
{
    pistachio_statement *statement = NULL;
    char *quoted = adbc_quoted(name, '"'),
         *sql = quoted ? arena_format(o->memory, "SELECT * FROM %s", quoted) : NULL;
    mem_free(quoted);
    if (sql)
        pistachio_error_free(pistachio_prepare(o->connection, sql, NULL, &statement));
    for (uint32_t i = 0; i < pistachio_statement_column_count(statement); i++)
        if (adbc_matches(o->column, pistachio_statement_column_name(statement, i)))
            adbc_objects_add_column(columns, pistachio_statement_column_name(statement, i),
                                    pistachio_statement_column_type(statement, i), (int32_t)i + 1,
                                    true);
    pistachio_statement_free(statement);
}

static bool has_type(const objects *o, const char *type)
{
    for (const char **wanted = o->table_types; wanted && *wanted; wanted++)
        if (!strcmp(*wanted, type))
            return true;
    return !o->table_types || !*o->table_types;
}

static void adbc_objects_add_table(const objects *o, const sql_catalog_entry *entry,
                                   arrow_build *tables)
{
    const char *type = types[entry->view_sql != NULL];
    if (!adbc_matches(o->table, entry->of.table) || !has_type(o, type))
        return;
    arrow_build *item = arrow_build_child(tables, 0), *columns = arrow_build_child(item, 2);
    arrow_build_text(arrow_build_child(item, 0), entry->of.table);
    arrow_build_text(arrow_build_child(item, 1), type);
    if (o->depth != ADBC_OBJECT_DEPTH_ALL) {
        arrow_build_null(columns);
        arrow_build_null(arrow_build_child(item, 3));
    } else {
        if (entry->view_sql)
            add_view_columns(o, entry->name, columns);
        else if (entry->table)
            add_table_columns(o, entry->table, columns);
        arrow_build_end(columns);
        arrow_build_end(arrow_build_child(item, 3)); /* no constraints */
    }
    arrow_build_end(item);
}

static status adbc_objects_add_tables(const objects *o, arrow_build *tables)
{
    sql_catalog_entry *entries;
    size_t count;
    sql_held held = {.memory = o->memory};
    status st = sql_catalog_list(api_catalog(o->connection), o->depth == ADBC_OBJECT_DEPTH_ALL,
                                 &held, &entries, &count);
    for (size_t i = 0; !st && i < count; i++)
        adbc_objects_add_table(o, &entries[i], tables);
    arrow_build_end(tables);
    sql_held_release(&held);
    return st;
}

static status add_schemas(const objects *o, arrow_build *schemas)
{
    arrow_build *item = arrow_build_child(schemas, 0), *tables = arrow_build_child(item, 1);
    if (adbc_matches(o->db_schema, "")) {
        arrow_build_null(arrow_build_child(item, 0));
        if (o->depth == ADBC_OBJECT_DEPTH_DB_SCHEMAS)
            arrow_build_null(tables);
        else
            TRY(adbc_objects_add_tables(o, tables));
        arrow_build_end(item);
    }
    arrow_build_end(schemas);
    return STATUS_OK;
}

static status add_catalogs(const objects *o, arrow_build *build)
{
    arrow_build *schemas = arrow_build_child(build, 1);
    if (!adbc_matches(o->catalog, ""))
        return STATUS_OK;
    arrow_build_null(arrow_build_child(build, 0));
    if (o->depth == ADBC_OBJECT_DEPTH_CATALOGS)
        arrow_build_null(schemas);
    else
        TRY(add_schemas(o, schemas));
    arrow_build_end(build);
    return STATUS_OK;
}

static status make_objects(objects *o, struct ArrowArrayStream *out)
{
    arrow_build *build;
    TRY(arrow_build_new(object_fields, 2, &build));
    status st = arena_new(&o->memory);
    if (!st) {
        st = add_catalogs(o, build);
        arena_free(o->memory);
    }
    status finished = arrow_build_finish(build, out);
    if (st && !finished)
        out->release(out);
    else if (st)
        status_free(finished);
    return st ? st : finished;
}

AdbcStatusCode adbc_connection_get_objects(struct AdbcConnection *connection, int depth,
                                           const char *catalog, const char *db_schema,
                                           const char *table, const char **table_types,
                                           const char *column, struct ArrowArrayStream *out,
                                           struct AdbcError *error)
{
    objects o = {.depth = depth,
                 .catalog = catalog,
                 .db_schema = db_schema,
                 .table = table,
                 .column = column,
                 .table_types = table_types};
    AdbcStatusCode code = adbc_open_connection(connection, &o.connection, error);
    if (code)
        return code;
    if (depth < ADBC_OBJECT_DEPTH_ALL || depth > ADBC_OBJECT_DEPTH_TABLES)
        return adbc_refuse(error, ADBC_STATUS_INVALID_ARGUMENT, "there is no depth %d", depth);
    return adbc_fail(error, make_objects(&o, out));
}
