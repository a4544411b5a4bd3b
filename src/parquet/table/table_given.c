/* table_given.c - maps the leaves of a file to the columns of the table that it was told to be of. */
#include "parquet/table/table_given.h"

#include "parquet/table/table_given_nested.h"
#include "parquet/table/table_listed.h"
#include "storage/object_store.h"

#include <strings.h>

uint32_t pq_given_store(const pq_given *given)
{
    return given && given->store ? given->store : object_store_used();
}

/* ---- the schema ---- */

static pq_leaf given_make_leaf(const pq_given_column *column)
{
    return (pq_leaf){.name = column->name,
                     .top = column->name,
                     .type = column->type,
                     .physical = pq_physical_of(column->type),
                     .type_length = column->type.width == 16 ? 16 : 0,
                     .max_definition = column->is_nullable,
                     .is_nested = column->is_nested,
                     .is_constant = column->is_key,
                     .annotation = ""};
}

/* Says which leaves of the table's schema each column has. */
static void number_leaves(pq_given *given)
{
    uint32_t leaf = 0;
    for (size_t i = 0; i < given->columns.count; i++) {
        pq_given_column *column = &given->columns.items[i];
        column->leaf = leaf;
        column->leaf_count = column->node ? column->node->leaf_count : 1;
        leaf += column->leaf_count;
    }
}

static uint32_t leaf_total(const pq_given *given)
{
    const pq_given_column *last =
        given->columns.count ? &given->columns.items[given->columns.count - 1] : NULL;
    return last ? last->leaf + last->leaf_count : 0;
}

status pq_given_schema(arena *a, const pq_given *given, const pq_metadata **out)
{
    pq_metadata *made = arena_alloc(a, sizeof *made);
    pq_leaf *leaves = arena_alloc_array(a, leaf_total(given) + 1, sizeof *leaves);
    if (!made || !leaves)
        return status_no_memory("table", leaf_total(given) * sizeof *leaves);
    made->leaves = leaves;
    for (size_t i = 0; i < given->columns.count; i++) {
        const pq_given_column *column = &given->columns.items[i];
        leaves[column->leaf] = given_make_leaf(column);
        if (column->node)
            TRY(pq_given_nested_schema(a, column, leaves));
    }
    made->leaf_count = leaf_total(given);
    *out = made;
    return STATUS_OK;
}

/* ---- types that files store columns in ---- */

static bool is_widened_integer(data_type from, data_type to)
{
    return type_is_integer(from) && type_is_integer(to) && type_is_signed(from) &&
           type_is_signed(to) && from.width <= to.width;
}

static bool is_moment(data_type type)
{
    return (type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ);
}

static bool is_widened_decimal(const pq_leaf *leaf, data_type to)
{
    data_type from = leaf->type;
    if (to.id != TYPE_DECIMAL)
        return false;
    if (from.id == TYPE_DECIMAL)
        return from.scale == to.scale && from.precision <= to.precision;
    return false;
}

bool pq_given_adapt(pq_leaf *leaf, data_type to)
{
    data_type from = leaf->type;
    bool is_binary = leaf->physical == PQ_BYTE_ARRAY || leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    if (leaf->is_refused)
        return false;
    bool fits = type_equal(from, to) || is_widened_integer(from, to) ||
                is_widened_decimal(leaf, to) ||
                (from.id == TYPE_FLOAT && to.id == TYPE_DOUBLE && leaf->physical == PQ_FLOAT) ||
                (is_moment(from) && is_moment(to) && from.precision == to.precision) ||
                (type_is_text(from) && type_is_text(to) && leaf->conversion == PQ_CONVERT_NONE);
    if (!fits && to.id == TYPE_UUID && is_binary && leaf->type_length == 16 &&
        leaf->conversion == PQ_CONVERT_NONE) {
        leaf->conversion = PQ_CONVERT_UUID;
        fits = true;
    }
    if (fits)
        leaf->type = to;
    return fits;
}

