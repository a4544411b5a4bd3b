/* table_deletes.c - see table_deletes.h. */
#include "parquet/table/table_deletes.h"

#include "base/system/mutex.h"
#include "storage/object_store.h"

#include <pthread.h>
#include <stdatomic.h>

#define FIRST_FILES 64 /* a power of two */

/* A data file; its lock is held while it is read. */
typedef struct deletes_file {
    const pq_given_file *told;
    pthread_mutex_t lock;
    arena *memory; /* NULL: not read yet */
    pq_deleted_rows rows;
} deletes_file;

struct pq_deletes {
    const pq_given *given;
    mem_budget *budget;
    _Atomic uint64_t charged;
    void *kept;
    pthread_mutex_t lock;
    deletes_file **files; /* by a hash of what they were told as */
    size_t size, count;   /* size: 0 or a power of two */
};

/* ---- memory ---- */

status pq_deletes_take(pq_deletes *deletes, uint64_t bytes)
{
    if (!deletes->budget)
        return STATUS_OK;
    TRY(mem_budget_take(deletes->budget, bytes, "deleted rows"));
    atomic_fetch_add_explicit(&deletes->charged, bytes, memory_order_relaxed);
    return STATUS_OK;
}

void pq_deletes_give(pq_deletes *deletes, uint64_t bytes)
{
    if (!deletes->budget)
        return;
    atomic_fetch_sub_explicit(&deletes->charged, bytes, memory_order_relaxed);
    mem_budget_give(deletes->budget, bytes);
}

void *pq_deletes_kept(const pq_deletes *deletes)
{
    return deletes->kept;
}

const pq_given *pq_deletes_given(const pq_deletes *deletes)
{
    return deletes->given;
}

/* ---- life ---- */

status pq_deletes_new(const pq_given *given, mem_budget *budget, pq_deletes **out)
{
    *out = NULL;
    pq_deletes *made = mem_new(sizeof *made);
    if (!made)
        return status_no_memory("deleted rows", sizeof *made);
    made->given = given;
    mutex_init(&made->lock);
    if (budget)
        made->budget = mem_budget_ref(budget);
    status st = given->keep_deletes ? given->keep_deletes(given, &made->kept) : STATUS_OK;
    if (st)
        pq_deletes_free(made);
    else
        *out = made;
    return st;
}

static void free_file(deletes_file *f)
{
    arena_free(f->memory);
    mutex_destroy(&f->lock);
    mem_free(f);
}

void pq_deletes_free(pq_deletes *deletes)
{
    if (!deletes)
        return;
    for (size_t i = 0; i < deletes->size; i++)
        if (deletes->files[i])
            free_file(deletes->files[i]);
    mem_free(deletes->files);
    if (deletes->kept)
        deletes->given->drop_deletes(deletes->kept);
    pq_deletes_give(deletes, atomic_load(&deletes->charged));
    mem_budget_free(deletes->budget);
    mutex_destroy(&deletes->lock);
    mem_free(deletes);
}

/* ---- files; with the lock held ---- */

static deletes_file **slot_of(deletes_file **files, size_t size, const pq_given_file *told)
{
    size_t at = ((uintptr_t)told >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (size - 1);
    while (files[at] && files[at]->told != told)
        at = (at + 1) & (size - 1);
    return &files[at];
}

static status make_room(pq_deletes *deletes)
{
    size_t size = deletes->size ? 2 * deletes->size : FIRST_FILES;
    if (2 * (deletes->count + 1) <= deletes->size)
        return STATUS_OK;
    deletes_file **files = mem_new_array(size, sizeof(deletes_file *));
    if (!files)
        return status_no_memory("deleted rows", size * sizeof *files);
    for (size_t i = 0; i < deletes->size; i++)
        if (deletes->files[i])
            *slot_of(files, size, deletes->files[i]->told) = deletes->files[i];
    mem_free(deletes->files);
    deletes->files = files;
    deletes->size = size;
    return STATUS_OK;
}

static status table_deletes_find_file(pq_deletes *deletes, const pq_given_file *told,
                                      deletes_file **out)
{
    TRY(make_room(deletes));
    deletes_file **slot = slot_of(deletes->files, deletes->size, told);
    if (!*slot) {
        deletes_file *made = mem_new(sizeof *made);
        if (!made)
            return status_no_memory("deleted rows", sizeof *made);
        made->told = told;
        mutex_init(&made->lock);
        *slot = made;
        deletes->count++;
    }
    *out = *slot;
    return STATUS_OK;
}

/* ---- reading ---- */

/* With the file's lock held. */
static status table_deletes_load(pq_deletes *deletes, deletes_file *f, const char *path)
{
    const pq_given *given = deletes->given;
    arena *memory;
    if (f->memory)
        return STATUS_OK;
    TRY(arena_new(&memory));
    uint32_t before = object_store_use(pq_given_store(given));
    status st = given->load_deleted(deletes, f->told, memory, &f->rows);
    object_store_use(before);
    if (!st) {
        f->memory = memory;
        return STATUS_OK;
    }
    arena_free(memory);
    return status_context(st, "deleted rows of file \"%s\" of %s", path, given->what);
}

status pq_deletes_of(pq_deletes *deletes, const pq_given_file *told, const char *path,
                     const pq_deleted_rows **out)
{
    deletes_file *f = NULL;
    mutex_lock(&deletes->lock);
    status st = table_deletes_find_file(deletes, told, &f);
    mutex_unlock(&deletes->lock);
    TRY(st);
    mutex_lock(&f->lock);
    st = table_deletes_load(deletes, f, path);
    *out = &f->rows;
    mutex_unlock(&f->lock);
    return st;
}
