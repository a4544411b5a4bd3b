/* catalog_ahead.c - see catalog_ahead.h. */
#include "sql/catalog/catalog_ahead.h"

#include "lake/lake.h"
#include "sql/catalog/catalog_parts.h"
#include "sql/catalog/catalog_remote.h"
#include "storage/crew.h"
#include "storage/object_store.h"

#include <ctype.h>

typedef struct ahead_table {
    sql_catalog *catalog; /* that will have it */
    const char *text;
    bool use_cache;
    pq_table *before; /* what the text meant last, in use by this until it is taken; or NULL */
    bool is_open;     /* what follows is known, and nobody has taken it */
    pq_table *table;
    status failure;
} ahead_table;

struct sql_ahead {
    ARRAY(ahead_table) tables;
    size_t first;          /* of those that are to be opened next */
    atomic_size_t next;    /* that a thread takes */
    _Atomic size_t failed; /* one that has failed: none behind it is begun */
};

/* ---- what is noted ---- */

bool sql_text_is_in_store(const char *text)
{
    const char *start = strstr(text, "://");
    if (!start)
        return false;
    while (start > text && isalnum((unsigned char)start[-1]))
        start--;
    return object_store_has(start);
}

bool sql_ahead_may_help(sql_catalog *catalog, const char *sql)
{
    bool may = strstr(sql, "://");
    for (; catalog && !may; catalog = catalog->below) {
        mutex_lock(&catalog->lock);
        may = catalog->has_store;
        mutex_unlock(&catalog->lock);
    }
    return may;
}

static bool is_noted(const sql_ahead *ahead, const sql_catalog *catalog, const char *text)
{
    for (size_t i = 0; ahead && i < ahead->tables.count; i++)
        if (ahead->tables.items[i].catalog == catalog && !strcmp(ahead->tables.items[i].text, text))
            return true;
    return false;
}

/* With the catalog's lock held, so that `before` is not closed. */
static status ahead_note(sql_catalog *catalog, const char *text, pq_table *before, sql_held *held)
{
    if (catalog->opener.open || sql_remote_has(NULL, text) || !sql_text_is_in_store(text) ||
        is_noted(held->ahead, catalog, text) || (before && sql_held_has(held, before)))
        return STATUS_OK;
    if (!held->ahead)
        held->ahead = arena_alloc(held->memory, sizeof *held->ahead);
    ahead_table t = {.catalog = catalog,
                     .text = arena_copy_text(held->memory, text, strlen(text)),
                     .use_cache = !catalog->reads_anew,
                     .before = before};
    if (!held->ahead || !t.text)
        return status_no_memory("catalog", strlen(text));
    TRY(array_push(held->memory, &held->ahead->tables, t));
    if (before)
        atomic_fetch_add(&before->users, 1);
    return STATUS_OK;
}

static status note_entry(sql_catalog *catalog, const sql_catalog_entry *entry, sql_held *held,
                         const char **out_view)
{
    if (entry->view_sql) {
        *out_view = arena_copy_text(held->memory, entry->view_sql, strlen(entry->view_sql));
        return *out_view ? STATUS_OK : status_no_memory("catalog", strlen(entry->view_sql));
    }
    const char *text = entry->table ? entry->table->name : entry->path;
    return entry->parts.count || !text ? STATUS_OK : ahead_note(catalog, text, entry->table, held);
}

status sql_ahead_name(sql_catalog *catalog, const char *key, sql_held *held, const char **out_view,
                      bool *out_found)
{
    *out_view = NULL;
    *out_found = false;
    status st = STATUS_OK;
    for (; catalog && !*out_found && !st; catalog = catalog->below) {
        mutex_lock(&catalog->lock);
        const sql_catalog_entry *entry = sql_catalog_find_own(catalog, key);
        *out_found = entry;
        if (entry)
            st = note_entry(catalog, entry, held, out_view);
        mutex_unlock(&catalog->lock);
    }
    return st;
}

status sql_ahead_path(sql_catalog *catalog, const char *text, sql_held *held)
{
    pq_table *before = NULL;
    while (catalog->below)
        catalog = catalog->below;
    mutex_lock(&catalog->lock);
    for (size_t i = 0; i < catalog->paths.count && !before; i++)
        if (!strcmp(catalog->paths.items[i]->name, text))
            before = catalog->paths.items[i]->table;
    status st = ahead_note(catalog, text, before, held);
    mutex_unlock(&catalog->lock);
    return st;
}

status sql_ahead_text(sql_catalog *catalog, const char *text, sql_held *held)
{
    mutex_lock(&catalog->lock);
    status st = ahead_note(catalog, text, NULL, held);
    mutex_unlock(&catalog->lock);
    return st;
}

/* ---- opening ---- */

static void note_failed(sql_ahead *ahead, size_t index)
{
    size_t failed = atomic_load(&ahead->failed);
    while (index < failed && !atomic_compare_exchange_weak(&ahead->failed, &failed, index)) {
    }
}

static void open_noted(void *context)
{
    sql_ahead *ahead = context;
    for (;;) {
        size_t i = atomic_fetch_add(&ahead->next, 1);
        if (i >= atomic_load(&ahead->failed))
            return;
        ahead_table *t = &ahead->tables.items[i];
        t->failure = sql_catalog_open_text(t->text, t->use_cache, t->before, &t->table);
        t->is_open = true;
        if (t->failure)
            note_failed(ahead, i);
    }
}

void sql_ahead_open(sql_held *held)
{
    sql_ahead *ahead = held->ahead;
    size_t count = ahead ? ahead->tables.count - ahead->first : 0;
    if (count < 2)
        return;
    atomic_store(&ahead->next, ahead->first);
    atomic_store(&ahead->failed, ahead->tables.count);
    crew_run(open_noted, ahead, (unsigned)(count < AHEAD_MAX ? count : AHEAD_MAX) - 1);
    ahead->first = ahead->tables.count;
}

/* ---- taking ---- */

static void let_go_before(ahead_table *t)
{
    if (t->before)
        atomic_fetch_sub(&t->before->users, 1);
    t->before = NULL;
}

bool sql_ahead_take(sql_catalog *catalog, const sql_held *held, const char *text,
                    const pq_table *before, pq_table **out, status *out_status)
{
    for (size_t i = 0; held->ahead && i < held->ahead->tables.count; i++) {
        ahead_table *t = &held->ahead->tables.items[i];
        if (!t->is_open || t->catalog != catalog || t->before != before || strcmp(t->text, text))
            continue;
        *out = t->table;
        *out_status = t->failure;
        t->is_open = false;
        let_go_before(t);
        return true;
    }
    return false;
}

void sql_ahead_release(sql_held *held)
{
    for (size_t i = 0; held->ahead && i < held->ahead->tables.count; i++) {
        ahead_table *t = &held->ahead->tables.items[i];
        if (t->is_open && t->table != t->before)
            pq_table_close(t->table);
        if (t->is_open)
            status_free(t->failure);
        let_go_before(t);
    }
    held->ahead = NULL;
}
