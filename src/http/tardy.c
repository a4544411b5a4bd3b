/* tardy.c - see tardy.h. */
#include "http/tardy.h"

#include <stdlib.h>
#include <string.h>

/* Waits are a ring; how many there were, and how many requests were asked a second time. */
static int64_t waits[TARDY_WAITS];
static uint64_t wait_count, second_count;

static int compare_waits(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

void tardy_add(int64_t wait)
{
    waits[wait_count++ % TARDY_WAITS] = wait;
}

int64_t tardy_limit(void)
{
    int64_t sorted[TARDY_WAITS];
    size_t known = wait_count < TARDY_WAITS ? (size_t)wait_count : TARDY_WAITS;
    if (known < TARDY_SHARE || (second_count + 1) * TARDY_SHARE > wait_count)
        return INT64_MAX;
    memcpy(sorted, waits, known * sizeof *sorted);
    qsort(sorted, known, sizeof *sorted, compare_waits);
    int64_t limit = TARDY_TIMES * sorted[known - 1 - known / 20];
    return limit < TARDY_MILLISECONDS_MIN ? TARDY_MILLISECONDS_MIN : limit;
}

void tardy_count(void)
{
    second_count++;
}
