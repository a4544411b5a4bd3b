/* catalog.c - tables and views by name, and tables by path. */
#include "sql/catalog/catalog.h"

#include "base/system/mutex.h"
#include "lake/lake.h"
#include "parquet/table/table_listed.h"
#include "sql/catalog/catalog_ahead.h"
#include "sql/catalog/catalog_parts.h"
#include "sql/catalog/catalog_remote.h"
#include "sql/catalog/schema.h"
#include "storage/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

status sql_catalog_new(sql_catalog **out)
{
    *out = NULL;
    sql_catalog *catalog = mem_new(sizeof *catalog);
    if (!catalog)
        return status_no_memory("catalog", sizeof *catalog);
    status st = arena_new(&catalog->memory);
    if (st) {
        mem_free(catalog);
        return st;
    }
    mutex_init(&catalog->lock);
    *out = catalog;
    return STATUS_OK;
}

void sql_catalog_use_activity(sql_catalog *catalog, const sql_activity *activity)
{
    catalog->activity = *activity;
}

sql_activity sql_catalog_activity(const sql_catalog *catalog)
{
    while (!catalog->activity.list && catalog->below)
        catalog = catalog->below;
    return catalog->activity;
}

status sql_catalog_new_over(sql_catalog *below, sql_catalog **out)
{
    TRY(sql_catalog_new(out));
    (*out)->below = below;
    (*out)->reads_anew = below->reads_anew;
    (*out)->opener = below->opener;
    return STATUS_OK;
}

void sql_catalog_use_opener(sql_catalog *catalog, const sql_opener *opener)
{
    catalog->opener = *opener;
}

void sql_catalog_cache_footers(sql_catalog *catalog, bool use_cache)
{
    atomic_store_explicit(&catalog->reads_anew, !use_cache, memory_order_relaxed);
}

static void drop_parts(sql_part_list *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        sql_part_unref(parts->items[i]);
    array_release(parts);
}

void sql_catalog_free(sql_catalog *catalog)
{
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->tables.count; i++)
        pq_table_close(catalog->tables.items[i]);
    for (size_t i = 0; i < catalog->entries.count; i++)
        drop_parts(&catalog->entries.items[i]->parts);
    sql_remote_close(catalog, NULL);
    mutex_destroy(&catalog->lock);
    arena_free(catalog->memory);
    mem_free(catalog);
}

/* ---- files ---- */

/* Tables of paths in SQL that stay open when no statement holds them. */
#define PATHS_MAX 32

static status keep_table(sql_catalog *catalog, pq_table *table)
{
    status st = array_push(catalog->memory, &catalog->tables, table);
    if (st)
        pq_table_close(table);
    return st;
}

static bool has_table(const sql_catalog *catalog, const pq_table *table)
{
    for (size_t i = 0; i < catalog->entries.count; i++)
        if (catalog->entries.items[i]->table == table)
            return true;
    for (size_t i = 0; i < catalog->paths.count; i++)
        if (catalog->paths.items[i]->table == table)
            return true;
    return false;
}

static void catalog_close_table(sql_catalog *catalog, pq_table *table)
{
    for (size_t i = 0; i < catalog->tables.count; i++)
        if (catalog->tables.items[i] == table) {
            catalog->tables.items[i] = catalog->tables.items[--catalog->tables.count];
            pq_table_close(table);
            return;
        }
}

static bool is_replaced(const sql_catalog *catalog, const pq_table *table)
{
    for (size_t i = 0; i < catalog->replaced.count; i++)
        if (catalog->replaced.items[i] == table)
            return true;
    return false;
}

void sql_catalog_let_go(sql_catalog *catalog, pq_table *table)
{
    if (table && !catalog->opener.open && !is_replaced(catalog, table))
        status_free(array_push(catalog->memory, &catalog->replaced, table));
    for (size_t i = catalog->replaced.count; i-- > 0;) {
        pq_table *old = catalog->replaced.items[i];
        if (atomic_load(&old->users))
            continue;
        catalog->replaced.items[i] = catalog->replaced.items[--catalog->replaced.count];
        if (!has_table(catalog, old))
            catalog_close_table(catalog, old);
    }
}

