/* table_listed.c - closed tables, and the columns that folders' names give. */
#include "parquet/table/table_listed.h"

#include "parquet/table/table_files.h"
#include "parquet/table/table_given.h"

#include <strings.h>

/* Up to so many files are opened as soon as they are asked for; so many of more are a sample. */
#define SAMPLE_FILES 32

/* ---- keys in metadata ---- */

/* The leaf of the stored schema that has the key's name, or the one behind all and the keys before it. */
static uint32_t leaf_of_key(const pq_table *table, const pq_metadata *stored, size_t key)
{
    uint32_t behind = stored->leaf_count;
    for (size_t k = 0; k <= key; k++) {
        uint32_t leaf = 0;
        while (leaf < stored->leaf_count &&
               strcasecmp(stored->leaves[leaf].name, table->hive.keys.items[k].name) != 0)
            leaf++;
        if (k == key)
            return leaf < stored->leaf_count ? leaf : behind;
        behind += leaf == stored->leaf_count;
    }
    return behind;
}

static uint32_t count_leaves(const pq_table *table, const pq_metadata *stored)
{
    uint32_t count = stored->leaf_count;
    for (size_t k = 0; k < table->hive.keys.count; k++)
        count += leaf_of_key(table, stored, k) >= stored->leaf_count;
    return count;
}

pq_physical pq_physical_of(data_type type)
{
    switch (type.id) {
    case TYPE_BOOL:
        return PQ_BOOLEAN;
    case TYPE_FLOAT:
        return PQ_FLOAT;
    case TYPE_DOUBLE:
        return PQ_DOUBLE;
    case TYPE_VARCHAR:
        return PQ_BYTE_ARRAY;
    default:
        return type.width == 16 ? PQ_FIXED_LEN_BYTE_ARRAY : type.width == 8 ? PQ_INT64 : PQ_INT32;
    }
}

static pq_leaf table_listed_make_leaf(const pq_hive_key *key)
{
    pq_physical physical = pq_physical_of(key->type);
    return (pq_leaf){.name = key->name,
                     .top = key->name,
                     .type = key->type,
                     .physical = physical,
                     .type_length = physical == PQ_FIXED_LEN_BYTE_ARRAY ? key->type.width : 0,
                     .max_definition = key->is_nullable,
                     .is_constant = true,
                     .annotation = ""};
}

static pq_column_chunk table_listed_make_chunk(const value *v, uint64_t rows)
{
    return (pq_column_chunk){.value_count = rows,
                             .statistics = {.has_min = !v->is_null,
                                            .has_max = !v->is_null,
                                            .is_min_exact = true,
                                            .is_max_exact = true,
                                            .min = *v,
                                            .max = *v,
                                            .null_count = v->is_null ? (int64_t)rows : 0,
                                            .distinct_count = !v->is_null}};
}

static status table_listed_add_keys(const pq_table *table, arena *a, pq_table_file *f)
{
    const pq_metadata *stored = f->metadata;
    const value *values = table->hive.folders.items[f->folder];
    uint32_t count = count_leaves(table, stored);
    pq_metadata *made = arena_alloc(a, sizeof *made);
    pq_leaf *leaves = arena_alloc_array(a, count, sizeof *leaves);
    pq_row_group *groups = arena_alloc_array(a, stored->row_group_count + 1, sizeof *groups);
    if (!made || !leaves || !groups)
        return status_no_memory("table", count * sizeof *leaves);
    memcpy(leaves, stored->leaves, stored->leaf_count * sizeof *leaves);
    for (size_t k = 0; k < table->hive.keys.count; k++)
        leaves[leaf_of_key(table, stored, k)] = table_listed_make_leaf(&table->hive.keys.items[k]);
    for (uint32_t g = 0; g < stored->row_group_count; g++) {
        groups[g] = stored->row_groups[g];
        groups[g].chunks = arena_alloc_array(a, count, sizeof *groups[g].chunks);
        if (!groups[g].chunks)
            return status_no_memory("table", count * sizeof *groups[g].chunks);
        memcpy(groups[g].chunks, stored->row_groups[g].chunks,
               stored->leaf_count * sizeof *groups[g].chunks);
        for (size_t k = 0; k < table->hive.keys.count; k++)
            groups[g].chunks[leaf_of_key(table, stored, k)] =
                table_listed_make_chunk(&values[k], groups[g].row_count);
    }
    *made = *stored;
    made->leaf_count = count;
    made->leaves = leaves;
    made->row_groups = groups;
    f->metadata = made;
    return STATUS_OK;
}

/* Makes the file's metadata that of the table: with its keys, or with the columns that were told. */
static status table_listed_complete(const pq_table *table, pq_table_file *f)
{
    if (table->given)
        return pq_given_map(table, table->memory, f);
    return table->hive.keys.count ? table_listed_add_keys(table, table->memory, f) : STATUS_OK;
}

status pq_table_add_keys(pq_table *table)
{
    for (size_t i = 0; i < table->files.count; i++)
        TRY(table_listed_complete(table, &table->files.items[i]));
    return STATUS_OK;
}

/* ---- closed tables ---- */

