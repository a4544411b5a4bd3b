/* bind_schema.c - see bind_schema.h. */
#include "sql/statement/bind_schema.h"

#include "sql/statement/bind_attach.h"

#include <strings.h>

/* ---- schemas by name ---- */

static status bind_schema_no_such(const binder *b, const char *of, const char *schema,
                                  int32_t location)
{
    return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                  "schema \"%s%s%s\" does not exist", of ? of : "", of ? "." : "",
                                  schema),
                       "SHOW SCHEMAS lists the schemas; CREATE SCHEMA and ATTACH make one");
}

static status find_schema(binder *b, const char *of, const char *schema, int32_t location,
                          sql_table_name *out)
{
    bool is_found;
    TRY(sql_schema_named(b->catalog, b->memory, &b->path, of, schema, out, &is_found));
    return is_found ? STATUS_OK : bind_schema_no_such(b, of, schema, location);
}

static status check_not_system(const binder *b, const char *name, int32_t location)
{
    static const char *const names[] = {SQL_CATALOG,  "memory",   "temp",
                                        "system",     SQL_SCHEMA, "public",
                                        "pg_catalog", "pg_temp",  "information_schema"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(names[i], name))
            return bind_error(b, STATUS_KIND_INVALID, location,
                              "\"%s\" is one of the system's own names", name);
    return *name ? STATUS_OK
                 : bind_error(b, STATUS_KIND_INVALID, location, "the name of a schema is empty");
}

/* ---- CREATE SCHEMA, DROP SCHEMA ---- */

/* Returns the catalog that a schema without one is made in. */
static const char *catalog_of(const binder *b, const RangeVar *range)
{
    return range->schemaname ? range->schemaname : sql_search_path_first(&b->path).catalog;
}

/* Fails unless there is a catalog of that name. */
static status check_catalog(binder *b, const char *name, int32_t location)
{
    sql_table_name found;
    bool is_found;
    TRY(sql_schema_find(b->catalog, b->memory, name, SQL_SCHEMA, &found, &is_found));
    return is_found ? STATUS_OK
                    : status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, location,
                                             "catalog \"%s\" does not exist", name),
                                  "ATTACH makes one of a folder");
}

status bind_create_schema(binder *b, const SchemaStmt *tree, sql_statement *out)
{
    const RangeVar *range = tree->name;
    sql_table_name found;
    bool is_found;
    out->kind = SQL_CREATE_SCHEMA;
    out->tag = "CREATE SCHEMA";
    out->schema = (sql_table_name){catalog_of(b, range), range->relname, ""};
    TRY(check_catalog(b, out->schema.catalog, range->location));
    TRY(sql_schema_find(b->catalog, b->memory, out->schema.catalog, range->relname, &found,
                        &is_found));
    out->is_there = is_found && tree->if_not_exists;
    if (is_found && !out->is_there)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, range->location,
                                      "there is a schema named \"%s\" already", found.schema),
                           "CREATE SCHEMA IF NOT EXISTS leaves it as it is");
    return is_found ? STATUS_OK : check_not_system(b, range->relname, range->location);
}

/* Fails if a table or view is in the schema. */
static status check_is_empty(binder *b, const sql_table_name *schema, int32_t location)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list(b->catalog, false, b->held, &entries, &count));
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entries[i].of.catalog, schema->catalog) &&
            !strcmp(entries[i].of.schema, schema->schema))
            return status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                          "schema \"%s\" is not empty: \"%s\" is in it",
                                          schema->schema, entries[i].of.table),
                               "DROP SCHEMA ... CASCADE drops what is in it, too");
    return STATUS_OK;
}

/* Fails if names without a schema are looked for in what is to be dropped. */
static status check_not_used(const binder *b, const sql_table_name *dropped, int32_t location)
{
    const sql_table_name first = sql_search_path_first(&b->path);
    bool is_used = !strcmp(first.catalog, dropped->catalog) &&
                   (!dropped->schema || !strcmp(first.schema, dropped->schema));
    return is_used ? status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                            "\"%s\" is what USE or search_path names",
                                            dropped->schema ? dropped->schema : dropped->catalog),
                                 "USE main first")
                   : STATUS_OK;
}