/* Opens a table of a catalog behind a server, which the other processes open as this one tells them. */
static status catalog_open_with_all(sql_catalog *catalog, const char *text, pq_table **out)
{
    const sql_opener *opener = &catalog->opener;
    pq_table *before = opener->known(opener->context, text);
    TRY(sql_remote_open(catalog, text, before, out));
    if (!*out || *out == before)
        return STATUS_OK;
    return opener->share(opener->context, text, !catalog->reads_anew, out);
}

status sql_catalog_open_text(const char *text, bool use_cache, pq_table *before, pq_table **out)
{
    TRY(lake_open(text, use_cache, before, out));
    if (*out)
        return STATUS_OK;
    *out = before;
    if (before && pq_table_is_current(before))
        return STATUS_OK;
    return pq_table_open(text, use_cache, out);
}

status sql_catalog_open_table(sql_catalog *catalog, const char *text, const sql_held *held,
                              pq_table *before, pq_table **out)
{
    status st;
    const sql_opener *opener = &catalog->opener;
    if (opener->share && sql_remote_has(NULL, text))
        return catalog_open_with_all(catalog, text, out);
    if (!opener->open && sql_remote_has(NULL, text)) {
        TRY(sql_remote_open(catalog, text, before, out));
        return !*out || *out == before ? STATUS_OK : keep_table(catalog, *out);
    }
    if (opener->open)
        return opener->open(opener->context, text, !catalog->reads_anew, before, out);
    if (!sql_ahead_take(catalog, held, text, before, out, &st))
        st = sql_catalog_open_text(text, !catalog->reads_anew, before, out);
    TRY(st);
    return *out == before ? STATUS_OK : keep_table(catalog, *out);
}

/* ---- entries; with the lock held ---- */

const char *sql_catalog_table_of(const char *key)
{
    const char *part = strrchr(key, '\002');
    return part ? part + 1 : key;
}

sql_catalog_entry *sql_catalog_find_own(const sql_catalog *catalog, const char *name)
{
    sql_catalog_entry *folded = NULL;
    for (size_t i = 0; i < catalog->entries.count; i++) {
        sql_catalog_entry *entry = catalog->entries.items[i];
        if (!strcmp(entry->name, name))
            return entry;
        if (!strcasecmp(entry->name, name))
            folded = entry;
    }
    return folded;
}

status sql_catalog_copy_entry(arena *a, const sql_catalog_entry *from, sql_catalog_entry **out)
{
    const char *name = from->name;
    sql_catalog_entry *entry = arena_alloc(a, sizeof *entry);
    if (entry) {
        entry->name = arena_copy_text(a, name, strlen(name));
        entry->table = from->table;
        if (from->view_sql)
            entry->view_sql = arena_copy_text(a, from->view_sql, strlen(from->view_sql));
        if (from->path)
            entry->path = arena_copy_text(a, from->path, strlen(from->path));
        if (from->uses)
            entry->uses = arena_copy_text(a, from->uses, strlen(from->uses));
    }
    if (!entry || !entry->name || !entry->view_sql != !from->view_sql ||
        !entry->path != !from->path || !entry->uses != !from->uses)
        return status_no_memory("catalog", sizeof *entry);
    *out = entry;
    return sql_table_name_of(a, entry->name, &entry->of);
}

/* Copies it for the catalog's own list. */
static status copy_own(sql_catalog *catalog, const sql_catalog_entry *from, sql_catalog_entry **out)
{
    TRY(sql_catalog_copy_entry(catalog->memory, from, out));
    const char *text = from->table ? from->table->name : from->path ? from->path : from->view_sql;
    catalog->has_store |= text && strstr(text, "://");
    return STATUS_OK;
}

status sql_catalog_add_own(sql_catalog *catalog, const sql_catalog_entry *from)
{
    sql_catalog_entry *entry;
    TRY(copy_own(catalog, from, &entry));
    return array_push(catalog->memory, &catalog->entries, entry);
}

