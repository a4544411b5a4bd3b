/* table_union.c - gives each file to the first table whose columns it has. */
#include "parquet/table/table_union.h"

#include "parquet/table/table_files.h"

/* A table for files like this one, behind the last of them; keys are those of all files together. */
static status table_union_add_table(const pq_table *all, const pq_metadata *schema, pq_table **last)
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
        TRY(table_union_add_table(all, schema, last));
        table = *last;
    }
    TRY(array_push(table->memory, &table->files, *file));
    *file = (pq_table_file){0};
    return STATUS_OK;
}

static const pq_leaf *find_leaf(const pq_metadata *m, uint32_t at, const char *name)
{
    if (at < m->leaf_count && !strcmp(m->leaves[at].name, name))
        return &m->leaves[at];
    for (uint32_t i = 0; i < m->leaf_count; i++)
        if (!strcmp(m->leaves[i].name, name))
            return &m->leaves[i];
    return NULL;
}

static bool has_names_of(const pq_metadata *first, const pq_metadata *other)
{
    if (first->leaf_count != other->leaf_count)
        return false;
    for (uint32_t i = 0; i < first->leaf_count; i++) {
        const pq_leaf *leaf = find_leaf(other, i, first->leaves[i].name);
        if (!leaf || leaf->is_nested != first->leaves[i].is_nested ||
            (leaf->is_nested && !type_equal(leaf->type, first->leaves[i].type)))
            return false;
    }
    return true;
}

bool pq_table_is_mixed(const pq_table *table)
{
    bool is_mixed = false;
    if (table->spec.partitioned_by.count || table->spec.access == PQ_LOCAL || !table->files.count)
        return false;
    const pq_metadata *first = pq_footer_metadata(table->files.items[0].footer);
    for (size_t i = 1; i < table->files.count; i++) {
        const pq_metadata *other = pq_footer_metadata(table->files.items[i].footer);
        if (pq_metadata_is_alike(first, other))
            continue;
        is_mixed = true;
        if (!has_names_of(first, other))
            return false;
    }
    return is_mixed;
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
