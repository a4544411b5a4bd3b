/* aggregate_index.h - numbers of equal things among many, by their hash: states and DISTINCT sets while they are
 * planned. Comparing each with all before it would take time by the square of their number. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_INDEX_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_INDEX_H

#include "base/mem.h"

#define AGGREGATE_INDEX_NONE UINT32_MAX

/* Zeroed: without memory. */
typedef struct aggregate_index {
    uint32_t *first; /* by bucket */
    uint32_t *next;  /* of each number: the one before it in its bucket */
    uint32_t mask;
} aggregate_index;

/* Room for numbers below `most`, in the arena. */
CHECKED status aggregate_index_init(aggregate_index *index, arena *memory, uint32_t most);
void aggregate_index_add(aggregate_index *index, uint64_t hash, uint32_t number);

/* The number that was added last of those whose hash may be this one; the number after it is index->next[number].
 * AGGREGATE_INDEX_NONE: there is none. */
static inline uint32_t aggregate_index_first(const aggregate_index *index, uint64_t hash)
{
    return index->first[(hash ^ hash >> 32) & index->mask];
}

#endif