status sql_catalog_put_own(sql_catalog *catalog, const sql_catalog_entry *from)
{
    sql_catalog_entry *entry;
    TRY(copy_own(catalog, from, &entry));
    for (size_t i = 0; i < catalog->entries.count; i++)
        if (!strcmp(catalog->entries.items[i]->name, from->name)) {
            drop_parts(&catalog->entries.items[i]->parts);
            catalog->entries.items[i] = entry;
            return STATUS_OK;
        }
    return array_push(catalog->memory, &catalog->entries, entry);
}

/* The entry's table, of the files that its path means now. Entries are replaced, never changed:
 * statements may have them. */
static status open_entry(sql_catalog *catalog, const sql_held *held, sql_catalog_entry **entry)
{
    const char *path = (*entry)->table ? (*entry)->table->name : (*entry)->path;
    if (!path)
        return STATUS_OK;
    sql_catalog_entry fresh = {.name = (*entry)->name};
    TRY(sql_catalog_open_table(catalog, path, held, (*entry)->table, &fresh.table));
    if (!fresh.table) { /* its server does not have it any more */
        sql_catalog_remove_own(catalog, *entry);
        *entry = NULL;
        return STATUS_OK;
    }
    if (fresh.table == (*entry)->table)
        return STATUS_OK;
    pq_table *before = (*entry)->table;
    TRY(sql_catalog_put_own(catalog, &fresh));
    *entry = sql_catalog_find_own(catalog, fresh.name);
    sql_catalog_let_go(catalog, before);
    return STATUS_OK;
}

/* ---- the interface ---- */

status sql_catalog_put(sql_catalog *catalog, const sql_catalog_entry *entry)
{
    mutex_lock(&catalog->lock);
    status st = sql_catalog_put_own(catalog, entry);
    mutex_unlock(&catalog->lock);
    return st;
}

status sql_catalog_add_view(sql_catalog *catalog, const char *name, const char *sql, bool replace)
{
    mutex_lock(&catalog->lock);
    const sql_catalog_entry *old = sql_catalog_find_own(catalog, name);
    status st = STATUS_OK;
    if (old && !old->view_sql)
        st = status_new(STATUS_KIND_INVALID, "there is a table named \"%s\" already",
                        sql_catalog_table_of(name));
    else if (old && !replace)
        st = status_hint(status_new(STATUS_KIND_INVALID, "there is a view named \"%s\" already",
                                    sql_catalog_table_of(name)),
                         "CREATE OR REPLACE VIEW replaces it");
    else
        st = sql_catalog_put_own(catalog, &(sql_catalog_entry){.name = name, .view_sql = sql});
    mutex_unlock(&catalog->lock);
    return st;
}

/* The session has no such view; its database may. */
static status check_below(sql_catalog *below, const char *name)
{
    const sql_catalog_entry *old = NULL;
    for (; below && !old; below = below->below) {
        mutex_lock(&below->lock);
        old = sql_catalog_find_own(below, name);
        mutex_unlock(&below->lock);
    }
    return old ? status_new(STATUS_KIND_INVALID,
                            "\"%s\" belongs to the database; a session cannot drop it",
                            sql_catalog_table_of(name))
               : STATUS_OK;
}

void sql_catalog_remove_own(sql_catalog *catalog, const sql_catalog_entry *old)
{
    for (size_t i = 0; i < catalog->entries.count; i++)
        if (catalog->entries.items[i] == old) {
            drop_parts(&catalog->entries.items[i]->parts);
            catalog->entries.items[i] = catalog->entries.items[--catalog->entries.count];
            return;
        }
}

status sql_catalog_drop_view(sql_catalog *catalog, const char *name, bool if_exists)
{
    mutex_lock(&catalog->lock);
    const sql_catalog_entry *old = sql_catalog_find_own(catalog, name);
    status st = !old && catalog->below ? check_below(catalog->below, name) : STATUS_OK;
    if (!old && !st && !if_exists)
        st = status_new(STATUS_KIND_NOT_FOUND, "there is no view named \"%s\"",
                        sql_catalog_table_of(name));
    else if (old && !old->view_sql)
        st = status_new(STATUS_KIND_INVALID, "\"%s\" is a table, not a view",
                        sql_catalog_table_of(name));
    if (old && !st)
        sql_catalog_remove_own(catalog, old);
    mutex_unlock(&catalog->lock);
    return st;
}

/* ---- tables of rows ---- */

