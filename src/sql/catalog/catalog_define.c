/* catalog_define.c - definition.h, and catalogs of definitions that sessions share. */
#include "base/system/mutex.h"
#include "sql/catalog/catalog_parts.h"
#include "sql/catalog/definition.h"
#include "sql/catalog/schema.h"

#include <strings.h>

/* ---- names that a view uses ---- */

/* Stands before and after each name; SQL cannot write it without quotes. */
#define USE "\004"

char *sql_catalog_add_use(arena *a, const char *uses, const char *name)
{
    return arena_format(a, "%s%s" USE, uses ? uses : USE, name);
}

/* Returns whether the list of names has the name. */
static bool uses_name(const char *uses, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *at = uses; at && at[1]; at = strchr(at + 1, *USE))
        if (!strncmp(at + 1, name, bytes) && at[1 + bytes] == *USE)
            return true;
    return false;
}

/* ---- copies ---- */

/* Copies a text after *at, and sets *at after it. */
static const char *copy_text(char **at, const char *text)
{
    char *copy = *at;
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    memcpy(copy, text, bytes);
    *at += bytes;
    return copy;
}

static size_t catalog_define_room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

status sql_definition_copy(const sql_definition *from, sql_definition **out)
{
    size_t bytes = sizeof **out + catalog_define_room_of(from->name) +
                   catalog_define_room_of(from->text) + catalog_define_room_of(from->uses);
    *out = mem_resize(NULL, bytes);
    if (!*out)
        return status_no_memory("definition", bytes);
    char *at = (char *)(*out + 1);
    **out = *from;
    (*out)->name = copy_text(&at, from->name);
    (*out)->text = copy_text(&at, from->text);
    (*out)->uses = copy_text(&at, from->uses);
    return STATUS_OK;
}

/* ---- catalogs that sessions share ---- */

status sql_catalog_new_shared(sql_catalog *below, sql_catalog **out)
{
    TRY(sql_catalog_new_over(below, out));
    (*out)->is_shared = true;
    return STATUS_OK;
}

status sql_catalog_clone(sql_catalog *from, sql_catalog **out)
{
    status st = STATUS_OK;
    TRY(sql_catalog_new_shared(from->below, out));
    mutex_lock(&from->lock);
    for (size_t i = 0; i < from->entries.count && !st; i++)
        st = sql_catalog_add_own(*out, from->entries.items[i]);
    mutex_unlock(&from->lock);
    if (st)
        sql_catalog_free(*out);
    return st;
}

void sql_catalog_take(sql_catalog *to, sql_catalog *from)
{
    mutex_lock(&to->lock);
    arena *memory = to->memory;
    to->memory = from->memory;
    to->has_store = from->has_store;
    to->entries.items = from->entries.items;
    to->entries.count = from->entries.count;
    to->entries.capacity = from->entries.capacity;
    mutex_unlock(&to->lock);
    from->memory = memory;
    from->entries.count = 0; /* they were in the memory that was taken */
    sql_catalog_free(from);
}

void sql_catalog_set_below(sql_catalog *catalog, sql_catalog *below)
{
    mutex_lock(&catalog->lock);
    catalog->below = below;
    mutex_unlock(&catalog->lock);
}

/* ---- DROP ---- */

/* Returns the name of a table, view or macro as SQL has it. */
static const char *name_shown(const char *key)
{
    const char *macro = *key == 1 ? strchr(key, ' ') : NULL;
    return macro ? macro + 1 : sql_catalog_table_of(key);
}

/* Fails if a shared view uses a name: what several clients share does not break by one client's DROP. */
static status check_unused(const sql_catalog *catalog, const char *name)
{
    for (size_t i = 0; catalog->is_shared && i < catalog->entries.count; i++) {
        const sql_catalog_entry *entry = catalog->entries.items[i];
        if (uses_name(entry->uses, name) && strcmp(entry->name, name) != 0)
            return status_hint(status_new(STATUS_KIND_INVALID, "\"%s\" is used by view \"%s\"",
                                          name_shown(name), sql_catalog_table_of(entry->name)),
                               "DROP ... CASCADE drops that view, too");
    }
    return STATUS_OK;
}

