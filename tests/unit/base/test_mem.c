/* test_mem.c - counted memory, arenas, growing arrays, budgets, and faults in each.
 *
 * test_label: threads */
#include "test.h"

#include "base/budget.h"
#include "base/fault.h"
#include "base/maximum.h"

#include <pthread.h>

TEST(mem_is_zeroed_and_counted)
{
    uint64_t before = mem_in_use();
    char *block = mem_new(100);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(block[i], 0);
    CHECK_EQ(mem_in_use(), before + 1);
    block = mem_resize(block, 10000);
    CHECK_EQ(mem_in_use(), before + 1);
    mem_free(block);
    mem_free(NULL);
    CHECK_EQ(mem_in_use(), before);
    CHECK(!mem_new_array(SIZE_MAX / 2, 3));
    CHECK(!mem_new_array(SIZE_MAX / 2 + 2, 2)); /* 2 bytes, if nobody looks */
    CHECK(!mem_new(SIZE_MAX / 2));
    char *text = mem_copy_text("abc", 2);
    CHECK_TEXT_EQ(text, "ab");
    mem_free(text);
}

TEST(arena_objects_are_zeroed_aligned_and_apart)
{
    arena *a;
    CHECK_OK(arena_new(&a));
    unsigned char *objects[500];
    size_t sizes[500];
    for (int i = 0; i < 500; i++) {
        sizes[i] = test_random_below(i % 50 == 0 ? 3000000 : 300);
        objects[i] = arena_alloc(a, sizes[i]);
        CHECK(objects[i]);
        CHECK_EQ((uintptr_t)objects[i] % 16, 0);
        for (size_t b = 0; b < sizes[i]; b++)
            CHECK_EQ(objects[i][b], 0);
        memset(objects[i], i & 255, sizes[i]);
    }
    for (int i = 0; i < 500; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            CHECK_EQ(objects[i][b], i & 255);
    CHECK(!arena_alloc(a, SIZE_MAX));
    CHECK(!arena_alloc(a, SIZE_MAX / 2 - 8));
    CHECK(!arena_alloc_array(a, SIZE_MAX / 2, 4));
    CHECK(!arena_alloc_array(a, SIZE_MAX / 4 + 2, 4)); /* 4 bytes, if nobody looks */
    CHECK_TEXT_EQ(arena_format(a, "%s-%d", "x", 7), "x-7");
    CHECK_TEXT_EQ(arena_copy_text(a, "abc", 2), "ab");
    arena_free(a);
    arena_free(NULL);
}

static char release_order[8];

static void note_release(void *object)
{
    strncat(release_order, object, 1);
}

TEST(arena_runs_callbacks_last_first)
{
    arena *a;
    release_order[0] = '\0';
    CHECK_OK(arena_new(&a));
    CHECK_OK(arena_on_free(a, note_release, "1"));
    CHECK_OK(arena_on_free(a, note_release, "2"));
    CHECK_OK(arena_on_free(a, note_release, "3"));
    arena_free(a);
    CHECK_TEXT_EQ(release_order, "321");
}

typedef ARRAY(int) int_array;

TEST(array_grows_with_and_without_arena)
{
    arena *a;
    CHECK_OK(arena_new(&a));
    int_array inside = {0}, outside = {0};
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(array_push(a, &inside, i));
        CHECK_OK(array_push(NULL, &outside, i));
    }
    CHECK_EQ(inside.count, 1000);
    for (int i = 0; i < 1000; i++)
        CHECK(inside.items[i] == i && outside.items[i] == i);
    CHECK_FAILS(array_reserve(NULL, &outside, SIZE_MAX / 2), STATUS_KIND_NO_MEMORY, NULL);
    CHECK_FAILS(array_reserve(NULL, &outside, SIZE_MAX), STATUS_KIND_NO_MEMORY, NULL);
    CHECK_FAILS(array_reserve(NULL, &outside, SIZE_MAX / 4 + 2), STATUS_KIND_NO_MEMORY, NULL);
    CHECK_EQ(outside.count, 1000);
    array_release(&outside);
    arena_free(a);
}

static status fill_arena(arena **out)
{
    int_array numbers = {0};
    TRY(arena_new(out));
    for (int i = 0; i < 100; i++)
        TRY(array_push(*out, &numbers, i));
    TRY(arena_on_free(*out, note_release, ""));
    if (!arena_alloc(*out, 5000) || !arena_format(*out, "%d", 7))
        return status_no_memory("object", 5000);
    return STATUS_OK;
}

/* Names another array at each call, as a condition does that a cancelled statement answers otherwise. */
static int_array *next_of_two(int_array *two, unsigned *calls)
{
    return &two[(*calls)++ % 2];
}

