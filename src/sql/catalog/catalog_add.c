/* catalog_add.c - tables of files and folders, and the schemas that folders become. */
#include "lake/lake.h"
#include "parquet/table/table_listed.h"
#include "sql/catalog/catalog_ahead.h"
#include "sql/catalog/catalog_parts.h"
#include "sql/catalog/path_name.h"
#include "sql/catalog/schema.h"
#include "sql/catalog/store_folder.h"
#include "storage/object_store.h"
#include "storage/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <strings.h>

/* ---- entries; with the lock held ---- */

static status refuse_name(const sql_catalog_entry *old, const char *name, const char *path,
                          bool is_of_folder)
{
    const char *old_path = old->parts.count ? "rows" : old->table ? old->table->name : old->path;
    status st =
        old->view_sql
            ? status_new(STATUS_KIND_INVALID,
                         "there is a view named \"%s\" already, which \"%s\" cannot replace",
                         sql_catalog_table_of(name), path)
            : status_new(STATUS_KIND_INVALID,
                         "there is a table named \"%s\" already, of \"%s\", which \"%s\" "
                         "cannot replace",
                         sql_catalog_table_of(name), old_path, path);
    return is_of_folder
               ? status_hint(st,
                             "give the tables of its folder other names, one by one: --table "
                             "NAME=%s",
                             path)
               : status_hint(st, "give it another name: --table NAME=%s", path);
}

/* Puts a new entry; there must not be one of exactly its name. */
static status put_new(sql_catalog *catalog, const sql_catalog_entry *from, const char *path,
                      bool is_of_folder)
{
    const sql_catalog_entry *old = sql_catalog_find_own(catalog, from->name);
    if (old && !strcmp(old->name, from->name))
        return refuse_name(old, from->name, path, is_of_folder);
    return sql_catalog_put_own(catalog, from);
}

static status catalog_add_table(sql_catalog *catalog, const char *name, const char *path,
                                const sql_held *held)
{
    pq_table *table;
    if (name && !*name)
        return status_new(STATUS_KIND_INVALID, "the name of a table is empty");
    if (!name)
        TRY(sql_path_name(catalog->memory, path, &name));
    TRY(sql_catalog_open_table(catalog, path, held, NULL, &table));
    return put_new(catalog, &(sql_catalog_entry){.name = name, .table = table}, path, false);
}

/* One that is opened when it is first looked up, in the schema. */
static status catalog_add_path(sql_catalog *catalog, const sql_table_name *schema, const char *path)
{
    sql_table_name name = *schema;
    TRY(sql_path_name(catalog->memory, path, &name.table));
    const char *key = sql_table_key(catalog->memory, &name);
    if (!key)
        return status_no_memory("catalog", strlen(path));
    return put_new(catalog, &(sql_catalog_entry){.name = key, .path = path}, path, true);
}

/* Puts what stands for a schema. */
static status catalog_add_put_schema(sql_catalog *catalog, const char *of, const char *schema)
{
    const char *key = sql_table_key(catalog->memory, &(sql_table_name){of, schema, ""});
    return key ? sql_catalog_put_own(catalog, &(sql_catalog_entry){.name = key, .view_sql = ""})
               : status_no_memory("catalog", 0);
}

/* A folder whose files and sub-folders become tables. */
typedef struct table_folder {
    const char *text; /* what its tables' texts begin with */
    const char *path; /* the folder's, behind what the text says before it */
    sql_table_name schema;
    bool has_schemas; /* sub-folders that are not tables become schemas */
    size_t added;
    bool is_table; /* itself: it has folders whose names are pairs */
} table_folder;

static status add_tables_of(sql_catalog *catalog, table_folder *f);

/* Adds the tables of a sub-folder, if it has some, as a schema. */
static status add_sub_schema(sql_catalog *catalog, table_folder *f, const char *text,
                             const char *path, const char *name)
{
    table_folder inner = {.text = text, .path = path, .schema = {f->schema.catalog, name, ""}};
    TRY(add_tables_of(catalog, &inner));
    f->added += inner.added;
    return inner.added ? catalog_add_put_schema(catalog, f->schema.catalog, name) : STATUS_OK;
}

static status add_item(sql_catalog *catalog, table_folder *f, const char *name)
{
    char *inner = arena_format(catalog->memory, "%s/%s", f->path, name);
    char *made = arena_format(catalog->memory, "%s/%s", f->text, name);
    if (!inner || !made)
        return status_no_memory("catalog", strlen(f->path));
    bool is_folder = file_is_folder(inner);
    if (is_folder && !sql_is_table_folder(inner))
        return f->has_schemas ? add_sub_schema(catalog, f, made, inner, name) : STATUS_OK;
    if (!is_folder && !sql_is_parquet_name(name))
        return STATUS_OK;
    if (is_folder && sql_is_pair(name)) {
        f->is_table = true;
        return STATUS_OK;
    }
    f->added++;
    return catalog_add_path(catalog, &f->schema, made);
}

/* Adds the tables of a folder, which may be without any. */
static status add_tables_of(sql_catalog *catalog, table_folder *f)
{
    DIR *folder = opendir(f->path);
    status st = STATUS_OK;
    if (!folder)
        return status_new_errno(errno, "could not open folder \"%s\"", f->path);
    for (struct dirent *item; !st && (item = readdir(folder));)
        if (item->d_name[0] != '.')
            st = add_item(catalog, f, item->d_name);
    closedir(folder);
    if (!st && f->is_table) {
        f->added++;
        st = catalog_add_path(catalog, &f->schema, f->text);
    }
    return st;
}