static sql_catalog_entry *find_exactly(const sql_catalog *catalog, const char *name)
{
    sql_catalog_entry *entry = sql_catalog_find_own(catalog, name);
    return entry && !strcmp(entry->name, name) ? entry : NULL;
}

static status check_rows(const sql_catalog *catalog, const char *name, bool replaces)
{
    const sql_catalog_entry *old = find_exactly(catalog, name);
    if (!old || (old->parts.count && replaces))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID, "there is a %s named \"%s\" already",
                                  old->view_sql ? "view" : "table", sql_catalog_table_of(name)),
                       old->parts.count ? "CREATE OR REPLACE TABLE replaces it"
                                        : "give it another name");
}

status sql_catalog_check_rows(sql_catalog *catalog, const char *name, bool replaces)
{
    mutex_lock(&catalog->lock);
    status st = check_rows(catalog, name, replaces);
    mutex_unlock(&catalog->lock);
    return st;
}

/* Opens the file, which other processes of a cluster look for by this one's number; the descriptor is taken. */
static status catalog_open_part(sql_catalog *catalog, int descriptor, sql_part **out)
{
    char text[64] = "/proc/self/fd/";
    pq_table *table;
    bool is_shared = catalog->opener.open != NULL;
    const sql_held none = {0};
    if (is_shared)
        snprintf(text, sizeof text, "local:/proc/%ld/fd/", (long)getpid());
    size_t bytes = strlen(text);
    snprintf(text + bytes, sizeof text - bytes, "%d", descriptor);
    status st = is_shared ? sql_catalog_open_table(catalog, text, &none, NULL, &table)
                          : pq_table_open(text, !catalog->reads_anew, &table);
    if (!st)
        return sql_part_new(table, descriptor, !is_shared, out);
    close(descriptor);
    return st;
}

/* Takes the part over. */
static status put_part(sql_catalog *catalog, const char *name, sql_part *part)
{
    sql_part_list parts = {0};
    status st = array_push(NULL, &parts, part);
    if (!st)
        st = sql_catalog_put_own(catalog, &(sql_catalog_entry){.name = name});
    if (st) {
        sql_part_unref(part);
        array_release(&parts);
        return st;
    }
    find_exactly(catalog, name)->parts = parts;
    return STATUS_OK;
}

static status catalog_add_rows(sql_catalog *catalog, const char *name, bool replaces,
                               int descriptor)
{
    sql_part *part;
    status st = check_rows(catalog, name, replaces);
    if (st) {
        close(descriptor);
        return st;
    }
    TRY(catalog_open_part(catalog, descriptor, &part));
    return put_part(catalog, name, part);
}

status sql_catalog_add_rows(sql_catalog *catalog, const char *name, bool replaces, int descriptor)
{
    mutex_lock(&catalog->lock);
    status st = catalog_add_rows(catalog, name, replaces, descriptor);
    mutex_unlock(&catalog->lock);
    return st;
}

static bool are_same(const sql_part_list *one, const sql_part_list *other)
{
    return one->count == other->count &&
           !memcmp(one->items, other->items, one->count * sizeof *one->items);
}

static status extend_rows(sql_catalog *catalog, const char *name, const sql_part_list *parts,
                          size_t kept, sql_part *part)
{
    sql_catalog_entry *entry = find_exactly(catalog, name);
    if (!entry || !are_same(&entry->parts, parts))
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "another statement has changed table \"%s\" meanwhile",
                                      sql_catalog_table_of(name)),
                           "run the statement again");
    sql_part_list *own = &entry->parts;
    TRY(array_reserve(NULL, own, 1));
    for (; own->count > kept; own->count--)
        sql_part_unref(own->items[own->count - 1]);
    own->items[own->count++] = part;
    return STATUS_OK;
}

status sql_catalog_extend_rows(sql_catalog *catalog, const char *name, const sql_part_list *parts,
                               size_t kept, int descriptor)
{
    sql_part *part = NULL;
    mutex_lock(&catalog->lock);
    bool is_below = catalog->below && !find_exactly(catalog, name);
    status st = STATUS_OK;
    if (!is_below)
        st = catalog_open_part(catalog, descriptor, &part);
    if (!st && !is_below)
        st = extend_rows(catalog, name, parts, kept, part);
    mutex_unlock(&catalog->lock);
    if (is_below)
        return sql_catalog_extend_rows(catalog->below, name, parts, kept, descriptor);
    if (st)
        sql_part_unref(part);
    return st;
}