/* Drops views that use a name, and those that use them. */
static void drop_users(sql_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->entries.count;) {
        const sql_catalog_entry *entry = catalog->entries.items[i++];
        if (!uses_name(entry->uses, name))
            continue;
        sql_catalog_remove_own(catalog, entry);
        drop_users(catalog, entry->name);
        i = 0; /* others may lie here now */
    }
}

/* ---- ALTER ... RENAME ---- */

/* Finds what is in the schema: an entry whose name is longer than the schema's. */
static sql_catalog_entry *any_in(const sql_catalog *catalog, const char *schema)
{
    size_t bytes = strlen(schema);
    for (size_t i = 0; i < catalog->entries.count; i++) {
        sql_catalog_entry *entry = catalog->entries.items[i];
        if (!strncmp(entry->name, schema, bytes) && entry->name[bytes])
            return entry;
    }
    return NULL;
}

static status refuse_rename(const sql_catalog_entry *other, const char *name)
{
    return status_hint(status_new(STATUS_KIND_INVALID, "there is a %s named \"%s\" already",
                                  other->view_sql ? "view" : "table", sql_catalog_table_of(name)),
                       "drop it or give it another name first");
}

/* Gives the entry another name. */
static status rename_entry(sql_catalog *catalog, sql_catalog_entry *entry, const char *name)
{
    sql_catalog_entry renamed = *entry;
    renamed.name = name;
    renamed.parts = (sql_part_list){0};
    sql_part_list parts = entry->parts;
    TRY(sql_catalog_add_own(catalog, &renamed));
    catalog->entries.items[catalog->entries.count - 1]->parts = parts;
    entry->parts = (sql_part_list){0};
    sql_catalog_remove_own(catalog, entry);
    return STATUS_OK;
}

/* Gives what is in a schema the beginning of names that the schema has now. */
static status rename_all_in(sql_catalog *catalog, const sql_definition *d)
{
    for (sql_catalog_entry *entry; (entry = any_in(catalog, d->name));) {
        char *name = arena_format(catalog->memory, "%s%s", d->text, entry->name + strlen(d->name));
        if (!name)
            return status_no_memory("catalog", strlen(entry->name));
        TRY(rename_entry(catalog, entry, name));
    }
    return STATUS_OK;
}

static status rename_own(sql_catalog *catalog, const sql_definition *d)
{
    sql_catalog_entry *entry = sql_catalog_find_own(catalog, d->name);
    sql_catalog_entry *other = sql_catalog_find_own(catalog, d->text);
    if (!entry || (!entry->view_sql && !entry->parts.count))
        return d->if_exists && !entry
                   ? STATUS_OK
                   : status_new(entry ? STATUS_KIND_INVALID : STATUS_KIND_NOT_FOUND,
                                entry
                                    ? "table \"%s\" is of files, which keep their names"
                                    : "there is no table or view named \"%s\" that can be renamed",
                                sql_catalog_table_of(d->name));
    if (other && other != entry)
        return refuse_rename(other, d->text);
    TRY(rename_entry(catalog, entry, d->text));
    return *sql_catalog_table_of(d->name) ? STATUS_OK : rename_all_in(catalog, d);
}

/* ---- all of them ---- */

/* Fails if the database has a table of the name: shared definitions do not hide it. */
static status check_free(sql_catalog *catalog, const char *name)
{
    if (!catalog->is_shared || !sql_catalog_has_own(catalog->below, name))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID, "there is a table named \"%s\" already",
                                  sql_catalog_table_of(name)),
                       "it is of files; give the view another name");
}