static value given_widen(const value *v, data_type to)
{
    value made = *v;
    if (to.id == TYPE_DECIMAL)
        return value_decimal(value_int128(v), to);
    made.type = to;
    return made;
}

pq_column_chunk pq_given_adapt_chunk(const pq_column_chunk *stored, data_type from, data_type to)
{
    pq_column_chunk chunk = *stored;
    pq_statistics *s = &chunk.statistics;
    if (type_equal(from, to) && from.width == to.width)
        return chunk;
    chunk.column_index = chunk.bloom = (pq_range){0};
    bool is_same_order = from.id == TYPE_DECIMAL || type_is_integer(from) || is_moment(from) ||
                         from.id == TYPE_FLOAT || type_is_text(from);
    if (to.id == TYPE_UUID || !is_same_order)
        s->has_min = s->has_max = false;
    if (s->has_min)
        s->min = given_widen(&s->min, to);
    if (s->has_max)
        s->max = given_widen(&s->max, to);
    return chunk;
}

pq_column_chunk pq_given_constant_chunk(const value *v, uint64_t rows)
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

/* ---- files ---- */

static bool is_top(const pq_leaf *leaf)
{
    return !strcmp(leaf->name, leaf->top);
}

static const pq_leaf *leaf_of_id(const pq_given_mapping *m, int32_t id)
{
    for (uint32_t i = 0; i < m->stored->leaf_count; i++)
        if (is_top(&m->stored->leaves[i]) && m->stored->leaves[i].field_id == id)
            return &m->stored->leaves[i];
    return NULL;
}

static const pq_leaf *leaf_of_name(const pq_given_mapping *m, const pq_given_column *column)
{
    const pq_leaf *folded = NULL;
    for (size_t n = 0; n < column->stored.count; n++)
        for (uint32_t i = 0; i < m->stored->leaf_count; i++) {
            const pq_leaf *leaf = &m->stored->leaves[i];
            if (!is_top(leaf))
                continue;
            if (!strcmp(leaf->name, column->stored.items[n]))
                return leaf;
            if (!folded && !strcasecmp(leaf->name, column->stored.items[n]))
                folded = leaf;
        }
    return folded;
}

status pq_given_refuse(const pq_given_mapping *m, const char *name, data_type wanted,
                       const pq_leaf *leaf)
{
    char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "column \"%s\" is %s in %s, and %s in file \"%s\", from which it is not "
                      "converted",
                      name, type_name(wanted, to), m->given->what, type_name(leaf->type, from),
                      m->file->path);
}

static const value *value_told(const pq_given_mapping *m, size_t number)
{
    return m->told->constants ? m->told->constants[number] : NULL;
}

static void map_constant(pq_given_mapping *m, size_t number, const value *v)
{
    const pq_given_column *column = &m->given->columns.items[number];
    pq_leaf *leaf = &m->made->leaves[column->leaf];
    leaf->is_constant = true;
    leaf->max_definition = v->is_null;
    m->constants[column->leaf] = v;
    for (uint32_t g = 0; g < m->made->row_group_count; g++) {
        pq_row_group *group = &m->made->row_groups[g];
        group->chunks[column->leaf] = pq_given_constant_chunk(v, group->row_count);
    }
}

static status table_given_map_column(pq_given_mapping *m, size_t number)
{
    const pq_given_column *column = &m->given->columns.items[number];
    const value *told = value_told(m, number);
    pq_leaf *leaf = &m->made->leaves[column->leaf];
    if (column->node)
        return pq_given_nested_map(m, column);
    *leaf = given_make_leaf(column);
    if (column->is_nested)
        return STATUS_OK;
    if (told) {
        map_constant(m, number, told);
        return STATUS_OK;
    }
    const pq_leaf *from = m->by_id ? leaf_of_id(m, column->field_id) : leaf_of_name(m, column);
    if (!from) {
        map_constant(m, number, &column->missing);
        return STATUS_OK;
    }
    *leaf = *from;
    leaf->node = NULL;
    leaf->name = leaf->top = column->name;
    if (leaf->is_nested || !pq_given_adapt(leaf, column->type))
        return pq_given_refuse(m, column->name, column->type, from);
    for (uint32_t g = 0; g < m->made->row_group_count; g++)
        m->made->row_groups[g].chunks[column->leaf] = pq_given_adapt_chunk(
            &m->stored->row_groups[g].chunks[from->number], from->type, column->type);
    return STATUS_OK;
}

