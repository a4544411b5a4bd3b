/* pages.c - regions of a huge page each, with a bit for each small page that is taken. A region begins as one huge page, which
 * takes one fault; from its first hole on it is of small pages, and it goes with its last piece. */
#include "device/cpu/pages.h"

#include "base/mem.h"
#include "base/system/mutex.h"
#include "device/cpu/slab.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#define REGION_BYTES ((size_t)2 << 20)
#define PAGE_BYTES_LEAST 4096
#define WORDS (REGION_BYTES / PAGE_BYTES_LEAST / 64)
/* Regions that are looked at for room before a new one is made. */
#define TRIES 64

struct cpu_region {
    char *memory;
    uint64_t taken[WORDS];     /* a bit for each page */
    size_t free;               /* pages */
    bool has_holes;            /* pages came back to the system */
    cpu_region *next, *before; /* among the open ones, those with free pages */
};

static size_t pages_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t cpu_whole_pages(size_t bytes)
{
    size_t page = pages_page_bytes();
    return (bytes + page - 1) / page * page;
}

/* The last page is nobody's: what lies before it can be read beyond its end. */
static size_t pages_of_region(void)
{
    return REGION_BYTES / pages_page_bytes() - 1;
}

/* ---- the open ones; under the lock ---- */

static void open_region(cpu_page_pool *pool, cpu_region *region)
{
    region->before = NULL;
    region->next = pool->open;
    if (pool->open)
        pool->open->before = region;
    pool->open = region;
}

static void close_region(cpu_page_pool *pool, cpu_region *region)
{
    if (region->next)
        region->next->before = region->before;
    if (region->before)
        region->before->next = region->next;
    else
        pool->open = region->next;
}

/* ---- regions ---- */

static cpu_region *region_new(void)
{
    cpu_region *region = mem_new(sizeof *region);
    if (!region)
        return NULL;
    region->memory = cpu_map_pages(REGION_BYTES);
    if (region->memory == MAP_FAILED) {
        mem_free(region);
        return NULL;
    }
    region->free = pages_of_region();
    return region;
}

static void region_free(cpu_region *region)
{
    munmap(region->memory, REGION_BYTES);
    mem_free(region);
}

static bool is_taken(const cpu_region *region, size_t page)
{
    return region->taken[page / 64] >> page % 64 & 1;
}

/* Returns the first of so many free pages that lie side by side, or the number of pages. */
static size_t find_run(const cpu_region *region, size_t pages)
{
    size_t count = pages_of_region(), run = 0;
    for (size_t page = 0; page < count; page++) {
        run = is_taken(region, page) ? 0 : run + 1;
        if (run == pages)
            return page + 1 - pages;
    }
    return count;
}

/* Takes pages of the region, or gives them back. Under the lock. */
static void turn_pages(cpu_region *region, size_t first, size_t pages)
{
    for (size_t page = first; page < first + pages; page++)
        region->taken[page / 64] ^= UINT64_C(1) << page % 64;
}

/* Returns an open region in which so many pages begin at *out_first. Under the lock. */
static cpu_region *find_room(cpu_page_pool *pool, size_t pages, size_t *out_first)
{
    int tries = TRIES;
    for (cpu_region *region = pool->open; region && tries--; region = region->next)
        if (region->free >= pages && (*out_first = find_run(region, pages)) < pages_of_region())
            return region;
    cpu_region *made = region_new();
    *out_first = 0;
    if (made)
        open_region(pool, made);
    return made;
}

void *cpu_pages_take(cpu_page_pool *pool, size_t bytes, cpu_region **out)
{
    size_t pages = cpu_whole_pages(bytes) / pages_page_bytes(), first;
    assert(bytes <= CPU_PAGES_MOST);
    mutex_lock(&pool->lock);
    cpu_region *region = find_room(pool, pages, &first);
    if (region) {
        turn_pages(region, first, pages);
        region->free -= pages;
        if (!region->free)
            close_region(pool, region);
    }
    mutex_unlock(&pool->lock);
    *out = region;
    return region ? region->memory + first * pages_page_bytes() : NULL;
}

/* Gives the memory of pages that are still taken to the system. Were the region still to be of huge pages, the system would in
 * time make a whole one again. */
static void give_memory(cpu_page_pool *pool, cpu_region *region, void *memory, size_t bytes)
{
    mutex_lock(&pool->lock);
    bool is_first = !region->has_holes;
    bool is_last = region->free + bytes / pages_page_bytes() == pages_of_region();
    region->has_holes = true;
    mutex_unlock(&pool->lock);
    if (is_last)
        return;
    if (is_first)
        madvise(region->memory, REGION_BYTES, MADV_NOHUGEPAGE);
    madvise(memory, bytes, MADV_DONTNEED);
}

void cpu_pages_give(cpu_page_pool *pool, cpu_region *region, void *memory, size_t bytes)
{
    size_t page_bytes = pages_page_bytes(), pages;
    bytes = cpu_whole_pages(bytes);
    pages = bytes / page_bytes;
    give_memory(pool, region, memory, bytes);
    mutex_lock(&pool->lock);
    if (!region->free)
        open_region(pool, region);
    turn_pages(region, (size_t)((char *)memory - region->memory) / page_bytes, pages);
    region->free += pages;
    bool is_over = region->free == pages_of_region();
    if (is_over)
        close_region(pool, region);
    mutex_unlock(&pool->lock);
    if (is_over)
        region_free(region);
}

void cpu_pages_close(cpu_page_pool *pool)
{
    assert(!pool->open);
    mutex_destroy(&pool->lock);
}