status bind_drop_schema(binder *b, const DropStmt *tree, sql_statement *out)
{
    int32_t location = b->text->start;
    const List *name = castNode(List, list_nth(tree->objects, 0));
    size_t parts = list_length(name);
    const char *of = parts > 1 ? strVal(list_nth(name, parts - 2)) : NULL;
    const char *schema = strVal(list_nth(name, parts - 1));
    bool is_found;
    out->kind = SQL_DROP_SCHEMA;
    out->tag = "DROP SCHEMA";
    if (list_length(tree->objects) != 1 || parts > 2)
        return bind_unsupported(b, location, "DROP SCHEMA of several at once is");
    const char *in = of ? of : sql_search_path_first(&b->path).catalog;
    TRY(sql_schema_find(b->catalog, b->memory, in, schema, &out->schema, &is_found));
    out->is_there = !is_found; /* nothing is to be done */
    if (!is_found)
        return tree->missing_ok ? STATUS_OK : bind_schema_no_such(b, of, schema, location);
    if (!strcmp(out->schema.schema, SQL_SCHEMA))
        return status_hint(bind_error(b, STATUS_KIND_INVALID, location,
                                      "a catalog's first schema cannot be dropped"),
                           "DETACH takes a catalog away that ATTACH has made");
    out->cascades = tree->behavior == DROP_CASCADE;
    if (!out->cascades)
        TRY(check_is_empty(b, &out->schema, location));
    return check_not_used(b, &out->schema, location);
}

/* ---- ATTACH, DETACH, USE ---- */

static status bind_detach(binder *b, const AttachStmt *tree, sql_statement *out)
{
    bool is_found;
    out->kind = SQL_DROP_SCHEMA;
    out->tag = "DETACH";
    TRY(sql_schema_find(b->catalog, b->memory, tree->name, SQL_SCHEMA, &out->schema, &is_found));
    out->is_there = !is_found;
    if (!is_found && tree->if_exists)
        return STATUS_OK;
    if (!is_found)
        return bind_error(b, STATUS_KIND_NOT_FOUND, tree->location, "catalog \"%s\" does not exist",
                          tree->name);
    if (!strcmp(out->schema.catalog, SQL_CATALOG))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "the database's own catalog cannot be detached");
    out->schema.schema = out->schema.table = NULL;
    return check_not_used(b, &out->schema, tree->location);
}

/* Names the catalog after the folder or file, without what follows the dot. */
static status name_of_attached(binder *b, const AttachStmt *tree, const char **out)
{
    size_t end = strlen(tree->path), start;
    while (end > 1 && tree->path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && tree->path[start - 1] != '/'; start--) {
    }
    const char *name = arena_copy_text(b->memory, tree->path + start, end - start);
    const char *dot = name ? strchr(name, '.') : NULL;
    *out = dot && dot > name ? arena_copy_text(b->memory, name, (size_t)(dot - name)) : name;
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_attach(binder *b, const AttachStmt *tree, sql_statement *out)
{
    sql_table_name found;
    bool is_found;
    if (!tree->path)
        return bind_detach(b, tree, out);
    TRY(bind_check_access(b, tree->location, "ATTACH"));
    out->kind = SQL_ATTACH;
    out->tag = "ATTACH";
    out->name = tree->name;
    out->text = tree->path;
    TRY(bind_attach_options(b, tree, out));
    if (!out->name)
        TRY(name_of_attached(b, tree, &out->name));
    TRY(check_not_system(b, out->name, tree->location));
    TRY(sql_schema_find(b->catalog, b->memory, out->name, SQL_SCHEMA, &found, &is_found));
    out->is_there = is_found && tree->if_not_exists;
    if (is_found && !out->is_there)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "there is a catalog named \"%s\" already", found.catalog),
                           "ATTACH 'path' AS name gives it another name");
    return STATUS_OK;
}

