/* catalog_remote.c - catalogs behind servers: their schemas and tables become entries when they are listed or looked up.
 *
 * A table's entry has a path as lake/lake.h says, "rest:catalog/namespace/table". */
#include "sql/catalog/catalog_remote.h"

#include "lake/lake_rest.h"
#include "sql/catalog/catalog_parts.h"
#include "sql/catalog/schema.h"

#include <stdlib.h>
#include <strings.h>

#define NAMES_MAX 100000

static const sql_remote *remote_named(const sql_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->remotes.count; i++)
        if (!strcasecmp(catalog->remotes.items[i].name, name))
            return &catalog->remotes.items[i];
    return NULL;
}

static bool remote_name_of(arena *a, const char *text, lake_rest_name *out)
{
    bool is_one = false;
    status_free(lake_rest_name_of(a, text, out, &is_one));
    return is_one && out->table;
}

bool sql_remote_has(const sql_catalog *catalog, const char *text)
{
    arena *scratch;
    lake_rest_name name;
    if (strncmp(text, "rest:", 5) && strncmp(text, "rest(", 5))
        return false;
    if (!catalog)
        return true;
    status st = arena_new(&scratch);
    bool has = !st && remote_name_of(scratch, text, &name) && remote_named(catalog, name.catalog);
    if (!st)
        arena_free(scratch);
    status_free(st);
    return has;
}

static status open_table(sql_catalog *catalog, arena *a, const char *text, pq_table *before,
                         pq_table **out)
{
    lake_rest_name name;
    bool is_one;
    TRY(lake_rest_name_of(a, text, &name, &is_one));
    const sql_remote *remote = is_one ? remote_named(catalog, name.catalog) : NULL;
    if (!remote)
        return status_hint(
            status_new(STATUS_KIND_NOT_FOUND, "\"%s\" is of a catalog that is not attached", text),
            "ATTACH 'https://...' AS name (TYPE iceberg)");
    return lake_open_rest(remote->rest, &name, text, !catalog->reads_anew, before, out);
}

status sql_remote_open(sql_catalog *catalog, const char *text, pq_table *before, pq_table **out)
{
    arena *scratch;
    *out = NULL;
    TRY(arena_new(&scratch));
    status st = open_table(catalog, scratch, text, before, out);
    arena_free(scratch);
    return st;
}

void sql_remote_close(sql_catalog *catalog, const char *name)
{
    arena *scratch;
    sql_table_name of = {0};
    status st = arena_new(&scratch);
    for (size_t i = catalog->remotes.count; !st && i-- > 0;) {
        sql_remote *r = &catalog->remotes.items[i];
        of.catalog = r->name;
        const char *key = name ? sql_table_key(scratch, &of) : NULL;
        if (name && (!key || strcmp(key, name) != 0))
            continue;
        rest_catalog_close(r->rest);
        *r = catalog->remotes.items[--catalog->remotes.count];
    }
    if (!st)
        arena_free(scratch);
    status_free(st);
}

/* ---- looking up ---- */

static status put_found(sql_catalog *catalog, const sql_remote *remote, const sql_table_name *of,
                        sql_catalog_entry **out)
{
    arena *a = catalog->memory;
    const sql_table_name own = {remote->name, of->schema, of->table};
    const lake_rest_name rest = {remote->name, of->schema, of->table};
    sql_catalog_entry entry = {.name = sql_table_key(a, &own)};
    if (*of->table)
        entry.path = lake_rest_text(a, &rest);
    else
        entry.view_sql = "";
    if (!entry.name || (*of->table && !entry.path))
        return status_no_memory("catalog", strlen(of->table));
    TRY(sql_catalog_put_own(catalog, &entry));
    *out = sql_catalog_find_own(catalog, entry.name);
    return STATUS_OK;
}

/* Finds out whether the server has the namespace; a table is asked for when it is opened. */
static status look(const sql_remote *remote, const sql_table_name *of, bool *out_has)
{
    *out_has = true;
    if (*of->table)
        return STATUS_OK;
    status st = rest_find_namespace(remote->rest, of->schema);
    *out_has = !st;
    if (status_get_kind(st) != STATUS_KIND_NOT_FOUND)
        return st;
    status_free(st);
    return STATUS_OK;
}

status sql_remote_find(sql_catalog *catalog, const char *key, sql_catalog_entry **out)
{
    arena *scratch;
    sql_table_name of;
    bool has = false;
    *out = NULL;
    if (!catalog->remotes.count)
        return STATUS_OK;
    TRY(arena_new(&scratch));
    status st = sql_table_name_of(scratch, key, &of);
    const sql_remote *remote = st ? NULL : remote_named(catalog, of.catalog);
    if (remote && *of.schema)
        st = look(remote, &of, &has);
    if (!st && has)
        st = put_found(catalog, remote, &of, out);
    arena_free(scratch);
    return st;
}

