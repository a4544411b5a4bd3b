/* slab.c - a slab's memory is given out from its beginning to its end, once; when the last piece of it
 * has come back it goes, or, while it is the pool's current one, begins anew. */
#include "device/cpu/slab.h"

#include "base/fault.h"
#include "base/mem.h"

#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define SLAB_BYTES (2 * HUGE_PAGE)

struct cpu_slab {
    char *memory;
    size_t used;
    uint32_t pieces; /* that are out */
};

/* For huge pages the mapping must begin where one does. */
void *cpu_map_pages(size_t bytes)
{
    size_t extra = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
    char *memory = fault_check(FAULT_ALLOC) ? MAP_FAILED
                                            : mmap(NULL, bytes + extra, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return memory;
    if (extra) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), end = (bytes + page - 1) & ~(page - 1);
        size_t before = -(uintptr_t)memory & (HUGE_PAGE - 1);
        if (before)
            munmap(memory, before);
        memory += before;
        if (end < bytes + extra - before)
            munmap(memory + end, bytes + extra - before - end);
    }
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static cpu_slab *slab_new(bool has_small_pages)
{
    cpu_slab *slab = mem_new(sizeof *slab);
    if (!slab)
        return NULL;
    slab->memory = cpu_map_pages(SLAB_BYTES);
    if (slab->memory == MAP_FAILED) {
        mem_free(slab);
        return NULL;
    }
    if (has_small_pages)
        madvise(slab->memory, SLAB_BYTES, MADV_NOHUGEPAGE);
    return slab;
}

static void slab_free(cpu_slab *slab)
{
    munmap(slab->memory, SLAB_BYTES);
    mem_free(slab);
}

/* The small pages of what is written in a moment all at once: a fault of each costs as much as
 * clearing it. A system that cannot do that has the faults. */
static void fill_pages(void *memory, size_t bytes)
{
    (void)madvise(memory, bytes, MADV_POPULATE_WRITE);
}

void *cpu_slab_take(cpu_slab_pool *pool, size_t bytes, bool wants_small_pages, cpu_slab **out)
{
    char *memory = NULL;
    bytes = whole_pages(bytes);
    pthread_mutex_lock(&pool->lock);
    if (!pool->current || SLAB_BYTES - pool->current->used < bytes)
        /* Pieces are out of the current one, which goes with the last of them. */
        *out = slab_new(wants_small_pages);
    else
        *out = pool->current;
    if (*out) {
        pool->current = *out;
        memory = (*out)->memory + (*out)->used;
        (*out)->used += bytes;
        (*out)->pieces++;
    }
    pthread_mutex_unlock(&pool->lock);
    if (memory && wants_small_pages)
        fill_pages(memory, bytes);
    return memory;
}

void cpu_slab_give(cpu_slab_pool *pool, cpu_slab *slab, void *memory, size_t bytes)
{
    madvise(memory, whole_pages(bytes), MADV_DONTNEED);
    pthread_mutex_lock(&pool->lock);
    bool is_empty = !--slab->pieces, is_current = slab == pool->current;
    if (is_empty)
        slab->used = 0;
    pthread_mutex_unlock(&pool->lock);
    if (is_empty && !is_current)
        slab_free(slab);
}

void cpu_slab_close(cpu_slab_pool *pool)
{
    if (pool->current)
        slab_free(pool->current);
    pthread_mutex_destroy(&pool->lock);
}
