/* table_files.c - opens many files, and gets their footers, on several threads. */
#include "parquet/read/table_files.h"

#include <pthread.h>
#include <stdatomic.h>

/* Threads that open files: they wait for storage more than they compute. */
#define OPENERS_MAX 8
#define FILES_PER_OPENER 16

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

/* The failure is the one of the first bad file in order. */
status pq_table_open_files(pq_table *table, const path_list *paths, bool use_cache)
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
    status st = STATUS_OK;
    for (size_t i = 1; i < atomic_load(&o.failed) && !st; i++)
        st = pq_table_check_schema(table, i);
    if (!st)
        return o.failure;
    status_free(o.failure);
    return st;
}
