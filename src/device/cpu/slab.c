/* slab.c - a slab's memory is given out from its beginning to its end, once; when the last piece of it
 * has come back it goes, or, while pieces are taken from it, begins anew. */
#include "device/cpu/slab.h"

#include "base/fault.h"
#include "base/mem.h"
#include "base/system/mutex.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define SLAB_BYTES (2 * HUGE_PAGE)
/* Bytes of small pages in a slab: only those are there that a piece has, because the slab costs calls, which exclude
 * those that make pages. */
#define SMALL_PAGES_BYTES (16 * HUGE_PAGE)
#define SLACK 64 /* behind the last piece */

/* Bytes of a slab of small pages that may be idle: what came back, in whichever order, goes to the system in few
 * calls. */
#define IDLE_BYTES_MOST HUGE_PAGE
#define IDLE_WORDS                                                                                 \
    (SMALL_PAGES_BYTES / 4096 / 64) /* a bit for each page, which has 4 kB at least */

typedef struct page_set {
    uint64_t words[IDLE_WORDS];
} page_set;

struct cpu_slab {
    char *memory;
    size_t bytes, used;
    uint32_t pieces; /* that are out */
    bool is_current; /* pieces are taken from it */
    uint8_t holes;   /* a bit for each huge page of which a piece came back */
    page_set *idle;  /* pages that came back and are still there; NULL: none ever is */
    size_t idle_bytes;
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

/* A lane for each thread, as far as there are enough: pages that two threads make next to each other are made one
 * after the other, as they are entered in one table. */
static unsigned lane_of_thread(void)
{
    static _Atomic unsigned threads;
    static _Thread_local unsigned number; /* from 1 on */
    if (!number)
        number = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
    return number % CPU_SLAB_LANES;
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
    slab->bytes = has_small_pages ? SMALL_PAGES_BYTES : SLAB_BYTES;
    slab->idle = has_small_pages ? mem_new(sizeof *slab->idle) : NULL;
    slab->memory = has_small_pages && !slab->idle ? MAP_FAILED : cpu_map_pages(slab->bytes);
    if (slab->memory == MAP_FAILED) {
        mem_free(slab->idle);
        mem_free(slab);
        return NULL;
    }
    if (has_small_pages)
        madvise(slab->memory, slab->bytes, MADV_NOHUGEPAGE);
    return slab;
}

static void slab_free(cpu_slab *slab)
{
    munmap(slab->memory, slab->bytes);
    mem_free(slab->idle);
    mem_free(slab);
}

/* The current one of the thread's lane, with room for so many bytes. Under the lock. */
static cpu_slab *slab_find_slab(cpu_slab_pool *pool, size_t bytes, bool wants_small_pages)
{
    cpu_slab **current = &pool->current[lane_of_thread()], *made;
    if (*current && (*current)->bytes - (*current)->used >= bytes + SLACK)
        return *current;
    made = slab_new(wants_small_pages);
    if (!made)
        return NULL;
    if (*current)
        /* Pieces of it are out: it goes with the last of them. */
        (*current)->is_current = false;
    made->is_current = true;
    return *current = made;
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
    mutex_lock(&pool->lock);
    *out = slab_find_slab(pool, bytes, wants_small_pages);
    if (*out) {
        memory = (*out)->memory + (*out)->used;
        (*out)->used += bytes;
        (*out)->pieces++;
    }
    mutex_unlock(&pool->lock);
    if (memory && wants_small_pages)
        fill_pages(memory, bytes);
    return memory;
}

/* ---- what comes back ---- */

static size_t slab_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool has_page(const page_set *set, size_t page)
{
    return set->words[page / 64] >> (page % 64) & 1;
}

static void give_pages(const cpu_slab *slab, const page_set *set)
{
    size_t page_size = slab_page_bytes(), count = slab->bytes / page_size;
    for (size_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && has_page(set, end);)
            end++;
        if (end > first)
            madvise(slab->memory + first * page_size, (end - first) * page_size, MADV_DONTNEED);
    }
}

/* Under the lock: pages of a piece that comes back become idle. True: there are so many that they, in *out, are to go. */
static bool add_idle(cpu_slab *slab, size_t offset, size_t bytes, page_set *out)
{
    size_t page_size = slab_page_bytes(), end = (offset + bytes) / page_size;
    for (size_t page = offset / page_size; page < end; page++)
        slab->idle->words[page / 64] |= UINT64_C(1) << (page % 64);
    slab->idle_bytes += bytes;
    bool is_last = slab->pieces == 1; /* it begins anew, or goes whole */
    if (is_last ? !slab->is_current : slab->idle_bytes < IDLE_BYTES_MOST)
        return false;
    *out = *slab->idle;
    *slab->idle = (page_set){0};
    slab->idle_bytes = 0;
    return true;
}

/* Before the piece counts as given back: until then nobody takes these pages again. */
static void give_idle(cpu_slab_pool *pool, cpu_slab *slab, size_t offset, size_t bytes)
{
    page_set pages;
    mutex_lock(&pool->lock);
    bool is_much = add_idle(slab, offset, bytes, &pages);
    mutex_unlock(&pool->lock);
    if (is_much)
        give_pages(slab, &pages);
}

/* Gives a piece of huge pages to the system. Were they still to be huge, the system would in time make whole ones of what is
 * left of them, with memory for what was given back. */
static void give_piece(cpu_slab_pool *pool, cpu_slab *slab, size_t offset, size_t bytes)
{
    size_t first = offset / HUGE_PAGE, end = (offset + bytes + HUGE_PAGE - 1) / HUGE_PAGE;
    uint8_t holes = (uint8_t)((1u << end) - (1u << first));
    mutex_lock(&pool->lock);
    bool is_first = holes & ~slab->holes;
    slab->holes |= holes;
    mutex_unlock(&pool->lock);
    if (is_first)
        madvise(slab->memory + first * HUGE_PAGE, (end - first) * HUGE_PAGE, MADV_NOHUGEPAGE);
    madvise(slab->memory + offset, bytes, MADV_DONTNEED);
}

/* Under the lock: a slab whose pieces are all back begins anew. */
static void begin_anew(cpu_slab *slab)
{
    slab->used = 0;
    if (slab->holes && slab->is_current)
        madvise(slab->memory, slab->bytes, MADV_HUGEPAGE);
    slab->holes = 0;
}

void cpu_slab_give(cpu_slab_pool *pool, cpu_slab *slab, void *memory, size_t bytes)
{
    size_t offset = (size_t)((char *)memory - slab->memory);
    bytes = whole_pages(bytes);
    if (slab->idle)
        give_idle(pool, slab, offset, bytes);
    else
        give_piece(pool, slab, offset, bytes);
    mutex_lock(&pool->lock);
    bool is_over = !--slab->pieces && !slab->is_current;
    if (!slab->pieces && !slab->idle_bytes)
        begin_anew(slab);
    mutex_unlock(&pool->lock);
    if (is_over)
        slab_free(slab);
}

void cpu_slab_trim(cpu_slab_pool *pool)
{
    mutex_lock(&pool->lock);
    for (unsigned i = 0; i < CPU_SLAB_LANES; i++) {
        const cpu_slab *slab = pool->current[i];
        if (slab)
            madvise(slab->memory + slab->used, slab->bytes - slab->used, MADV_DONTNEED);
    }
    mutex_unlock(&pool->lock);
}

void cpu_slab_close(cpu_slab_pool *pool)
{
    for (unsigned i = 0; i < CPU_SLAB_LANES; i++)
        if (pool->current[i])
            slab_free(pool->current[i]);
    mutex_destroy(&pool->lock);
}
