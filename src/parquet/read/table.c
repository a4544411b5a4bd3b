/* table.c - opens the files of a table, gets their footers, compares their schemas. */
#include "parquet/read/table.h"

#include "parquet/read/table_parts.h"

#include <inttypes.h>

#include <pthread.h>
#include <stdatomic.h>

/* Threads that open files: they wait for storage more than they compute. */
#define OPENERS_MAX 8
#define FILES_PER_OPENER 16

/* ---- files ---- */

/* Several threads open a table's files, taking one after another. */
typedef struct opening {
    const path_list *paths;
    pq_table_file *files;
    bool use_cache;
    atomic_size_t next;
    pthread_mutex_t lock;
    _Atomic size_t failed; /* the first in order that could not be opened; count of paths: none */
    status failure;        /* its; under the lock */
} opening;

static status open_file(const char *path, bool use_cache, pq_table_file *out)
{
    TRY(file_open(path, &out->file));
    TRY(status_context(pq_footer_open(out->file, use_cache, &out->footer), "file \"%s\"", path));
    out->metadata = pq_footer_metadata(out->footer);
    return STATUS_OK;
}

static void fail(opening *o, size_t index, status st)
{
    pthread_mutex_lock(&o->lock);
    if (index < atomic_load(&o->failed)) {
        status earlier = o->failure;
        o->failure = st;
        atomic_store(&o->failed, index);
        st = earlier;
    }
    pthread_mutex_unlock(&o->lock);
    status_free(st);
}

/* Files are taken in order: all before one that failed are opened, or fail themselves. */
static void *open_some(void *context)
{
    opening *o = context;
    for (;;) {
        size_t i = atomic_fetch_add(&o->next, 1);
        if (i >= atomic_load(&o->failed))
            return NULL;
        status st = open_file(o->paths->items[i], o->use_cache, &o->files[i]);
        if (st)
            fail(o, i, st);
    }
}