status bind_use(binder *b, const UseStmt *tree, sql_statement *out)
{
    const RangeVar *range = tree->name;
    sql_table_name schema;
    out->kind = SQL_SET;
    out->tag = "USE";
    out->name = "search_path";
    if (range->catalogname)
        return bind_error(b, STATUS_KIND_INVALID, range->location,
                          "USE takes a schema, a catalog or catalog.schema");
    bool is_own = !range->schemaname && (!strcasecmp(range->relname, SQL_CATALOG) ||
                                         !strcasecmp(range->relname, "memory"));
    TRY(find_schema(b, is_own ? range->relname : range->schemaname,
                    is_own ? SQL_SCHEMA : range->relname, range->location, &schema));
    out->text = sql_search_path_text(b->memory, &schema);
    return out->text ? STATUS_OK : bind_no_memory();
}

status bind_set_search_path(binder *b, const List *values, int32_t location, const char **out)
{
    sql_search_path path;
    const char *text = "", *unknown = NULL;
    for (size_t i = 0; i < list_length(values); i++) {
        const pg_node *node = list_nth(values, i);
        const A_Const *c = IsA(node, A_Const) ? castNode(A_Const, node) : NULL;
        if (!c || nodeTag(&c->val) != T_String)
            return bind_unsupported(b, bind_location(node), "a value of this kind is");
        bool is_quoted = list_length(values) > 1 && strpbrk(c->val.sval.sval, ",. \"'");
        text = arena_format(b->memory, is_quoted ? "%s%s\"%s\"" : "%s%s%s", text, i ? "," : "",
                            c->val.sval.sval);
        if (!text)
            return bind_no_memory();
    }
    TRY(sql_search_path_read(b->catalog, b->memory, text, &path, &unknown));
    *out = text;
    return unknown ? bind_schema_no_such(b, NULL, unknown, location) : STATUS_OK;
}

/* ---- names of tables ---- */

static status key_in(binder *b, const sql_table_name *schema, const char *table, const char **out)
{
    *out = sql_table_key(b->memory, &(sql_table_name){schema->catalog, schema->schema, table});
    return *out ? STATUS_OK : bind_no_memory();
}

status bind_new_key(binder *b, const RangeVar *range, const char **out)
{
    sql_table_name schema = sql_search_path_first(&b->path);
    if (!*range->relname)
        return bind_error(b, STATUS_KIND_INVALID, range->location, "the name of a table is empty");
    if (range->relpersistence == RELPERSISTENCE_TEMP && !range->schemaname)
        schema = (sql_table_name){SQL_CATALOG, SQL_SCHEMA, NULL};
    else if (range->schemaname)
        TRY(find_schema(b, range->catalogname, range->schemaname, range->location, &schema));
    return key_in(b, &schema, range->relname, out);
}

status bind_dropped_key(binder *b, const List *name, int32_t location, const char **out)
{
    size_t parts = list_length(name);
    const sql_table_name of = {.table = strVal(list_nth(name, parts - 1)),
                               .schema = parts > 1 ? strVal(list_nth(name, parts - 2)) : NULL,
                               .catalog = parts > 2 ? strVal(list_nth(name, parts - 3)) : NULL};
    sql_table_name schema = sql_search_path_first(&b->path);
    const sql_catalog_entry *entry;
    bool is_found = true;
    if (of.schema)
        TRY(sql_schema_named(b->catalog, b->memory, &b->path, of.catalog, of.schema, &schema,
                             &is_found));
    if (!is_found)
        return bind_schema_no_such(b, of.catalog, of.schema, location);
    status_free(sql_search(b->catalog, b->memory, &b->path, &of, b->held, &entry));
    if (entry)
        schema = entry->of;
    return key_in(b, &schema, of.table, out);
}

