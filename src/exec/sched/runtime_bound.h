/* runtime_bound.h - what a sort with a limit tells its scans, and its own tasks, of the rows that it
 * will still take: the keys of the worst row of the best so far. It only becomes tighter.
 *
 * As a condition on keys k1, k2 and the bound's values v1, v2: k1 before v1 or k1 = v1 and (k2 before
 * v2 ...). Who has all keys may drop rows that are equal, too: as many are there already. */
#ifndef PISTACHIO_EXEC_SCHED_RUNTIME_BOUND_H
#define PISTACHIO_EXEC_SCHED_RUNTIME_BOUND_H

#include "plan/tree/plan.h"

#include <pthread.h>
#include <stdatomic.h>

/* One state of it; counted, never changed. */
typedef struct bound_values bound_values;

typedef struct runtime_bound {
    pthread_mutex_t lock;
    bound_values *values;     /* NULL: none yet; under the lock */
    _Atomic uint64_t version; /* 0: none yet */
} runtime_bound;

void runtime_bound_init(runtime_bound *bound);
void runtime_bound_release(runtime_bound *bound);
/* The keys of a row, behind which no row is wanted any more: nothing happens if it is known that fewer
 * are. Values are copied. Any thread. */
CHECKED status runtime_bound_tighten(runtime_bound *bound, const plan_sort_key *keys,
                                     const value *values, uint32_t count);
uint64_t runtime_bound_version(const runtime_bound *bound);
/* A reference, or NULL: there is none yet. */
bound_values *runtime_bound_get(runtime_bound *bound);
void bound_values_unref(bound_values *values); /* takes NULL */
uint64_t bound_values_version(const bound_values *values);

/* Which row's keys come first: below zero, a's. Of the first `count` keys. */
int bound_compare(const plan_sort_key *keys, const value *a, const value *b, uint32_t count);

/* A bound of one key, for a condition. */
typedef struct bound_key {
    uint32_t column_id;
    data_type type;
    bool is_descending, nulls_first;
} bound_key;

/* The condition on the first `count` keys that rows have to meet, in the arena; it refers to the
 * values. *out is NULL if all do. */
CHECKED status bound_condition(arena *a, const bound_values *values, const bound_key *keys,
                               uint32_t count, bool has_all_keys, expr **out);

#endif
