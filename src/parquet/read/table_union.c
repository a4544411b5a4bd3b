/* table_union.c - gives each file to the first table whose columns it has. */
#include "parquet/read/table_union.h"

#include "parquet/read/table_files.h"

/* A table for files like this one, behind the last of them; keys are those of all files together. */
static status add_table(const pq_table *all, const pq_metadata *schema, pq_table **last)
{
    pq_table *table;
    TRY(pq_table_new(all->name, all->text, &table));
    (*last)->united = table;
    *last = table;
    table->hive = all->hive;
    table->schema = schema;
    for (size_t i = 0; i < all->rank_nodes.count; i++)
        TRY(array_push(table->memory, &table->rank_nodes, all->rank_nodes.items[i]));
    return STATUS_OK;
}

/* Takes the file over. */
static status give_file(pq_table *all, pq_table_file *file, pq_table **last)
{
    const pq_metadata *schema = pq_footer_metadata(file->footer);
    pq_table *table = all;
    while (table && !pq_metadata_is_alike(table->schema, schema))
        table = table->united;
    if (!table) {
        TRY(add_table(all, schema, last));
        table = *last;
    }
    TRY(array_push(table->memory, &table->files, *file));
    *file = (pq_table_file){0};
    return STATUS_OK;
}

/* The table keeps the files that come to nothing, too. */
status pq_table_unite(pq_table *table)
{
    pq_table *last = table;
    size_t count = table->files.count;
    status st = STATUS_OK;
    table->schema = pq_footer_metadata(table->files.items[0].footer);
    table->files.count = 0;
    for (size_t i = 0; i < count && !st; i++) {
        pq_table_file file = table->files.items[i];
        table->files.items[i] = (pq_table_file){0};
        st = give_file(table, &file, &last);
        table->files.items[i] = file.file ? file : table->files.items[i];
    }
    if (st) {
        table->files.count = count; /* to be closed */
        return st;
    }
    for (pq_table *t = table; t; t = t->united) {
        t->file_total = t->files.count;
        TRY(pq_table_finish(t));
    }
    return STATUS_OK;
}