static status given_make_metadata(pq_given_mapping *m, arena *a)
{
    m->memory = a;
    size_t count = leaf_total(m->given);
    pq_metadata *made = m->made = arena_alloc(a, sizeof *made);
    m->constants = arena_alloc_array(a, count + 1, sizeof *m->constants);
    pq_leaf *leaves = arena_alloc_array(a, count + 1, sizeof *leaves);
    pq_row_group *groups = arena_alloc_array(a, m->stored->row_group_count + 1, sizeof *groups);
    if (!made || !leaves || !groups || !m->constants)
        return status_no_memory("table", count * sizeof *leaves);
    *made = *m->stored;
    made->leaf_count = (uint32_t)count;
    made->leaves = leaves;
    made->row_groups = groups;
    for (uint32_t g = 0; g < made->row_group_count; g++) {
        groups[g] = m->stored->row_groups[g];
        groups[g].chunks = arena_alloc_array(a, count + 1, sizeof *groups[g].chunks);
        if (!groups[g].chunks)
            return status_no_memory("table", count * sizeof *groups[g].chunks);
    }
    return STATUS_OK;
}

static bool has_ids(const pq_metadata *stored)
{
    for (uint32_t i = 0; i < stored->leaf_count; i++)
        if (stored->leaves[i].field_id ||
            (stored->leaves[i].node && stored->leaves[i].node->field_id))
            return true;
    return false;
}

status pq_given_map(const pq_table *table, arena *a, pq_table_file *f)
{
    const pq_given *given = table->given;
    const pq_metadata *stored = pq_footer_metadata(f->footer);
    pq_given_mapping m = {.given = given,
                          .told = f->given,
                          .stored = stored,
                          .file = f->file,
                          .by_id = given->wants_ids && has_ids(stored)};
    TRY(given_make_metadata(&m, a));
    for (size_t i = 0; i < given->columns.count; i++)
        TRY(table_given_map_column(&m, i));
    f->metadata = m.made;
    f->constants = m.constants;
    return STATUS_OK;
}

/* ---- tables ---- */

static status add_folders(pq_table *table)
{
    const pq_given *given = table->given;
    arena *a = table->memory;
    for (size_t c = 0; c < given->columns.count; c++) {
        const pq_given_column *column = &given->columns.items[c];
        if (column->is_key)
            TRY(array_push(a, &table->hive.keys,
                           ((pq_hive_key){column->name, column->type, column->is_nullable})));
    }
    TRY(array_reserve(a, &table->hive.folders, given->files.count + 1));
    for (size_t i = 0; i < given->files.count && table->hive.keys.count; i++) {
        value *values = arena_alloc_array(a, table->hive.keys.count, sizeof *values);
        if (!values)
            return status_no_memory("table", sizeof *values);
        size_t key = 0;
        for (size_t c = 0; c < given->columns.count; c++)
            if (given->columns.items[c].is_key)
                values[key++] = *given->files.items[i].constants[c];
        table->hive.folders.items[table->hive.folders.count++] = values;
    }
    return STATUS_OK;
}

static status list_given(pq_table *table)
{
    const pq_given *given = table->given;
    bool has_keys = table->hive.keys.count > 0;
    TRY(array_reserve(table->memory, &table->listed, given->files.count + 1));
    for (size_t i = 0; i < given->files.count; i++)
        table->listed.items[i] = (pq_listed_file){
            given->files.items[i].path, has_keys ? (uint32_t)i : 0, &given->files.items[i]};
    table->listed.count = table->file_total = given->files.count;
    table->is_closed = true;
    table->is_schema_only = !given->files.count && !given->parts.count;
    for (size_t i = 0; i < given->parts.count; i++)
        table->file_total +=
            given->parts.items[i].file_count > 0 ? (size_t)given->parts.items[i].file_count : 0;
    return STATUS_OK;
}

