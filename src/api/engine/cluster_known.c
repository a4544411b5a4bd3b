/* cluster_known.c - the tables that a process that is a rank has opened, and what each text means now. */
#include "api/engine/cluster_known.h"

#include "api/engine/cluster.h"
#include "base/system/mutex.h"
#include "plan/distribute/distribute.h"

static cluster_table *cluster_known_find(api_cluster *cluster, const char *text)
{
    for (size_t i = 0; i < cluster->tables.count; i++)
        if (!strcmp(cluster->tables.items[i].text, text))
            return &cluster->tables.items[i];
    return NULL;
}

/* Returns whether the table that was opened before is the new one. */
static bool is_same(const pq_table *before, const pq_table *table)
{
    return !table->given && pq_table_is_current(before) &&
           plan_files_hash(before) == plan_files_hash(table);
}

/* With the lock held. The table is closed on failure, or if it is the one that was known, which *io becomes. */
static status cluster_known_store(api_cluster *cluster, const char *text, pq_table **io,
                                  uint64_t age)
{
    pq_table *table = *io;
    cluster_table *known = cluster_known_find(cluster, text);
    if (known && is_same(known->table, table)) {
        pq_table_close(table);
        *io = known->table;
        known->age = age;
        return STATUS_OK;
    }
    status st = array_push(NULL, &cluster->opened, table);
    if (st) {
        pq_table_close(table);
        return st;
    }
    if (known) {
        known->table = table;
        known->age = age;
        return STATUS_OK;
    }
    cluster_table made = {.text = mem_copy_text(text, strlen(text)), .table = table, .age = age};
    if (!made.text)
        return status_no_memory("table", strlen(text));
    st = array_push(NULL, &cluster->tables, made);
    if (st)
        mem_free(made.text);
    return st;
}

status api_cluster_know_table(api_cluster *cluster, const char *text, pq_table **io, uint64_t age)
{
    mutex_lock(&cluster->table_lock);
    status st = cluster_known_store(cluster, text, io, age);
    mutex_unlock(&cluster->table_lock);
    return st;
}

pq_table *api_cluster_known_table(api_cluster *cluster, const char *text, uint64_t *out_age)
{
    mutex_lock(&cluster->table_lock);
    cluster_table *known = cluster_known_find(cluster, text);
    *out_age = cluster->age;
    bool is_young = known && (cluster->rank || known->age == cluster->age);
    pq_table *table = is_young ? known->table : NULL;
    mutex_unlock(&cluster->table_lock);
    return table && pq_table_is_current(table) ? table : NULL;
}

void api_cluster_doubt_tables(api_cluster *cluster)
{
    mutex_lock(&cluster->table_lock);
    cluster->age++;
    mutex_unlock(&cluster->table_lock);
}

void api_cluster_close_tables(api_cluster *cluster)
{
    for (size_t i = 0; i < cluster->tables.count; i++)
        mem_free(cluster->tables.items[i].text);
    for (size_t i = 0; i < cluster->opened.count; i++)
        pq_table_close(cluster->opened.items[i]);
    array_release(&cluster->tables);
    array_release(&cluster->opened);
}
