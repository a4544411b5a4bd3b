/* table.c - opens the files of a table, gets their footers, compares their schemas. */
#include "parquet/table/table.h"

#include "base/unique_names.h"
#include "parquet/table/table_files.h"
#include "parquet/table/table_listed.h"
#include "parquet/table/table_parts.h"
#include "parquet/table/table_union.h"

#include <inttypes.h>
#include <strings.h>

static bool is_node_alike(const pq_node *a, const pq_node *b)
{
    return !a == !b && (!a || type_equal(a->type, b->type));
}

static status table_check_schema(const pq_metadata *first, const pq_metadata *other)
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
        if (!type_equal(a->type, b->type) || a->max_repetition != b->max_repetition ||
            !is_node_alike(a->node, b->node))
            return status_new(STATUS_KIND_INVALID,
                              "its column \"%s\" is %s, in the table's first file it is %s",
                              a->name, type_name(b->type, name), type_name(a->type, expected));
    }
    return STATUS_OK;
}

bool pq_metadata_is_alike(const pq_metadata *first, const pq_metadata *other)
{
    status st = table_check_schema(first, other);
    status_free(st);
    return !st;
}

status pq_table_check_schema(const pq_table *table, size_t number)
{
    const pq_table_file *one = &table->files.items[number];
    if (table->given)
        return STATUS_OK; /* columns are found in each file anew */
    const pq_metadata *first =
        table->schema ? table->schema : pq_footer_metadata(table->files.items[0].footer);
    return status_context(table_check_schema(first, pq_footer_metadata(one->footer)), "file \"%s\"",
                          one->file->path);
}

static status table_check_schemas(const pq_table *table)
{
    for (size_t i = table->schema ? 0 : 1; i < table->files.count; i++)
        TRY(pq_table_check_schema(table, i));
    return STATUS_OK;
}

status pq_table_add_row_groups(pq_table *table, size_t index)
{
    const pq_table_file *added = &table->files.items[index];
    for (uint32_t g = 0; g < added->metadata->row_group_count; g++)
        if (added->metadata->row_groups[g].row_count)
            TRY(array_push(table->memory, &table->row_groups,
                           ((pq_row_group_ref){(uint32_t)index, g})));
    return STATUS_OK;
}

/* ---- columns ---- */

static bool table_has_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

/* Sums of the distinct values that row groups have, to guess how many the table has. */
typedef struct distinct_sums {
    double most, values,
        width; /* of a row group, and added up: values; distances of their bounds */
    double
        apart;  /* values of row groups each of which begins where the one before ends, or later */
    int128 end; /* of the last one of these */
} distinct_sums;

/* Row groups that have all of the table's range have, it seems, the same values; those that share it among them
 * have values of their own. */
static int64_t distinct_of(const pq_table_column *column, const distinct_sums *sums)
{
    double least = sums->most > sums->apart ? sums->most : sums->apart, scaled = least;
    if (column->has_range && sums->width > 0)
        scaled = sums->values * ((double)column->max - (double)column->min + 1) / sums->width;
    scaled = scaled > sums->values ? sums->values : scaled;
    return (int64_t)(scaled > least ? scaled : least);
}

static void add_apart(distinct_sums *sums, int128 min, int128 max, double distinct)
{
    if (sums->apart > 0 && min < sums->end)
        return;
    sums->apart += distinct - (sums->apart > 0 && min == sums->end);
    sums->end = max;
}

/* Bounds over all row groups: only if every one has them. */
static void gather_statistics(const pq_table *table, pq_table_column *column)
{
    distinct_sums sums = {0};
    column->has_range = table_has_number(column->type) && table->row_groups.count > 0;
    for (size_t m = 0; m < table->row_groups.count; m++) {
        const pq_row_group_ref *group_ref = &table->row_groups.items[m];
        const pq_row_group *group =
            &table->files.items[group_ref->file].metadata->row_groups[group_ref->row_group];
        const pq_statistics *s = &group->chunks[column->leaf].statistics;
        if (s->null_count < 0)
            column->null_count = -1;
        else if (column->null_count >= 0)
            column->null_count += s->null_count;
        if (s->distinct_count < 0)
            column->distinct_count = -1;
        double distinct = s->distinct_count > 0 ? (double)s->distinct_count : 0;
        sums.most = distinct > sums.most ? distinct : sums.most;
        sums.values += distinct;
        if (s->null_count == (int64_t)group->row_count)
            continue; /* nothing but NULLs: no bounds needed */
        if (!s->has_min || !s->has_max)
            column->has_range = false;
        if (!column->has_range)
            continue;
        int128 min = value_int128(&s->min), max = value_int128(&s->max);
        sums.width += (double)max - (double)min + 1;
        add_apart(&sums, min, max, distinct);
        bool is_first = m == 0 || column->min > column->max;
        column->min = is_first || min < column->min ? min : column->min;
        column->max = is_first || max > column->max ? max : column->max;
    }
    if (column->min > column->max)
        column->has_range = false;
    if (column->distinct_count >= 0)
        column->distinct_count = distinct_of(column, &sums);
}