TEST(array_is_named_once)
{
    int_array two[2] = {0};
    unsigned calls = 0;
    CHECK_OK(array_push(NULL, next_of_two(two, &calls), 7));
    CHECK_EQ(calls, 1);
    CHECK_EQ(two[0].count, 1);
    CHECK_OK(array_reserve(NULL, next_of_two(two, &calls), 3));
    CHECK_EQ(calls, 2);
    CHECK(two[1].capacity >= 3);
    array_release(&two[0]);
    array_release(&two[1]);
}

TEST(arena_survives_each_failing_allocation)
{
    for (int always = 0; always <= 1; always++)
        for (uint64_t nth = 1;; nth++) {
            arena *a = NULL;
            fault_arm(FAULT_ALLOC, nth, always);
            status st = fill_arena(&a);
            bool has_fired = fault_disarm(FAULT_ALLOC);
            CHECK_EQ(status_get_kind(st), has_fired ? STATUS_KIND_NO_MEMORY : STATUS_KIND_OK);
            arena_free(a);
            status_free(st);
            CHECK_EQ(mem_in_use(), 0);
            if (!has_fired)
                break;
        }
}

TEST(budget_is_a_hard_bound)
{
    mem_budget *budget;
    CHECK_OK(mem_budget_new(1000, &budget));
    CHECK_OK(mem_budget_take(budget, 600, "join build"));
    CHECK_OK(mem_budget_take(budget, 400, "sort"));
    CHECK_FAILS(mem_budget_take(budget, 1, "sort"), STATUS_KIND_LIMIT, "sort needs 1 byte");
    CHECK_FAILS(mem_budget_take(budget, UINT64_MAX, "sort"), STATUS_KIND_LIMIT, NULL);
    CHECK_EQ(mem_budget_used(budget), 1000);
    mem_budget_give(budget, 600);
    CHECK_EQ(mem_budget_used(budget), 400);
    CHECK_EQ(mem_budget_peak(budget), 1000);
    CHECK_EQ(mem_budget_limit(budget), 1000);
    mem_budget_set_parts(budget, 8);
    status st = mem_budget_take(budget, 700, "sort");
    CHECK_TEXT_EQ(status_get_hint(st),
                  "SET memory_limit to more (8800 bytes would have done here), "
                  "or use fewer ranks");
    CHECK_FAILS(st, STATUS_KIND_LIMIT, "memory_limit of 1000 bytes, a part of 8, reached");
    mem_budget_give(budget, 400);
    mem_budget_free(budget);

    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(mem_budget_take(budget, (uint64_t)1 << 50, "anything"));
    CHECK_EQ(mem_budget_limit(budget), 0);
    CHECK_EQ(mem_budget_peak(budget), (uint64_t)1 << 50);
    mem_budget_give(budget, (uint64_t)1 << 50);
    mem_budget_free(budget);
    mem_budget_free(NULL);
}

static void *take_and_give(void *budget)
{
    for (int i = 0; i < 20000; i++) {
        status st = mem_budget_take(budget, 7, "thread");
        if (!st)
            mem_budget_give(budget, 7);
        status_free(st);
    }
    return NULL;
}

TEST(budget_is_exact_between_threads)
{
    mem_budget *budget;
    pthread_t threads[4];
    CHECK_OK(mem_budget_new(21, &budget)); /* room for three of the four */
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, take_and_give, budget), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(mem_budget_used(budget), 0);
    CHECK(mem_budget_peak(budget) <= 21);
    mem_budget_free(budget);
}

/* Up and down. */
static void *raise_often(void *argument)
{
    for (uint64_t i = 0; i < 20000; i++)
        maximum_raise(argument, i * 7919 % 20011);
    return NULL;
}

TEST(maximum_of_threads)
{
    _Atomic uint64_t maximum = 5;
    pthread_t threads[4];
    maximum_raise(&maximum, 4);
    CHECK_EQ(maximum, 5);
    maximum_raise(&maximum, 6);
    CHECK_EQ(maximum, 6);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, raise_often, &maximum), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(maximum, 20010);
}

TEST(fault_fires_once_or_always)
{
    CHECK(!fault_check(FAULT_READ));
    fault_arm(FAULT_READ, 2, FAULT_ONCE);
    CHECK(!fault_check(FAULT_READ));
    CHECK(!fault_check(FAULT_WRITE));
    CHECK(fault_check(FAULT_READ));
    CHECK(!fault_check(FAULT_READ));
    CHECK(fault_disarm(FAULT_READ));
    fault_arm(FAULT_WRITE, 1, FAULT_ALWAYS);
    CHECK(fault_check(FAULT_WRITE) && fault_check(FAULT_WRITE));
    CHECK(fault_disarm(FAULT_WRITE));
    CHECK(!fault_check(FAULT_WRITE));
}