/* ---- listings ---- */

typedef struct listed_name {
    const char *key, *path; /* path NULL: a schema */
    bool is_known;
} listed_name;

typedef struct remote_listing {
    arena *memory;
    const sql_remote *remote;
    const char *space; /* whose tables are listed */
    ARRAY(const char *) spaces;
    ARRAY(listed_name) names;
} remote_listing;

static status add_name(remote_listing *l, const char *space, const char *table)
{
    const sql_table_name of = {l->remote->name, space, table};
    const lake_rest_name rest = {l->remote->name, space, table};
    listed_name made = {.key = sql_table_key(l->memory, &of),
                        .path = *table ? lake_rest_text(l->memory, &rest) : NULL};
    if (!made.key || (*table && !made.path))
        return status_no_memory("catalog", strlen(table));
    if (l->names.count == NAMES_MAX)
        return status_new(STATUS_KIND_LIMIT, "catalog \"%s\" has more than %d names",
                          l->remote->name, NAMES_MAX);
    return array_push(l->memory, &l->names, made);
}

static status take_space(void *context, const char *name)
{
    remote_listing *l = context;
    const char *copy = arena_copy_text(l->memory, name, strlen(name));
    if (!copy)
        return status_no_memory("catalog", strlen(name));
    TRY(array_push(l->memory, &l->spaces, copy));
    return add_name(l, copy, "");
}

static status take_table(void *context, const char *name)
{
    remote_listing *l = context;
    return add_name(l, l->space, name);
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(((const listed_name *)left)->key, ((const listed_name *)right)->key);
}

/* Removes tables and schemas that are not listed any more, and marks those that are entries already. */
static void keep_listed(sql_catalog *catalog, remote_listing *l)
{
    for (size_t i = catalog->entries.count; i-- > 0;) {
        const sql_catalog_entry *e = catalog->entries.items[i];
        listed_name wanted = {.key = e->name};
        if (strcmp(e->of.catalog, l->remote->name) != 0 || !strcmp(e->of.schema, SQL_SCHEMA))
            continue;
        listed_name *found = l->names.count ? bsearch(&wanted, l->names.items, l->names.count,
                                                      sizeof wanted, compare_keys)
                                            : NULL;
        if (found)
            found->is_known = true;
        else
            sql_catalog_remove_own(catalog, e);
    }
}

static status list_remote(sql_catalog *catalog, remote_listing *l)
{
    TRY(rest_list_namespaces(l->remote->rest, take_space, l));
    for (size_t i = 0; i < l->spaces.count; i++) {
        l->space = l->spaces.items[i];
        TRY(rest_list_tables(l->remote->rest, l->space, take_table, l));
    }
    if (l->names.count)
        qsort(l->names.items, l->names.count, sizeof *l->names.items, compare_keys);
    keep_listed(catalog, l);
    for (size_t i = 0; i < l->names.count; i++) {
        const listed_name *n = &l->names.items[i];
        if (!n->is_known && (!i || strcmp(n->key, n[-1].key) != 0))
            TRY(sql_catalog_add_own(
                catalog, &(sql_catalog_entry){
                             .name = n->key, .path = n->path, .view_sql = n->path ? NULL : ""}));
    }
    return STATUS_OK;
}

static status list_one(sql_catalog *catalog, const sql_remote *remote)
{
    remote_listing l = {.remote = remote};
    TRY(arena_new(&l.memory));
    status st = list_remote(catalog, &l);
    arena_free(l.memory);
    return st;
}

status sql_remote_list(sql_catalog *catalog)
{
    status st = STATUS_OK;
    for (size_t i = 0; i < catalog->remotes.count && !st; i++)
        st = list_one(catalog, &catalog->remotes.items[i]);
    return st;
}

/* ---- ATTACH ---- */

static status attach_rest(sql_catalog *catalog, const char *name, const rest_options *options)
{
    sql_remote made = {.name = arena_copy_text(catalog->memory, name, strlen(name))};
    const sql_table_name first = {name, SQL_SCHEMA, ""};
    const char *key = sql_table_key(catalog->memory, &first);
    if (!made.name || !key)
        return status_no_memory("catalog", strlen(name));
    TRY(array_reserve(catalog->memory, &catalog->remotes, 1));
    TRY(rest_catalog_open(name, options, &made.rest));
    status st = list_one(catalog, &made);
    if (!st)
        st = sql_catalog_put_own(catalog, &(sql_catalog_entry){.name = key, .view_sql = ""});
    if (st)
        rest_catalog_close(made.rest);
    else
        catalog->remotes.items[catalog->remotes.count++] = made;
    return st;
}

status sql_catalog_attach_rest(sql_catalog *catalog, const char *name,
                               const struct rest_options *options)
{
    mutex_lock(&catalog->lock);
    status st = attach_rest(catalog, name, options);
    mutex_unlock(&catalog->lock);
    return st;
}