/* A file may have no NULLs and say so (REQUIRED) where another one has some. */
static bool table_may_be_null(const pq_table *table, uint32_t leaf)
{
    for (size_t i = 0; i < table->files.count; i++)
        if (table->files.items[i].metadata->leaves[leaf].max_definition > 0)
            return true;
    return false;
}

/* A nested column: no statistics are of its rows. */
static status add_nested(pq_table *table, const pq_node *node)
{
    pq_table_column column = {.name = node->name,
                              .type = node->type,
                              .leaf = node->leaf,
                              .leaf_count = node->leaf_count,
                              .key = -1,
                              .min = 1,
                              .null_count = -1,
                              .distinct_count = -1,
                              .is_nullable = table->is_closed};
    for (size_t i = 0; i < table->files.count && !column.is_nullable; i++)
        column.is_nullable =
            table->files.items[i].metadata->leaves[node->leaf].node->definition > 0;
    return array_push(table->memory, &table->columns, column);
}

/* Describes a key's values as far as they are known without any footer. */
static status describe_key(const pq_table *table, pq_table_column *column)
{
    const pq_hive_keys *hive = &table->hive;
    size_t count = table->is_closed ? table->listed.count : table->files.count;
    bool *is_marked = mem_new_array(hive->folders.count + 1, sizeof *is_marked);
    if (!is_marked)
        return status_no_memory("table", hive->folders.count);
    for (size_t i = 0; i < count; i++)
        is_marked[table->is_closed ? table->listed.items[i].folder : table->files.items[i].folder] =
            true;
    column->is_nullable = hive->keys.items[column->key].is_nullable;
    for (size_t i = 0; i < hive->folders.count && table->is_closed; i++) {
        const value *v = &hive->folders.items[i][column->key];
        if (!is_marked[i] || v->is_null || !table_has_number(column->type))
            continue;
        int128 number = value_int128(v);
        column->min = !column->has_range || number < column->min ? number : column->min;
        column->max = !column->has_range || number > column->max ? number : column->max;
        column->has_range = true;
    }
    status st = pq_hive_count(hive, (size_t)column->key, is_marked, &column->distinct_count);
    mem_free(is_marked);
    return st;
}

/* Forgets what was known: nothing is known of files that are not open. */
static void blur(pq_table_column *column)
{
    column->has_range = false;
    column->null_count = -1;
    column->is_nullable = true;
}

static int32_t table_key_of(const pq_table *table, const pq_leaf *leaf)
{
    for (size_t i = 0; leaf->is_constant && i < table->hive.keys.count; i++)
        if (!strcasecmp(table->hive.keys.items[i].name, leaf->name))
            return (int32_t)i;
    return -1;
}

/* Returns the column's name; C3, as the fourth one of the file, if that is empty: SQL has no empty names. */
static const char *name_of(const pq_table *table, uint32_t column)
{
    const char *name = table->columns.items[column].name;
    return *name ? name : arena_format(table->memory, "C%u", column);
}

/* Makes names unique: two columns of a file may have one name. Parts of nested columns do not count. */
static status table_make_names_unique(pq_table *table)
{
    size_t count = 0;
    const char **names = arena_alloc_array(table->memory, table->columns.count + 1, sizeof *names);
    if (!names)
        return status_no_memory("table", table->columns.count * sizeof *names);
    for (uint32_t i = 0; i < table->columns.count; i++)
        if (!pq_table_nested_name(table, i) && !(names[count++] = name_of(table, i)))
            return status_no_memory("table", sizeof *names);
    TRY(unique_names(table->memory, names, count));
    count = 0;
    for (uint32_t i = 0; i < table->columns.count; i++)
        if (!pq_table_nested_name(table, i))
            table->columns.items[i].name = names[count++];
    return STATUS_OK;
}

