/* table.c - opens the files of a table, reads their footers, compares their schemas. */
#include "parquet/table.h"

#include <inttypes.h>

#define FOOTER_TAIL 8 /* length and magic */

static status read_footer(arena *a, const file *f, pq_metadata **out)
{
    uint8_t tail[FOOTER_TAIL];
    uint32_t bytes;
    if (f->bytes < 4 + FOOTER_TAIL)
        return status_new(STATUS_KIND_CORRUPT, "it is too short to be a Parquet file");
    TRY(file_read(f, f->bytes - FOOTER_TAIL, tail, sizeof tail));
    if (!memcmp(tail + 4, "PARE", 4))
        return status_new(STATUS_KIND_UNSUPPORTED, "its footer is encrypted");
    if (memcmp(tail + 4, "PAR1", 4))
        return status_new(STATUS_KIND_CORRUPT,
                          "it is no Parquet file: its last bytes are not PAR1");
    memcpy(&bytes, tail, 4);
    if (bytes > f->bytes - FOOTER_TAIL - 4)
        return status_new(STATUS_KIND_CORRUPT, "its footer's length %" PRIu32 " exceeds the file",
                          bytes);
    void *footer = mem_new(bytes ? bytes : 1);
    if (!footer)
        return status_no_memory("footer", bytes);
    status st = file_read(f, f->bytes - FOOTER_TAIL - bytes, footer, bytes);
    if (!st)
        st = pq_metadata_parse(a, footer, bytes, f->bytes, out);
    mem_free(footer);
    return st;
}

static status check_schema(const pq_metadata *first, const pq_metadata *other)
{
    if (first->leaf_count != other->leaf_count)
        return status_new(STATUS_KIND_INVALID, "it has %u columns, the table's first file has %u",
                          other->leaf_count, first->leaf_count);
    for (uint32_t i = 0; i < first->leaf_count; i++) {
        char name[TYPE_NAME_BYTES], expected[TYPE_NAME_BYTES];
        const pq_leaf *a = &first->leaves[i], *b = &other->leaves[i];
        if (strcmp(a->name, b->name))
            return status_new(STATUS_KIND_INVALID,
                              "its column %u is \"%s\", in the table's first file it is \"%s\"",
                              i + 1, b->name, a->name);
        if (!type_equal(a->type, b->type) || a->max_repetition != b->max_repetition)
            return status_new(STATUS_KIND_INVALID,
                              "its column \"%s\" is %s, in the table's first file it is %s",
                              a->name, type_name(b->type, name), type_name(a->type, expected));
    }
    return STATUS_OK;
}

static status add_file(pq_table *table, const char *path)
{
    pq_table_file entry = {0};
    TRY(array_reserve(table->memory, &table->files, 1));
    TRY(file_open(path, &entry.file));
    table->files.items[table->files.count++] = entry;
    pq_table_file *added = &table->files.items[table->files.count - 1];
    status st = read_footer(table->memory, added->file, &added->metadata);
    if (!st && table->files.count > 1)
        st = check_schema(table->files.items[0].metadata, added->metadata);
    if (st)
        return status_context(st, "file \"%s\"", path);
    table->row_count += added->metadata->row_count;
    for (uint32_t g = 0; g < added->metadata->row_group_count; g++)
        if (added->metadata->row_groups[g].row_count)
            TRY(array_push(table->memory, &table->morsels,
                           ((pq_morsel){(uint32_t)table->files.count - 1, g})));
    return STATUS_OK;
}

static bool has_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

/* Bounds over all row groups: only if every one has them. */
static void gather_statistics(const pq_table *table, pq_table_column *column)
{
    column->has_range = has_number(column->type) && table->morsels.count > 0;
    for (size_t m = 0; m < table->morsels.count; m++) {
        const pq_morsel *morsel = &table->morsels.items[m];
        const pq_row_group *group =
            &table->files.items[morsel->file].metadata->row_groups[morsel->row_group];
        const pq_statistics *s = &group->chunks[column->leaf].statistics;
        if (s->null_count < 0)
            column->null_count = -1;
        else if (column->null_count >= 0)
            column->null_count += s->null_count;
        if (s->distinct_count < 0)
            column->distinct_count = -1;
        else if (column->distinct_count >= 0 && s->distinct_count > column->distinct_count)
            column->distinct_count = s->distinct_count;
        if (s->null_count == (int64_t)group->row_count)
            continue; /* nothing but NULLs: no bounds needed */
        if (!s->has_min || !s->has_max)
            column->has_range = false;
        if (!column->has_range)
            continue;
        int128 min = value_int128(&s->min), max = value_int128(&s->max);
        bool is_first = m == 0 || column->min > column->max;
        column->min = is_first || min < column->min ? min : column->min;
        column->max = is_first || max > column->max ? max : column->max;
    }
    if (column->min > column->max)
        column->has_range = false;
}

static status add_columns(pq_table *table)
{
    const pq_metadata *m = table->files.items[0].metadata;
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        const pq_leaf *leaf = &m->leaves[i];
        pq_table_column column = {.name = leaf->name,
                                  .type = leaf->type,
                                  .leaf = i,
                                  .min = 1,
                                  .is_nullable = leaf->max_definition > 0};
        if (leaf->is_nested || !table->morsels.count)
            column.distinct_count = -1;
        if (!leaf->is_nested)
            gather_statistics(table, &column);
        if (column.null_count == 0 && table->morsels.count)
            column.is_nullable = false;
        TRY(array_push(table->memory, &table->columns, column));
    }
    return STATUS_OK;
}

status pq_table_open(const char *path, pq_table **out)
{
    *out = NULL;
    arena *memory;
    TRY(arena_new(&memory));
    pq_table *table = arena_alloc(memory, sizeof *table);
    if (!table) {
        arena_free(memory);
        return status_no_memory("table", sizeof *table);
    }
    table->memory = memory;
    path_list paths = {0};
    status st = file_expand(memory, path, &paths);
    table->name = arena_copy_text(memory, path, strlen(path));
    if (!st && !table->name)
        st = status_no_memory("table", strlen(path));
    for (size_t i = 0; i < paths.count && !st; i++)
        st = add_file(table, paths.items[i]);
    if (!st)
        st = add_columns(table);
    if (st) {
        pq_table_close(table);
        return st;
    }
    *out = table;
    return STATUS_OK;
}

void pq_table_close(pq_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->files.count; i++)
        file_close(table->files.items[i].file);
    arena_free(table->memory);
}

status pq_table_check_column(const pq_table *table, uint32_t column)
{
    const pq_leaf *leaf =
        &table->files.items[0].metadata->leaves[table->columns.items[column].leaf];
    if (leaf->is_nested)
        return status_new(
            STATUS_KIND_UNSUPPORTED,
            "column \"%s\" of \"%s\" is nested (a list, map or optional struct), which "
            "is not supported",
            leaf->name, table->name);
    if (leaf->type.id == TYPE_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "column \"%s\" of \"%s\" has an unknown type",
                          leaf->name, table->name);
    return STATUS_OK;
}
