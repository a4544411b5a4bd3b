/* table_union.c - opens all files, then gives each to the first table whose columns it has. */
#include "parquet/read/table_union.h"

#include "parquet/read/table_files.h"
#include "parquet/read/table_listed.h"

/* What is made, and what the files are until they have a table. */
typedef struct sorting {
    pq_union *all;
    path_list paths;
    pq_hive_keys hive;
    uint32_t *folders;
    pq_table_file *files; /* by path; zeroed when a table has it */
} sorting;

static status find_files(sorting *s)
{
    arena *a = s->all->memory;
    TRY(file_expand(a, s->all->spec.path, &s->paths));
    s->folders = arena_alloc_array(a, s->paths.count, sizeof *s->folders);
    s->files = arena_alloc_array(a, s->paths.count, sizeof *s->files);
    if (!s->folders || !s->files)
        return status_no_memory("table", s->paths.count * sizeof *s->files);
    return pq_hive_find(a, s->all->spec.hive, &s->paths, s->folders, &s->hive);
}

/* A table for files like this one. */
static status add_table(sorting *s, const pq_metadata *schema, pq_table **out)
{
    TRY(array_reserve(s->all->memory, &s->all->tables, 1));
    TRY(pq_table_new(s->all->text, s->all->text, out));
    s->all->tables.items[s->all->tables.count++] = *out;
    (*out)->hive = s->hive;
    (*out)->schema = schema;
    return STATUS_OK;
}

static status give_file(sorting *s, size_t number)
{
    pq_table_file *f = &s->files[number];
    const pq_metadata *m = pq_footer_metadata(f->footer);
    pq_table *table = NULL;
    for (size_t i = 0; i < s->all->tables.count && !table; i++)
        if (pq_metadata_is_alike(s->all->tables.items[i]->schema, m))
            table = s->all->tables.items[i];
    if (!table)
        TRY(add_table(s, m, &table));
    f->folder = s->folders[number];
    TRY(array_push(table->memory, &table->files, *f));
    TRY(array_push(s->all->memory, &s->all->files, f->file));
    *f = (pq_table_file){0};
    return STATUS_OK;
}

static status sort_files(sorting *s, bool use_cache)
{
    TRY(find_files(s));
    TRY(pq_files_open(&s->paths, use_cache, s->files));
    for (size_t i = 0; i < s->paths.count; i++)
        TRY(give_file(s, i));
    for (size_t i = 0; i < s->all->tables.count; i++) {
        pq_table *table = s->all->tables.items[i];
        table->file_total = table->files.count;
        TRY(pq_table_finish(table));
    }
    return STATUS_OK;
}

static status open_union(pq_union *all, const char *text, bool use_cache)
{
    sorting s = {.all = all};
    char *copy = arena_copy_text(all->memory, text, strlen(text));
    all->text = copy;
    if (!copy)
        return status_no_memory("table", strlen(text));
    TRY(pq_table_spec_parse(all->memory, copy, &all->spec));
    status st = sort_files(&s, use_cache);
    for (size_t i = 0; s.files && i < s.paths.count; i++) {
        file_close(s.files[i].file);
        pq_footer_unref(s.files[i].footer);
    }
    return st;
}

status pq_union_open(const char *text, bool use_cache, pq_union **out)
{
    arena *memory;
    *out = NULL;
    TRY(arena_new(&memory));
    pq_union *all = arena_alloc(memory, sizeof *all);
    if (!all) {
        arena_free(memory);
        return status_no_memory("table", sizeof *all);
    }
    all->memory = memory;
    status st = open_union(all, text, use_cache);
    if (st)
        pq_union_close(all);
    else
        *out = all;
    return st;
}

void pq_union_close(pq_union *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->tables.count; i++)
        pq_table_close(all->tables.items[i]);
    arena_free(all->memory);
}

bool pq_union_is_current(const pq_union *all)
{
    arena *scratch;
    path_list paths = {0};
    status st = arena_new(&scratch);
    if (st) {
        status_free(st);
        return true;
    }
    st = file_expand(scratch, all->spec.path, &paths);
    bool is_same = !st && paths.count == all->files.count;
    for (size_t i = 0; i < paths.count && is_same; i++)
        is_same = !strcmp(all->files.items[i]->path, paths.items[i]) &&
                  pq_table_is_same_file(all->files.items[i], paths.items[i]);
    status_free(st);
    arena_free(scratch);
    return is_same;
}