static status table_add_columns(pq_table *table)
{
    const pq_metadata *m = table->given ? table->schema : table->files.items[0].metadata;
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        const pq_leaf *leaf = &m->leaves[i];
        if (leaf->node) {
            TRY(add_nested(table, leaf->node));
            i += leaf->node->leaf_count - 1;
            continue;
        }
        pq_table_column column = {.name = leaf->name,
                                  .type = leaf->type,
                                  .leaf = i,
                                  .leaf_count = 1,
                                  .key = table_key_of(table, leaf),
                                  .min = 1,
                                  .is_nullable = table_may_be_null(table, i)};
        if (leaf->is_nested || !table->row_groups.count)
            column.distinct_count = -1;
        if (!leaf->is_nested)
            gather_statistics(table, &column);
        if (column.null_count == 0 && table->row_groups.count)
            column.is_nullable = false;
        if (table->is_closed)
            blur(&column);
        if (column.key >= 0)
            TRY(describe_key(table, &column));
        TRY(array_push(table->memory, &table->columns, column));
    }
    return table_make_names_unique(table);
}

status pq_table_new(const char *name, const char *text, pq_table **out)
{
    arena *memory;
    *out = NULL;
    TRY(arena_new(&memory));
    pq_table *table = arena_alloc(memory, sizeof *table);
    if (!table) {
        arena_free(memory);
        return status_no_memory("table", sizeof *table);
    }
    table->memory = memory;
    table->name = arena_copy_text(memory, name, strlen(name));
    table->text = arena_copy_text(memory, text, strlen(text));
    status st = table->name && table->text ? pq_table_spec_parse(memory, table->text, &table->spec)
                                           : status_no_memory("table", strlen(text));
    if (st)
        pq_table_close(table);
    else
        *out = table;
    return st;
}

static status table_find_column(const pq_table *table, const char *name, uint32_t *out)
{
    for (uint32_t i = 0; i < table->columns.count; i++)
        if (!strcmp(table->columns.items[i].name, name)) {
            *out = i;
            return STATUS_OK;
        }
    return status_new(STATUS_KIND_NOT_FOUND, "\"%s\" is partitioned_by \"%s\", which it has not",
                      table->name, name);
}

/* From those of the sample, whose row groups are forgotten. */
static void estimate_rows(pq_table *table)
{
    double mean = table->files.count ? (double)table->row_count / (double)table->files.count : 0;
    table->row_count = (uint64_t)(mean * (double)table->listed.count);
    table->row_groups.count = 0;
}

status pq_table_finish(pq_table *table)
{
    TRY(table_check_schemas(table));
    table->schema =
        table->schema ? table->schema : pq_footer_metadata(table->files.items[0].footer);
    TRY(pq_table_add_keys(table));
    for (size_t i = 0; i < table->files.count && !table->is_schema_only; i++)
        TRY(pq_table_add_row_groups(table, i));
    for (size_t i = 0; i < table->files.count && !table->is_schema_only; i++)
        table->row_count += table->files.items[i].metadata->row_count;
    TRY(table_add_columns(table));
    if (table->is_closed)
        estimate_rows(table);
    for (size_t i = 0; i < table->spec.partitioned_by.count; i++) {
        uint32_t column;
        TRY(table_find_column(table, table->spec.partitioned_by.items[i], &column));
        TRY(array_push(table->memory, &table->partitioned_by, column));
    }
    return pq_table_check_parts(table);
}

status pq_table_find_files(arena *a, const pq_table_spec *spec, path_list *out)
{
    file_version any;
    status st = file_expand(a, spec->path, out);
    if (spec->access != PQ_LOCAL)
        return st;
    if (!st && out->count == 1 && !file_version_of_path(out->items[0], &any))
        out->count = 0;
    if (!st || status_get_kind(st) != STATUS_KIND_NOT_FOUND)
        return st;
    status_free(st);
    return STATUS_OK;
}

static status table_open_all(pq_table *table, const path_list *paths)
{
    TRY(pq_table_open_files(table, paths, !table->reads_anew));
    for (size_t i = 1; i < paths->count; i++)
        table->files.items[i].part =
            table->files.items[i - 1].part +
            !pq_is_same_part(table->spec.path, paths->items[i - 1], paths->items[i]);
    return STATUS_OK;
}

static status table_open_table(pq_table *table)
{
    path_list paths = {0};
    TRY(file_expand(table->memory, table->spec.path, &paths));
    uint32_t *folders = arena_alloc_array(table->memory, paths.count, sizeof *folders);
    if (!folders)
        return status_no_memory("table", paths.count * sizeof *folders);
    TRY(pq_hive_find(table->memory, table->spec.hive, &table->spec.hive_types, &paths, folders,
                     &table->hive));
    if (table->spec.has_filename)
        TRY(pq_hive_add_filename(table->memory, &paths, folders, &table->hive));
    table->file_total = paths.count;
    if (table->hive.keys.count && paths.count > 1 && !table->spec.partitioned_by.count &&
        !table->spec.is_united)
        return pq_table_list(table, &paths, folders);
    TRY(table_open_all(table, &paths));
    for (size_t i = 0; i < paths.count; i++)
        table->files.items[i].folder = folders[i];
    return table->spec.is_united || pq_table_is_mixed(table) ? pq_table_unite(table)
                                                             : pq_table_finish(table);
}

