/* rows.c - counted parts of tables, which are files without names. */
#include "sql/catalog/rows.h"

#include "sql/catalog/catalog_ahead.h"

#include <stdatomic.h>
#include <unistd.h>

status sql_part_new(pq_table *table, int descriptor, bool owns_table, sql_part **out)
{
    sql_part *part = mem_new(sizeof *part);
    *out = part;
    if (!part) {
        if (owns_table)
            pq_table_close(table);
        if (descriptor >= 0)
            close(descriptor);
        return status_no_memory("table", sizeof *part);
    }
    atomic_init(&part->references, 1);
    part->table = table;
    part->descriptor = descriptor;
    part->owns_table = owns_table;
    return STATUS_OK;
}

void sql_part_unref(sql_part *part)
{
    if (!part || atomic_fetch_sub(&part->references, 1) != 1)
        return;
    if (part->owns_table)
        pq_table_close(part->table);
    if (part->descriptor >= 0)
        close(part->descriptor);
    mem_free(part);
}

status sql_held_add(sql_held *held, const sql_part_list *parts, sql_part_list *out)
{
    *out = (sql_part_list){0};
    for (size_t i = 0; i < parts->count; i++) {
        TRY(array_push(held->memory, out, parts->items[i]));
        TRY(array_push(held->memory, &held->parts, parts->items[i]));
        atomic_fetch_add(&parts->items[i]->references, 1);
    }
    return STATUS_OK;
}

bool sql_held_has(const sql_held *held, const pq_table *table)
{
    for (size_t i = 0; i < held->tables.count; i++)
        if (held->tables.items[i] == table)
            return true;
    return false;
}

status sql_held_add_table(sql_held *held, pq_table *table)
{
    if (sql_held_has(held, table))
        return STATUS_OK;
    TRY(array_push(held->memory, &held->tables, table));
    atomic_fetch_add(&table->users, 1);
    return STATUS_OK;
}

void sql_held_release(sql_held *held)
{
    sql_ahead_release(held);
    for (size_t i = 0; i < held->tables.count; i++)
        atomic_fetch_sub(&held->tables.items[i]->users, 1);
    held->tables.count = 0;
    for (size_t i = 0; i < held->parts.count; i++)
        sql_part_unref(held->parts.items[i]);
    held->parts.count = 0;
}

uint64_t sql_parts_rows(const sql_part_list *parts)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < parts->count; i++)
        rows += parts->items[i]->table->row_count;
    return rows;
}

size_t sql_parts_kept(const sql_part_list *parts)
{
    size_t kept = parts->count;
    uint64_t behind = 1; /* at least one comes */
    for (size_t i = parts->count; i-- > 0;) {
        uint64_t rows = parts->items[i]->table->row_count;
        if (rows <= behind)
            kept = i;
        behind += rows;
    }
    return kept;
}