static void open_all(opening *o)
{
    pthread_t helpers[OPENERS_MAX - 1];
    unsigned count = 0;
    if (o->paths->count >= FILES_PER_OPENER)
        file_expect(2 * o->paths->count); /* each perhaps for direct reads, too */
    while (count < OPENERS_MAX - 1 && o->paths->count / FILES_PER_OPENER > count &&
           !pthread_create(&helpers[count], NULL, open_some, o))
        count++;
    open_some(o);
    while (count)
        pthread_join(helpers[--count], NULL);
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

status pq_table_check_schema(const pq_table *table, size_t number)
{
    const pq_table_file *one = &table->files.items[number];
    return status_context(check_schema(table->files.items[0].metadata, one->metadata),
                          "file \"%s\"", one->file->path);
}

static status check_schemas(const pq_table *table, size_t count)
{
    for (size_t i = 1; i < count; i++)
        TRY(pq_table_check_schema(table, i));
    return STATUS_OK;
}

static status add_file(pq_table *table, size_t index)
{
    const pq_table_file *added = &table->files.items[index];
    table->row_count += added->metadata->row_count;
    for (uint32_t g = 0; g < added->metadata->row_group_count; g++)
        if (added->metadata->row_groups[g].row_count)
            TRY(array_push(table->memory, &table->row_groups,
                           ((pq_row_group_ref){(uint32_t)index, g})));
    return STATUS_OK;
}

/* The failure is the one of the first bad file in order. */
static status open_files(pq_table *table, const path_list *paths, bool use_cache)
{
    TRY(array_reserve(table->memory, &table->files, paths->count));
    memset(table->files.items, 0, paths->count * sizeof *table->files.items);
    table->files.count = paths->count;
    opening o = {.paths = paths,
                 .files = table->files.items,
                 .use_cache = use_cache,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .failed = paths->count};
    open_all(&o);
    pthread_mutex_destroy(&o.lock);
    if (!o.failure)
        return STATUS_OK;
    status st = check_schemas(table, atomic_load(&o.failed));
    if (!st)
        return o.failure;
    status_free(o.failure);
    return st;
}

/* ---- columns ---- */

static bool has_number(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

/* Bounds over all row groups: only if every one has them. */
static void gather_statistics(const pq_table *table, pq_table_column *column)
{
    column->has_range = has_number(column->type) && table->row_groups.count > 0;
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

/* A file may have no NULLs and say so (REQUIRED) where another one has some. */
static bool may_be_null(const pq_table *table, uint32_t leaf)
{
    for (size_t i = 0; i < table->files.count; i++)
        if (table->files.items[i].metadata->leaves[leaf].max_definition > 0)
            return true;
    return false;
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
                                  .is_nullable = may_be_null(table, i)};
        if (leaf->is_nested || !table->row_groups.count)
            column.distinct_count = -1;
        if (!leaf->is_nested)
            gather_statistics(table, &column);
        if (column.null_count == 0 && table->row_groups.count)
            column.is_nullable = false;
        TRY(array_push(table->memory, &table->columns, column));
    }
    return STATUS_OK;
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
    char *copy = arena_copy_text(memory, text, strlen(text));
    status st = table->name && copy ? pq_table_spec_parse(memory, copy, &table->spec)
                                    : status_no_memory("table", strlen(text));
    if (st)
        pq_table_close(table);
    else
        *out = table;
    return st;
}

static status find_column(const pq_table *table, const char *name, uint32_t *out)
{
    for (uint32_t i = 0; i < table->columns.count; i++)
        if (!strcmp(table->columns.items[i].name, name)) {
            *out = i;
            return STATUS_OK;
        }
    return status_new(STATUS_KIND_NOT_FOUND, "\"%s\" is partitioned_by \"%s\", which it has not",
                      table->name, name);
}

status pq_table_finish(pq_table *table)
{
    TRY(check_schemas(table, table->files.count));
    for (size_t i = 0; i < table->files.count; i++)
        TRY(add_file(table, i));
    TRY(add_columns(table));
    for (size_t i = 0; i < table->spec.partitioned_by.count; i++) {
        uint32_t column;
        TRY(find_column(table, table->spec.partitioned_by.items[i], &column));
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

static status open_table(pq_table *table, bool use_cache)
{
    path_list paths = {0};
    TRY(file_expand(table->memory, table->spec.path, &paths));
    TRY(open_files(table, &paths, use_cache));
    for (size_t i = 1; i < paths.count; i++)
        table->files.items[i].part =
            table->files.items[i - 1].part +
            !pq_is_same_part(table->spec.path, paths.items[i - 1], paths.items[i]);
    return pq_table_finish(table);
}

status pq_table_open(const char *text, bool use_cache, pq_table **out)
{
    TRY(pq_table_new(text, text, out));
    status st = open_table(*out, use_cache);
    if (st) {
        pq_table_close(*out);
        *out = NULL;
    }
    return st;
}

static bool is_same_file(const file *f, const char *path)
{
    file_version now;
    return file_version_of_path(path, &now) && file_version_equal(&now, &f->version);
}

/* The files of this machine, in their order, are those at the paths. */
static bool are_same_files(const pq_table *table, const path_list *paths)
{
    size_t next = 0;
    for (size_t i = 0; i < table->files.count; i++) {
        const file *f = table->files.items[i].file;
        if (!file_is_here(f))
            continue;
        if (next == paths->count || strcmp(paths->items[next], f->path) ||
            !is_same_file(f, paths->items[next]))
            return false;
        next++;
    }
    return next == paths->count;
}

bool pq_table_is_current(const pq_table *table)
{
    arena *scratch;
    path_list paths = {0};
    if (!table->files.count)
        return true; /* not made of files */
    status st = arena_new(&scratch);
    if (st) {
        status_free(st);
        return true;
    }
    st = pq_table_find_files(scratch, &table->spec, &paths);
    bool is_same = !st && are_same_files(table, &paths);
    status_free(st);
    arena_free(scratch);
    return is_same;
}

void pq_table_close(pq_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->files.count; i++) {
        file_close(table->files.items[i].file);
        pq_footer_unref(table->files.items[i].footer);
    }
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