static status finish_opening(pq_table **table, bool use_cache)
{
    (*table)->reads_anew = !use_cache;
    status st = table_open_table(*table);
    if (st) {
        pq_table_close(*table);
        *table = NULL;
    }
    return st;
}

status pq_table_open(const char *text, bool use_cache, pq_table **out)
{
    TRY(pq_table_new(text, text, out));
    return finish_opening(out, use_cache);
}

status pq_table_open_plain(const char *path, bool use_cache, pq_table **out)
{
    TRY(pq_table_new(path, path, out));
    (*out)->spec.hive = PQ_HIVE_OFF;
    return finish_opening(out, use_cache);
}

/* The path's next file of this machine is that at the path, and none of the table's was passed over. */
static bool has_next(const pq_table *table, const char *path, size_t *next)
{
    while (*next < table->files.count && !file_is_here(table->files.items[*next].file))
        ++*next;
    if (*next == table->files.count || strcmp(path, table->files.items[*next].file->path))
        return false;
    return pq_table_is_same_file(table->files.items[(*next)++].file, path);
}

static bool is_at_end(const pq_table *table, size_t next)
{
    while (next < table->files.count && !file_is_here(table->files.items[next].file))
        next++;
    return next == table->files.count;
}

/* The files of this machine, in their order, are those at the paths; each is of one of the united tables. */
static bool are_same_files(arena *a, const pq_table *table, const path_list *paths)
{
    size_t count = 0, number;
    for (const pq_table *t = table; t; t = t->united)
        count++;
    size_t *next = arena_alloc_array(a, count, sizeof *next);
    bool is_same = next;
    for (size_t i = 0; i < paths->count && is_same; i++) {
        is_same = false;
        number = 0;
        for (const pq_table *t = table; t && !is_same; t = t->united)
            is_same = has_next(t, paths->items[i], &next[number++]);
    }
    number = 0;
    for (const pq_table *t = table; t && is_same; t = t->united)
        is_same = is_at_end(t, next[number++]);
    return is_same;
}

bool pq_table_is_current(const pq_table *table)
{
    arena *scratch;
    path_list paths = {0};
    if (!table->files.count || table->given)
        return true; /* not made of files, or its lake says so */
    status st = arena_new(&scratch);
    if (st) {
        status_free(st);
        return true;
    }
    st = pq_table_find_files(scratch, &table->spec, &paths);
    bool is_same = !st && (table->is_closed ? pq_table_lists(table, &paths)
                                            : are_same_files(scratch, table, &paths));
    status_free(st);
    arena_free(scratch);
    return is_same;
}

void pq_table_close(pq_table *table)
{
    while (table) {
        pq_table *next = table->united;
        for (size_t i = 0; i < table->files.count; i++) {
            file_close(table->files.items[i].file);
            pq_footer_unref(table->files.items[i].footer);
        }
        arena_free(table->memory);
        table = next;
    }
}

static const pq_leaf *table_leaf_of(const pq_table *table, uint32_t column)
{
    const pq_metadata *m = table->given ? table->schema : table->files.items[0].metadata;
    return &m->leaves[table->columns.items[column].leaf];
}

const char *pq_table_nested_name(const pq_table *table, uint32_t column)
{
    const pq_leaf *leaf = table_leaf_of(table, column);
    return leaf->is_nested && !leaf->node ? leaf->top : NULL;
}

size_t pq_table_count_columns(const pq_table *table)
{
    const char *before = NULL;
    size_t count = 0;
    for (uint32_t i = 0; i < table->columns.count; i++) {
        const char *nested = pq_table_nested_name(table, i);
        count +=
            !nested || nested != before; /* its leaves follow one another, and share the name */
        before = nested;
    }
    return count;
}

status pq_table_check_column(const pq_table *table, uint32_t column)
{
    const pq_leaf *leaf = table_leaf_of(table, column);
    if (leaf->node)
        return STATUS_OK;
    if (leaf->is_nested)
        return status_new(
            STATUS_KIND_UNSUPPORTED,
            "column \"%s\" of \"%s\" is nested in a way (VARIANT, say) that is not supported",
            leaf->top, table->name);
    if (leaf->is_refused)
        return status_new(
            STATUS_KIND_UNSUPPORTED,
            "column \"%s\" of \"%s\" is %s in its file, which is not a type that can be "
            "read",
            leaf->name, table->name, leaf->annotation);
    return STATUS_OK;
}