static status put_part_of_text(sql_catalog *catalog, const char *name, const char *text)
{
    pq_table *table;
    sql_part *part;
    const sql_held none = {0};
    sql_catalog_entry *entry = find_exactly(catalog, name);
    TRY(sql_catalog_open_table(catalog, text, &none, NULL, &table));
    TRY(sql_part_new(table, -1, false, &part));
    if (!entry || !entry->parts.count)
        return put_part(catalog, name, part);
    status st = array_push(NULL, &entry->parts, part);
    if (st)
        sql_part_unref(part);
    return st;
}

status sql_catalog_put_part(sql_catalog *catalog, const char *name, const char *text)
{
    mutex_lock(&catalog->lock);
    status st = put_part_of_text(catalog, name, text);
    mutex_unlock(&catalog->lock);
    return st;
}

status sql_catalog_drop_rows(sql_catalog *catalog, const char *name, bool if_exists)
{
    mutex_lock(&catalog->lock);
    const sql_catalog_entry *old = sql_catalog_find_own(catalog, name);
    status st = !old && catalog->below ? check_below(catalog->below, name) : STATUS_OK;
    if (!old && !st && !if_exists)
        st = status_new(STATUS_KIND_NOT_FOUND, "there is no table named \"%s\"",
                        sql_catalog_table_of(name));
    else if (old && old->view_sql)
        st = status_new(STATUS_KIND_INVALID, "\"%s\" is a view, not a table",
                        sql_catalog_table_of(name));
    else if (old && !old->parts.count)
        st = status_hint(
            status_new(STATUS_KIND_INVALID, "table \"%s\" is of files", sql_catalog_table_of(name)),
            "DROP TABLE drops what CREATE TABLE has made");
    if (old && !st)
        sql_catalog_remove_own(catalog, old);
    mutex_unlock(&catalog->lock);
    return st;
}

/* ---- looking up ---- */

/* The parts of a table of rows may change, and are not there without a reference. */
static status hold_entry(const sql_catalog *catalog, const sql_catalog_entry *entry, sql_held *held,
                         sql_catalog_entry *out)
{
    sql_catalog_entry *copy;
    if (catalog->is_shared) {
        TRY(sql_catalog_copy_entry(held->memory, entry, &copy));
        entry = copy;
    }
    *out = *entry;
    if (!entry->parts.count)
        return entry->table ? sql_held_add_table(held, entry->table) : STATUS_OK;
    out->table = entry->parts.items[0]->table;
    return sql_held_add(held, &entry->parts, &out->parts);
}

/* Returns whether the statement has looked the entry's table up before. */
static bool is_known(const sql_catalog_entry *entry, const sql_held *held)
{
    return entry->table && sql_held_has(held, entry->table);
}

static status find_held(sql_catalog *catalog, const char *name, sql_held *held,
                        const sql_catalog_entry **out)
{
    sql_catalog_entry *entry = sql_catalog_find_own(catalog, name);
    *out = NULL;
    if (!entry)
        TRY(sql_remote_find(catalog, name, &entry));
    if (entry && !is_known(entry, held)) /* a statement reads one state of a table */
        TRY(open_entry(catalog, held, &entry));
    if (!entry)
        return STATUS_OK;
    sql_catalog_entry *copy = entry;
    if (entry->table)
        TRY(sql_held_add_table(held, entry->table));
    if (entry->parts.count || catalog->is_shared) {
        copy = arena_alloc(held->memory, sizeof *copy);
        if (!copy)
            return status_no_memory("catalog", sizeof *copy);
        TRY(hold_entry(catalog, entry, held, copy));
    }
    *out = copy;
    return STATUS_OK;
}

status sql_catalog_find(sql_catalog *catalog, const char *name, sql_held *held,
                        const sql_catalog_entry **out)
{
    mutex_lock(&catalog->lock);
    status st = find_held(catalog, name, held, out);
    mutex_unlock(&catalog->lock);
    return st || *out || !catalog->below ? st : sql_catalog_find(catalog->below, name, held, out);
}

