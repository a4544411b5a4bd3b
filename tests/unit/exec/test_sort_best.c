/* test_sort_best.c - the k best rows of all tasks: against those of a sorted list, by numbers and by text.
 *
 * test_label: threads */
#include "exec/sort/sort_best.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#define ROWS 500
#define THREADS 4

typedef struct best_use {
    sort_best best;
    runtime_bound bound;
    plan_sort_key keys[2];
    uint32_t limit;
} best_use;

typedef struct best_part {
    best_use *use;
    int64_t *numbers;
    unsigned first;
} best_part;

static void *offer_part(void *argument)
{
    best_part *part = argument;
    for (unsigned i = part->first; i < ROWS; i += THREADS) {
        char text[32];
        int length = snprintf(text, sizeof text, "a text beyond a view %03d", (int)(i % 10));
        value row[] = {value_int(TYPE_INT64, part->numbers[i]),
                       i % 7 ? value_text(text, (uint32_t)length)
                             : value_null(type_make(TYPE_VARCHAR))};
        CHECK_OK(sort_best_offer(&part->use->best, part->use->limit, part->use->keys, row, 2,
                                 &part->use->bound));
    }
    return NULL;
}

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Each number once: the bound's first key says which row it is of. */
static void try_limit(uint32_t limit, bool is_descending)
{
    static int64_t numbers[ROWS], sorted[ROWS];
    best_use use = {.limit = limit, .keys = {{.is_descending = is_descending}, {0}}};
    best_part parts[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < ROWS; i++)
        sorted[i] = numbers[i] = (int64_t)(i * 7919u % 10007u) - 5000;
    qsort(sorted, ROWS, sizeof *sorted, compare_numbers);
    sort_best_init(&use.best);
    runtime_bound_init(&use.bound);
    for (unsigned t = 0; t < THREADS; t++) {
        parts[t] = (best_part){&use, numbers, t};
        CHECK_EQ(pthread_create(&threads[t], NULL, offer_part, &parts[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    CHECK_EQ(use.best.count, limit < ROWS ? limit : ROWS);
    CHECK_EQ(runtime_bound_version(&use.bound) > 0, limit <= ROWS);
    for (uint32_t i = 0; i < use.best.count; i++)
        CHECK_EQ((int64_t)value_int128(use.best.rows[i]), sorted[is_descending ? ROWS - 1 - i : i]);
    sort_best_release(&use.best);
    runtime_bound_release(&use.bound);
}

TEST(the_best_of_all_tasks)
{
    uint64_t blocks = mem_in_use();
    static const uint32_t limits[] = {1, 2, 3, 64, ROWS - 1, ROWS, ROWS + 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        try_limit(limits[i], false);
        try_limit(limits[i], true);
    }
    CHECK_EQ(mem_in_use(), blocks);
}