bool pq_table_has_deleted(const pq_table *table)
{
    return table->given && table->given->has_deleted;
}

bool pq_given_count(const pq_table *table, uint64_t *out)
{
    uint64_t rows = 0;
    const pq_given *given = table->given;
    if (!given || (given->parts.count && given->has_deleted))
        return false;
    for (size_t i = 0; i < given->parts.count; i++) {
        if (given->parts.items[i].row_count < 0)
            return false;
        rows += (uint64_t)given->parts.items[i].row_count;
    }
    for (size_t i = 0; i < table->given->files.count; i++) {
        const pq_given_file *f = &table->given->files.items[i];
        if (f->row_count < 0 || f->deleted_count < 0 || f->deleted_count > f->row_count)
            return false;
        rows += (uint64_t)(f->row_count - f->deleted_count);
    }
    *out = rows;
    return true;
}

static void add_told_rows(pq_table *table)
{
    for (size_t i = 0; i < table->given->parts.count; i++) {
        const pq_given_part *part = &table->given->parts.items[i];
        table->row_count += part->row_count > 0 ? (uint64_t)part->row_count : 0;
    }
    for (size_t i = 0; i < table->given->files.count; i++) {
        const pq_given_file *f = &table->given->files.items[i];
        table->row_count += f->row_count > 0 ? (uint64_t)f->row_count : 0;
    }
}

static status fill_given(pq_table *table)
{
    TRY(pq_given_schema(table->memory, table->given, &table->schema));
    TRY(add_folders(table));
    TRY(list_given(table));
    TRY(pq_table_finish(table));
    if (!table->row_count)
        add_told_rows(table);
    return STATUS_OK;
}

status pq_table_new_given(arena *memory, const char *name, pq_given *given, bool use_cache,
                          pq_table **out)
{
    pq_table *table = arena_alloc(memory, sizeof *table);
    *out = NULL;
    if (table)
        table->name = table->text = arena_copy_text(memory, name, strlen(name));
    if (!table || !table->name) {
        arena_free(memory);
        return status_no_memory("table", sizeof *table);
    }
    number_leaves(given);
    table->memory = memory;
    table->given = given;
    table->reads_anew = !use_cache;
    table->spec.path = table->name;
    status st = fill_given(table);
    if (st)
        pq_table_close(table);
    else
        *out = table;
    return st;
}

/* ---- parts ---- */

bool pq_table_is_in_parts(const pq_table *table)
{
    return table->given && table->given->parts.count && !table->has_parts;
}

static status list_part(pq_table *made, size_t part)
{
    const pq_given_file_list *files;
    uint32_t before = object_store_use(pq_given_store(made->given));
    status st = made->given->load_part(made->given, part, &files);
    object_store_use(before);
    TRY(st);
    TRY(array_reserve(made->memory, &made->listed, files->count));
    for (size_t i = 0; i < files->count; i++) {
        const pq_given_file *f = &files->items[i];
        made->listed.items[made->listed.count++] = (pq_listed_file){f->path, 0, f};
        made->row_count += f->row_count > 0 ? (uint64_t)f->row_count : 0;
    }
    made->parts_loaded++;
    return STATUS_OK;
}

status pq_table_load_parts(const pq_table *table, const bool *parts, pq_table **out)
{
    pq_table *made;
    TRY(pq_table_new_over(table, out));
    made = *out;
    made->columns.items = table->columns.items;
    made->columns.count = table->columns.count;
    made->is_closed = made->has_parts = true;
    status st = STATUS_OK;
    for (size_t i = 0; i < table->given->parts.count && !st; i++)
        if (!parts || parts[i])
            st = list_part(made, i);
    if (made->file_total < made->listed.count)
        made->file_total = made->listed.count;
    if (!st)
        return STATUS_OK;
    pq_table_close(made);
    *out = NULL;
    return st;
}