/* Adds the tables of a folder of a store, if lakes are among them. */
static status add_store_tables(sql_catalog *catalog, table_folder *f)
{
    path_list names;
    size_t bytes = strlen(f->text);
    while (bytes && f->text[bytes - 1] == '/')
        bytes--;
    TRY(sql_store_tables(catalog->memory, f->path, &names));
    for (size_t i = 0; i < names.count; i++) {
        const char *made =
            arena_format(catalog->memory, "%.*s/%s", (int)bytes, f->text, names.items[i]);
        if (!made)
            return status_no_memory("catalog", bytes);
        TRY(catalog_add_path(catalog, &f->schema, made));
        f->added++;
    }
    return STATUS_OK;
}

/* Returns whether a URL may be of a folder of tables, not of an object or pattern. Web servers list nothing. */
static bool may_be_store_folder(const char *path)
{
    return strncasecmp(path, "http", 4) != 0 && !file_name_is_parquet(path) &&
           !file_name_has_wildcard(path, strlen(path));
}

/* Adds them or, on failure, none. f->added is 0: the folder is one table, or none. */
static status add_store_folder(sql_catalog *catalog, table_folder *f)
{
    size_t count_before = catalog->entries.count;
    const char *path = f->path;
    if (!object_store_has(path) || !may_be_store_folder(path) || lake_kind_of_folder(path))
        return STATUS_OK;
    status st = add_store_tables(catalog, f);
    if (st)
        catalog->entries.count = count_before;
    return st;
}

/* Adds all tables of a folder or, on failure, none. */
static status add_folder(sql_catalog *catalog, table_folder *f)
{
    size_t count_before = catalog->entries.count;
    status st = add_tables_of(catalog, f);
    if (!st && !f->added)
        st = status_hint(
            status_new(STATUS_KIND_NOT_FOUND, "folder \"%s\" has no Parquet files", f->path),
            "tables are made of files whose names end in .parquet");
    if (st)
        catalog->entries.count = count_before;
    return st;
}

/* ---- the interface ---- */

static status add_table_held(sql_catalog *catalog, const char *name, const char *path,
                             const sql_held *held)
{
    mutex_lock(&catalog->lock);
    status st = catalog_add_table(catalog, name, path, held);
    mutex_unlock(&catalog->lock);
    return st;
}

status sql_catalog_add_table(sql_catalog *catalog, const char *name, const char *path)
{
    const sql_held none = {0};
    return add_table_held(catalog, name, path, &none);
}

static status catalog_locate(sql_catalog *catalog, const char *text, const char **out)
{
    const sql_opener *opener = &catalog->opener;
    *out = pq_table_spec_path(text);
    return opener->locate ? opener->locate(opener->context, catalog->memory, *out, out) : STATUS_OK;
}

static bool is_folder_of_tables(const char *path)
{
    return file_is_folder(path) && !lake_kind_of_folder(path);
}

static status add_path_held(sql_catalog *catalog, const char *path, const sql_held *held)
{
    const char *here;
    mutex_lock(&catalog->lock);
    status st = catalog_locate(catalog, path, &here);
    table_folder f = {.text = path, .path = here, .schema = {SQL_CATALOG, SQL_SCHEMA, ""}};
    if (!st)
        st = add_store_folder(catalog, &f);
    if (!st && !f.added)
        st = is_folder_of_tables(here) ? add_folder(catalog, &f)
                                       : catalog_add_table(catalog, NULL, path, held);
    mutex_unlock(&catalog->lock);
    return st;
}

status sql_catalog_add_path(sql_catalog *catalog, const char *path)
{
    const sql_held none = {0};
    return add_path_held(catalog, path, &none);
}

/* ---- several tables ---- */

static status add_tables(sql_catalog *catalog, const sql_table_path *tables, size_t count,
                         sql_held *held)
{
    for (size_t i = 0; i < count; i++)
        if (!tables[i].is_whole || !may_be_store_folder(tables[i].path))
            TRY(sql_ahead_text(catalog, tables[i].path, held));
    sql_ahead_open(held);
    for (size_t i = 0; i < count; i++)
        TRY(tables[i].is_whole ? add_path_held(catalog, tables[i].path, held)
                               : add_table_held(catalog, tables[i].name, tables[i].path, held));
    return STATUS_OK;
}

status sql_catalog_add_tables(sql_catalog *catalog, const sql_table_path *tables, size_t count)
{
    sql_held held = {0};
    TRY(arena_new(&held.memory));
    status st = add_tables(catalog, tables, count, &held);
    sql_held_release(&held);
    arena_free(held.memory);
    return st;
}

/* ---- ATTACH ---- */

static status catalog_add_attach(sql_catalog *catalog, const char *name, const char *path)
{
    arena *a = catalog->memory;
    const char *here;
    const sql_held none = {0};
    TRY(catalog_locate(catalog, path, &here));
    table_folder f = {
        .text = path, .path = here, .schema = {name, SQL_SCHEMA, ""}, .has_schemas = true};
    TRY(add_store_folder(catalog, &f));
    if (f.added)
        return catalog_add_put_schema(catalog, name, SQL_SCHEMA);
    if (is_folder_of_tables(here)) {
        TRY(add_folder(catalog, &f));
        return catalog_add_put_schema(catalog, name, SQL_SCHEMA);
    }
    sql_table_name table = f.schema;
    TRY(sql_path_name(a, path, &table.table));
    const char *key = sql_table_key(a, &table);
    if (!key)
        return status_no_memory("catalog", strlen(path));
    TRY(catalog_add_table(catalog, key, path, &none));
    return catalog_add_put_schema(catalog, name, SQL_SCHEMA);
}

status sql_catalog_attach(sql_catalog *catalog, const char *name, const char *path)
{
    mutex_lock(&catalog->lock);
    status st = catalog_add_attach(catalog, name, path);
    mutex_unlock(&catalog->lock);
    return st;
}
