/* test_pages.c - pieces of whole pages: none shares a byte with another, holes are taken again, and what is given back in no
 * order is the system's. */
#include "device/cpu/pages.h"

#include "base/system/mutex.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIECES 600

typedef struct piece {
    unsigned char *memory;
    size_t bytes;
    cpu_region *region;
} piece;

static uint64_t pages_random = 7;

static uint64_t pages_draw(uint64_t below)
{
    pages_random = pages_random * 6364136223846793005u + 1442695040888963407u;
    return (pages_random >> 33) % below;
}

static void take(cpu_page_pool *pool, piece *p, size_t bytes)
{
    p->bytes = bytes;
    p->memory = cpu_pages_take(pool, bytes, &p->region);
    CHECK(p->memory);
    memset(p->memory, (int)((uintptr_t)p->memory >> 12), bytes);
}

static void give(cpu_page_pool *pool, piece *p)
{
    for (size_t i = 0; i < p->bytes; i += 512)
        CHECK_EQ(p->memory[i], (unsigned char)((uintptr_t)p->memory >> 12));
    cpu_pages_give(pool, p->region, p->memory, p->bytes);
    p->memory = NULL;
}

/* Bytes of the process's memory that are there. */
static int64_t resident(void)
{
    long all = 0, there = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &all, &there) == 2);
    fclose(file);
    return (int64_t)there * sysconf(_SC_PAGESIZE);
}

static size_t draw_bytes(void)
{
    return 1 + pages_draw(pages_draw(8) ? 100000 : CPU_PAGES_MOST);
}

TEST(pages_of_pieces_that_went_are_the_systems)
{
    static piece pieces[PIECES];
    cpu_page_pool pool = {0};
    int64_t taken = 0, given = 0, before = resident(), after;
    mutex_init(&pool.lock);
    for (size_t i = 0; i < PIECES; i++) {
        take(&pool, &pieces[i], draw_bytes());
        taken += (int64_t)cpu_whole_pages(pieces[i].bytes);
    }
    after = resident();
    CHECK(after - before < taken + taken / 8);
    for (size_t i = 0; i < PIECES; i++) { /* three of four, here and there */
        if (i % 4 == 3)
            continue;
        given += (int64_t)cpu_whole_pages(pieces[i].bytes);
        give(&pool, &pieces[i]);
    }
    CHECK(after - resident() > given - given / 8);
    for (size_t i = 0; i < PIECES; i++)
        if (pieces[i].memory)
            give(&pool, &pieces[i]);
    cpu_pages_close(&pool);
}

TEST(pages_are_taken_again)
{
    static piece pieces[PIECES];
    cpu_page_pool pool = {0};
    mutex_init(&pool.lock);
    for (size_t i = 0; i < 8000; i++) {
        piece *p = &pieces[pages_draw(PIECES)];
        if (p->memory)
            give(&pool, p);
        else
            take(&pool, p, draw_bytes());
    }
    for (size_t i = 0; i < PIECES; i++)
        if (pieces[i].memory)
            give(&pool, &pieces[i]);
    cpu_pages_close(&pool);
}

TEST(pages_fill_holes_before_a_region_is_made)
{
    cpu_page_pool pool = {0};
    piece many[40], one = {0};
    mutex_init(&pool.lock);
    for (size_t i = 0; i < 40; i++)
        take(&pool, &many[i], 48000);
    give(&pool, &many[3]);
    give(&pool, &many[4]);
    unsigned char *hole = many[2].memory + 49152;
    take(&pool, &one, 90000); /* fits both holes together */
    CHECK(one.memory == hole);
    CHECK_EQ(one.memory[89999 / 512 * 512], (unsigned char)((uintptr_t)one.memory >> 12));
    give(&pool, &one);
    for (size_t i = 0; i < 40; i++)
        if (many[i].memory)
            give(&pool, &many[i]);
    cpu_pages_close(&pool);
}