static status define_view(sql_catalog *catalog, const sql_definition *d)
{
    TRY(check_free(catalog, d->name));
    TRY(sql_catalog_add_view(catalog, d->name, d->text, d->replaces));
    mutex_lock(&catalog->lock);
    sql_catalog_entry *entry = sql_catalog_find_own(catalog, d->name);
    char *uses = d->uses ? arena_copy_text(catalog->memory, d->uses, strlen(d->uses)) : NULL;
    if (entry)
        entry->uses = uses;
    mutex_unlock(&catalog->lock);
    return d->uses && !uses ? status_no_memory("catalog", strlen(d->uses)) : STATUS_OK;
}

static status drop(sql_catalog *catalog, const sql_definition *d)
{
    mutex_lock(&catalog->lock);
    const sql_catalog_entry *entry = sql_catalog_find_own(catalog, d->name);
    status st = entry && !d->cascades ? check_unused(catalog, entry->name) : STATUS_OK;
    mutex_unlock(&catalog->lock);
    TRY(st);
    TRY(d->kind == SQL_DEFINE_DROP_VIEW ? sql_catalog_drop_view(catalog, d->name, d->if_exists)
                                        : sql_catalog_drop_rows(catalog, d->name, d->if_exists));
    mutex_lock(&catalog->lock);
    if (d->cascades && entry)
        drop_users(catalog, entry->name);
    mutex_unlock(&catalog->lock);
    return STATUS_OK;
}

static status rename_locked(sql_catalog *catalog, const sql_definition *d)
{
    TRY(check_free(catalog, d->text));
    mutex_lock(&catalog->lock);
    status st = rename_own(catalog, d);
    mutex_unlock(&catalog->lock);
    return st;
}

/* Drops what is in the schema, and what uses that. */
static status empty_schema(sql_catalog *catalog, const sql_definition *d)
{
    for (const sql_catalog_entry *entry; (entry = any_in(catalog, d->name));) {
        if (!d->cascades)
            return status_hint(status_new(STATUS_KIND_INVALID,
                                          "the schema is not empty: \"%s\" is in it",
                                          sql_catalog_table_of(entry->name)),
                               "DROP SCHEMA ... CASCADE drops what is in it, too");
        sql_catalog_remove_own(catalog, entry);
        drop_users(catalog, entry->name);
    }
    return STATUS_OK;
}

static status drop_schema(sql_catalog *catalog, const sql_definition *d)
{
    mutex_lock(&catalog->lock);
    status st = empty_schema(catalog, d);
    mutex_unlock(&catalog->lock);
    TRY(st);
    return sql_catalog_drop_beginning(catalog, d->name);
}

status sql_catalog_define(sql_catalog *catalog, const sql_definition *definition)
{
    switch (definition->kind) {
    case SQL_DEFINE_VIEW:
        return define_view(catalog, definition);
    case SQL_DEFINE_DROP_VIEW:
    case SQL_DEFINE_DROP_ROWS:
        return drop(catalog, definition);
    case SQL_DEFINE_RENAME:
        return rename_locked(catalog, definition);
    case SQL_DEFINE_SCHEMA:
        return sql_catalog_put(catalog,
                               &(sql_catalog_entry){.name = definition->name, .view_sql = ""});
    default:
        return drop_schema(catalog, definition);
    }
}

bool sql_catalog_has_own(sql_catalog *catalog, const char *name)
{
    mutex_lock(&catalog->lock);
    bool has = sql_catalog_find_own(catalog, name) != NULL;
    mutex_unlock(&catalog->lock);
    return has;
}

status sql_catalog_each_own(sql_catalog *catalog,
                            status (*call)(void *context, const sql_catalog_entry *entry),
                            void *context)
{
    status st = STATUS_OK;
    mutex_lock(&catalog->lock);
    for (size_t i = 0; i < catalog->entries.count && !st; i++)
        st = call(context, catalog->entries.items[i]);
    mutex_unlock(&catalog->lock);
    return st;
}
