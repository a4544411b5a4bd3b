/* sort_best.h - top-k: the keys of the best rows that all tasks have kept together. Each task alone sees
 * its own k-th row; the k-th of all comes sooner, and is better. */
#ifndef PISTACHIO_EXEC_SORT_SORT_BEST_H
#define PISTACHIO_EXEC_SORT_SORT_BEST_H

#include "exec/sched/runtime_bound.h"

/* Beyond so many each task's own will do. */
#define SORT_BEST_MAX 1024

typedef struct sort_best {
    pthread_mutex_t lock;
    /* Under the lock: values of each row's keys, the best first. */
    value **rows;
    uint32_t count;
} sort_best;

void sort_best_init(sort_best *best);
void sort_best_release(sort_best *best);

/* The keys of a row that its task keeps, each row once. `limit` of them tighten the bound. */
CHECKED status sort_best_offer(sort_best *best, uint32_t limit, const plan_sort_key *keys,
                               const value *values, uint32_t key_count, runtime_bound *bound);

#endif