status sql_catalog_rows(const sql_catalog_entry *entry, uint64_t *out)
{
    *out = entry->parts.count ? sql_parts_rows(&entry->parts) : 0;
    return entry->table && !entry->parts.count ? pq_table_count_rows(entry->table, out) : STATUS_OK;
}

/* Finds the entry of a path, and moves it to the end of the list; NULL: there is none. */
static sql_catalog_entry *find_path(sql_catalog *catalog, const char *path)
{
    size_t count = catalog->paths.count, at = 0;
    sql_catalog_entry **items = catalog->paths.items;
    while (at < count && strcmp(items[at]->name, path) != 0)
        at++;
    if (at == count)
        return NULL;
    sql_catalog_entry *found = items[at];
    memmove(items + at, items + at + 1, (count - at - 1) * sizeof *items);
    return items[count - 1] = found;
}

/* Forgets paths that were not used for long. */
static void forget_paths(sql_catalog *catalog)
{
    size_t count = catalog->paths.count;
    sql_catalog_entry **items = catalog->paths.items;
    for (size_t i = 0; i < count && count > PATHS_MAX;) {
        pq_table *table = items[i]->table;
        if (atomic_load(&table->users)) {
            i++;
            continue;
        }
        memmove(items + i, items + i + 1, (--count - i) * sizeof *items);
        catalog->paths.count = count;
        sql_catalog_let_go(catalog, table);
    }
}

static status add_path(sql_catalog *catalog, const char *path, pq_table *table)
{
    arena *a = catalog->memory;
    sql_catalog_entry *entry = arena_alloc(a, sizeof *entry);
    char *name = arena_copy_text(a, path, strlen(path));
    if (!entry || !name)
        return status_no_memory("catalog", sizeof *entry);
    *entry = (sql_catalog_entry){.name = name, .table = table};
    TRY(array_push(a, &catalog->paths, entry));
    forget_paths(catalog);
    return STATUS_OK;
}

static status catalog_find_path(sql_catalog *catalog, const char *path, sql_held *held,
                                pq_table **out)
{
    sql_catalog_entry *entry = find_path(catalog, path);
    pq_table *before = entry ? entry->table : NULL;
    *out = before;
    if (before && sql_held_has(held, before))
        return STATUS_OK;
    TRY(sql_catalog_open_table(catalog, path, held, before, out));
    if (!*out)
        return status_new(STATUS_KIND_NOT_FOUND, "its catalog does not have table \"%s\"", path);
    TRY(sql_held_add_table(held, *out));
    if (!entry)
        return add_path(catalog, path, *out);
    entry->table = *out;
    if (*out != before)
        sql_catalog_let_go(catalog, before);
    return STATUS_OK;
}

status sql_catalog_path(sql_catalog *catalog, const char *path, sql_held *held, pq_table **out)
{
    if (catalog->below && !sql_remote_has(catalog, path))
        return sql_catalog_path(catalog->below, path, held, out);
    mutex_lock(&catalog->lock);
    status st = catalog_find_path(catalog, path, held, out);
    mutex_unlock(&catalog->lock);
    return st;
}

static int catalog_compare_names(const void *left, const void *right)
{
    return strcmp(((const sql_catalog_entry *)left)->name,
                  ((const sql_catalog_entry *)right)->name);
}

/* The entries are pushed to a list whose items are in the arena; with the lock held. */
typedef ARRAY(sql_catalog_entry) entry_list;

/* A name of a session hides those that differ from it in nothing but their case, too. */
static bool is_hidden(const entry_list *list, size_t above, const char *name)
{
    for (size_t i = 0; i < above; i++)
        if (!strcasecmp(list->items[i].name, name))
            return true;
    return false;
}

/* Whether an entry is neither a table nor a view of a name that SQL can write. */
static bool is_kept_apart(const sql_catalog_entry *entry)
{
    return entry->name[0] == '\001' || !*entry->of.table;
}

