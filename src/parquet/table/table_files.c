/* table_files.c - opens many files, and gets their footers, on several threads. */
#include "parquet/table/table_files.h"

#include "base/system/mutex.h"
#include "parquet/table/table_given.h"
#include "storage/crew.h"
#include "storage/object_store.h"

#include <pthread.h>
#include <stdatomic.h>

/* Threads that open files: they wait for storage more than they compute. Of object stores they do nothing else. */
#define OPENERS_MAX 8
#define FILES_PER_OPENER 16
#define STORE_OPENERS_MAX 32

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

static status table_files_open_file(const char *path, bool use_cache, pq_table_file *out)
{
    TRY(file_open(path, &out->file));
    TRY(status_context(pq_footer_open(out->file, use_cache, &out->footer), "file \"%s\"",
                       out->file->path));
    out->metadata = pq_footer_metadata(out->footer);
    return STATUS_OK;
}

static void table_files_fail(opening *o, size_t index, status st)
{
    mutex_lock(&o->lock);
    if (index < atomic_load(&o->failed)) {
        status earlier = o->failure;
        o->failure = st;
        atomic_store(&o->failed, index);
        st = earlier;
    }
    mutex_unlock(&o->lock);
    status_free(st);
}

/* Files are taken in order: all before one that failed are opened, or fail themselves. */
static void open_some(void *context)
{
    opening *o = context;
    for (;;) {
        size_t i = atomic_fetch_add(&o->next, 1);
        if (i >= atomic_load(&o->failed))
            return;
        status st = table_files_open_file(o->paths->items[i], o->use_cache, &o->files[i]);
        if (st)
            table_files_fail(o, i, st);
    }
}

static void table_files_open_all(opening *o)
{
    bool is_store = o->paths->count && object_store_has(o->paths->items[0]);
    size_t most = (is_store ? STORE_OPENERS_MAX : OPENERS_MAX) - 1;
    size_t wanted = is_store ? o->paths->count - 1 : o->paths->count / FILES_PER_OPENER;
    if (wanted && !is_store)
        file_expect(2 * o->paths->count); /* each perhaps for direct reads, too */
    crew_run(open_some, o, (unsigned)(wanted < most ? wanted : most));
}

/* Opens the files at the paths, of a table that was told or not; *out_failed: how many come before the failure. */
static status open_paths(const path_list *paths, bool use_cache, const pq_given *given,
                         pq_table_file *files, size_t *out_failed)
{
    uint32_t before = object_store_use(pq_given_store(given));
    opening o = {.paths = paths,
                 .files = files,
                 .use_cache = use_cache,
                 .lock = MUTEX_INITIALIZER,
                 .failed = paths->count};
    table_files_open_all(&o);
    object_store_use(before);
    mutex_destroy(&o.lock);
    *out_failed = atomic_load(&o.failed);
    return o.failure;
}

/* A file before the one that could not be opened may differ: then that is the first bad one. */
static status check_before(const pq_table *table, size_t first, size_t count, status failure)
{
    for (size_t i = first; i < first + count && failure; i++) {
        status st = i || table->schema ? pq_table_check_schema(table, i) : STATUS_OK;
        if (st) {
            status_free(failure);
            return st;
        }
    }
    return failure;
}

status pq_table_open_files(pq_table *table, const path_list *paths, bool use_cache)
{
    size_t good;
    TRY(array_reserve(table->memory, &table->files, paths->count));
    table->files.count = paths->count;
    if (!paths->count)
        return STATUS_OK;
    memset(table->files.items, 0, paths->count * sizeof *table->files.items);
    status st = open_paths(paths, use_cache, table->given, table->files.items, &good);
    return check_before(table, 0, good, st);
}

status pq_table_open_range(pq_table *table, size_t first, const path_list *paths)
{
    size_t good;
    status st =
        open_paths(paths, !table->reads_anew, table->given, table->files.items + first, &good);
    TRY(check_before(table, first, good, st));
    for (size_t i = first; i < first + paths->count; i++)
        TRY(pq_table_check_schema(table, i));
    return STATUS_OK;
}

status pq_files_open(const path_list *paths, bool use_cache, pq_table_file *files)
{
    size_t good;
    return open_paths(paths, use_cache, NULL, files, &good);
}