/* Opens `count` of the listed files, evenly spread, and says what they tell. */
static status open_sample(pq_table *table, size_t count)
{
    path_list paths = {0};
    size_t all = table->listed.count;
    for (size_t i = 0; i < count; i++)
        TRY(array_push(table->memory, &paths, (char *)table->listed.items[i * all / count].path));
    TRY(pq_table_open_files(table, &paths, !table->reads_anew));
    for (size_t i = 0; i < count; i++) {
        table->files.items[i].folder = table->listed.items[i * all / count].folder;
        table->files.items[i].given = table->listed.items[i * all / count].given;
    }
    table->is_closed = count < all;
    return pq_table_finish(table);
}

status pq_table_list(pq_table *table, const path_list *paths, const uint32_t *folders)
{
    TRY(array_reserve(table->memory, &table->listed, paths->count));
    for (size_t i = 0; i < paths->count; i++)
        table->listed.items[i] = (pq_listed_file){paths->items[i], folders[i], NULL};
    table->listed.count = paths->count;
    return open_sample(table, 1);
}

status pq_table_new_over(const pq_table *table, pq_table **out)
{
    TRY(pq_table_new(table->name, table->name, out));
    (*out)->hive = table->hive;
    (*out)->schema = table->schema;
    (*out)->given = table->given;
    (*out)->has_parts = table->has_parts;
    (*out)->parts_loaded = table->parts_loaded;
    (*out)->file_total = table->file_total;
    (*out)->reads_anew = table->reads_anew;
    return STATUS_OK;
}

/* Opens the files, or some of them. If there are none, the first one is opened for its columns, unless these were told. */
static status open_wanted(const pq_table *table, const bool *files, size_t most, pq_table *made)
{
    for (size_t i = 0; i < table->listed.count; i++)
        if (!files || files[i])
            TRY(array_push(made->memory, &made->listed, table->listed.items[i]));
    made->is_schema_only = !made->listed.count;
    if (made->is_schema_only && !table->given)
        TRY(array_push(made->memory, &made->listed, table->listed.items[0]));
    return open_sample(made, made->listed.count < most ? made->listed.count : most);
}

static void close_lower(void *table)
{
    pq_table_close(table);
}

static status table_listed_make(const pq_table *table, const bool *files, size_t most,
                                pq_table **out);

/* All parts are loaded first: a table that goes with the one that is made on it. */
static status make_of_parts(const pq_table *table, size_t most, pq_table **out)
{
    pq_table *all;
    *out = NULL;
    TRY(pq_table_load_parts(table, NULL, &all));
    status st = table_listed_make(all, NULL, most, out);
    if (!st)
        st = arena_on_free((*out)->memory, close_lower, all);
    if (!st)
        return STATUS_OK;
    pq_table_close(*out);
    pq_table_close(all);
    *out = NULL;
    return st;
}

static status table_listed_make(const pq_table *table, const bool *files, size_t most,
                                pq_table **out)
{
    if (pq_table_is_in_parts(table))
        return make_of_parts(table, most, out);
    TRY(pq_table_new_over(table, out));
    status st = open_wanted(table, files, most, *out);
    if (st) {
        pq_table_close(*out);
        *out = NULL;
    }
    return st;
}

status pq_table_narrow(const pq_table *table, const bool *files, pq_table **out)
{
    return table_listed_make(table, files, SAMPLE_FILES, out);
}

status pq_table_open_listed(const pq_table *table, pq_table **out)
{
    return table_listed_make(table, NULL, SIZE_MAX, out);
}

status pq_table_open_later(const pq_table *table, pq_table **out)
{
    TRY(pq_table_new_over(table, out));
    pq_table *made = *out;
    made->is_closed = true;
    made->listed.items = table->listed.items;
    made->listed.count = table->listed.count;
    made->columns.items = table->columns.items;
    made->columns.count = table->columns.count;
    made->row_count = table->row_count;
    status st = array_reserve(made->memory, &made->files, made->listed.count);
    if (st) {
        pq_table_close(made);
        *out = NULL;
        return st;
    }
    memset(made->files.items, 0, made->listed.count * sizeof *made->files.items);
    return STATUS_OK;
}

status pq_table_open_more(pq_table *table, const uint32_t *numbers, size_t count)
{
    path_list paths = {0};
    size_t first = table->files.count;
    for (size_t i = 0; i < count; i++)
        TRY(array_push(table->memory, &paths, (char *)table->listed.items[numbers[i]].path));
    table->files.count += count;
    TRY(pq_table_open_range(table, first, &paths));
    for (size_t i = 0; i < count; i++) {
        pq_table_file *f = &table->files.items[first + i];
        f->folder = table->listed.items[numbers[i]].folder;
        f->given = table->listed.items[numbers[i]].given;
        TRY(table_listed_complete(table, f));
        TRY(pq_table_add_row_groups(table, first + i));
    }
    return STATUS_OK;
}

status pq_table_count_rows(const pq_table *table, uint64_t *out)
{
    pq_table *opened;
    *out = table->row_count;
    if (!table->is_closed || pq_given_count(table, out))
        return STATUS_OK;
    TRY(pq_table_open_listed(table, &opened));
    *out = opened->row_count;
    pq_table_close(opened);
    return STATUS_OK;
}

bool pq_table_is_same_file(const file *f, const char *path)
{
    file_version now;
    return file_version_of_path(path, &now) && file_version_equal(&now, &f->version);
}

bool pq_table_lists(const pq_table *table, const path_list *paths)
{
    if (table->listed.count != paths->count)
        return false;
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(table->listed.items[i].path, paths->items[i]) != 0)
            return false;
    const file *first = table->files.items[0].file;
    return pq_table_is_same_file(first, first->path);
}