/* lists_all: what is kept apart, too. */
static status catalog_list(sql_catalog *catalog, bool opens_tables, bool lists_all, sql_held *held,
                           entry_list *to)
{
    size_t above = to->count;
    TRY(array_reserve(held->memory, to, catalog->entries.count + 1));
    for (size_t i = 0; i < catalog->entries.count; i++) {
        sql_catalog_entry *entry = catalog->entries.items[i];
        if ((is_kept_apart(entry) && !lists_all) || is_hidden(to, above, entry->name))
            continue;
        bool is_remote = entry->path && sql_remote_has(NULL, entry->path);
        if (opens_tables && !is_remote) /* a server would be asked for each of its tables */
            status_free(open_entry(catalog, held, &entry)); /* it says so when it is looked up */
        TRY(hold_entry(catalog, catalog->entries.items[i], held, &to->items[to->count]));
        to->count++;
    }
    return STATUS_OK;
}

/* asks: servers of catalogs, for all their tables. */
static status list_levels(sql_catalog *catalog, bool asks, bool opens_tables, bool lists_all,
                          sql_held *held, sql_catalog_entry **out, size_t *out_count)
{
    entry_list all = {0};
    for (; catalog; catalog = catalog->below) {
        mutex_lock(&catalog->lock);
        if (asks)
            status_free(sql_remote_list(catalog)); /* it says so when a table is looked up */
        status st = catalog_list(catalog, opens_tables, lists_all, held, &all);
        mutex_unlock(&catalog->lock);
        TRY(st);
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, catalog_compare_names);
    *out = all.items;
    *out_count = all.count;
    return STATUS_OK;
}

status sql_catalog_list(sql_catalog *catalog, bool opens_tables, sql_held *held,
                        sql_catalog_entry **out, size_t *out_count)
{
    return list_levels(catalog, true, opens_tables, false, held, out, out_count);
}

status sql_catalog_list_all(sql_catalog *catalog, sql_held *held, sql_catalog_entry **out,
                            size_t *out_count)
{
    return list_levels(catalog, true, false, true, held, out, out_count);
}

status sql_catalog_list_known(sql_catalog *catalog, sql_held *held, sql_catalog_entry **out,
                              size_t *out_count)
{
    return list_levels(catalog, false, false, true, held, out, out_count);
}

/* ---- macros and prepared statements ---- */

#define MACRO_NAME "\001macro "
#define PREPARED_NAME "\001prepared "
#define VARIABLE_NAME "\001variable "

char *sql_catalog_macro_name(arena *a, const char *name)
{
    return arena_format(a, MACRO_NAME "%s", name);
}

char *sql_catalog_prepared_name(arena *a, const char *name)
{
    return arena_format(a, PREPARED_NAME "%s", name);
}

char *sql_catalog_variable_name(arena *a, const char *name)
{
    return arena_format(a, VARIABLE_NAME "%s", name);
}

bool sql_catalog_is_session_name(const char *name)
{
    return !strncmp(name, PREPARED_NAME, sizeof PREPARED_NAME - 1) ||
           !strncmp(name, VARIABLE_NAME, sizeof VARIABLE_NAME - 1);
}

/* Removes the entries whose names begin so; returns how many. */
static size_t remove_beginning(sql_catalog *catalog, const char *beginning)
{
    size_t before = catalog->entries.count;
    for (size_t i = before; i-- > 0;) {
        const sql_catalog_entry *entry = catalog->entries.items[i];
        if (!strncmp(entry->name, beginning, strlen(beginning)))
            sql_catalog_remove_own(catalog, entry);
    }
    return before - catalog->entries.count;
}

void sql_catalog_drop_prepared(sql_catalog *catalog)
{
    mutex_lock(&catalog->lock);
    remove_beginning(catalog, PREPARED_NAME);
    mutex_unlock(&catalog->lock);
}

status sql_catalog_drop_beginning(sql_catalog *catalog, const char *beginning)
{
    mutex_lock(&catalog->lock);
    size_t count = remove_beginning(catalog, beginning);
    sql_remote_close(catalog, beginning);
    mutex_unlock(&catalog->lock);
    return count ? STATUS_OK
                 : status_new(STATUS_KIND_INVALID,
                              "the schema belongs to the database; a session cannot drop it");
}