/* Binds ALTER SCHEMA ... RENAME TO: the statement's name and text become what keys in the schema begin with. */
static status bind_rename_schema(binder *b, const RenameStmt *tree, sql_statement *out)
{
    const RangeVar *range = tree->relation;
    sql_table_name schema, other;
    bool is_found;
    out->tag = "ALTER SCHEMA";
    TRY(find_schema(b, range->schemaname, range->relname, range->location, &schema));
    if (!strcmp(schema.schema, SQL_SCHEMA))
        return bind_error(b, STATUS_KIND_INVALID, range->location,
                          "a catalog's first schema keeps its name");
    TRY(check_not_used(b, &schema, range->location));
    TRY(check_not_system(b, tree->newname, range->location));
    TRY(sql_schema_find(b->catalog, b->memory, schema.catalog, tree->newname, &other, &is_found));
    if (is_found)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, range->location,
                                      "there is a schema named \"%s\" already", other.schema),
                           "DROP SCHEMA drops it");
    out->name = sql_table_key(b->memory, &(sql_table_name){schema.catalog, schema.schema, ""});
    out->text = sql_table_key(b->memory, &(sql_table_name){schema.catalog, tree->newname, ""});
    return out->name && out->text ? STATUS_OK : bind_no_memory();
}

status bind_rename(binder *b, const RenameStmt *tree, sql_statement *out)
{
    const RangeVar *range = tree->relation;
    const sql_table_name name = {range->catalogname, range->schemaname, range->relname};
    const sql_catalog_entry *entry;
    out->kind = SQL_RENAME;
    out->tag = tree->is_view ? "ALTER VIEW" : "ALTER TABLE";
    out->if_exists = tree->missing_ok;
    if (tree->is_schema)
        return bind_rename_schema(b, tree, out);
    if (!*tree->newname)
        return bind_error(b, STATUS_KIND_INVALID, range->location, "the name of a table is empty");
    TRY(sql_search(b->catalog, b->memory, &b->path, &name, b->held, &entry));
    out->is_there = !entry && tree->missing_ok; /* nothing is to be done */
    if (!entry)
        return tree->missing_ok ? STATUS_OK
                                : bind_error(b, STATUS_KIND_NOT_FOUND, range->location,
                                             "table \"%s\" does not exist", range->relname);
    TRY(key_in(b, &entry->of, entry->of.table, &out->name));
    return key_in(b, &entry->of, tree->newname, &out->text);
}

/* ---- SHOW ---- */

#define SHOWN_SCHEMA "CASE table_schema WHEN 'public' THEN 'main' ELSE table_schema END"

static const char *bind_schema_query_of(const char *name)
{
    if (!strcasecmp(name, "all tables"))
        return "SELECT table_catalog AS database, " SHOWN_SCHEMA " AS schema, table_name AS name, "
               "'[' || string_agg(column_name, ', ' ORDER BY ordinal_position) || ']' AS "
               "column_names, "
               "'[' || string_agg(data_type, ', ' ORDER BY ordinal_position) || ']' AS "
               "column_types, "
               "false AS temporary FROM information_schema.tables LEFT JOIN "
               "information_schema.columns USING (table_catalog, table_schema, table_name) "
               "GROUP BY ALL ORDER BY 1, 2, 3";
    if (!strcasecmp(name, "schemas"))
        return "SELECT catalog_name AS database_name, CASE schema_name WHEN 'public' THEN 'main' "
               "ELSE schema_name END AS schema_name FROM information_schema.schemata "
               "WHERE schema_name NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2";
    if (!strcasecmp(name, "databases"))
        return "SELECT DISTINCT catalog_name AS database_name FROM information_schema.schemata "
               "ORDER BY 1";
    return NULL;
}

status bind_show_schema(binder *b, const VariableShowStmt *tree, sql_statement *out,
                        const char **out_sql)
{
    *out_sql = tree->of ? NULL : bind_schema_query_of(tree->name);
    if (*out_sql)
        return STATUS_OK;
    out->kind = SQL_SHOW_TABLES;
    out->schema = sql_search_path_first(&b->path);
    if (!tree->of)
        return STATUS_OK;
    const RangeVar *of = tree->of;
    return find_schema(b, of->schemaname, of->relname, of->location, &out->schema);
}
