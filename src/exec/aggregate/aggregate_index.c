/* aggregate_index.c - a hash table with chains, of a fixed size. */
#include "exec/aggregate/aggregate_index.h"

status aggregate_index_init(aggregate_index *index, arena *memory, uint32_t most)
{
    uint32_t buckets = 64;
    while (buckets < most)
        buckets *= 2;
    index->first = arena_alloc_array(memory, buckets, sizeof *index->first);
    index->next = arena_alloc_array(memory, most + 1, sizeof *index->next);
    if (!index->first || !index->next)
        return status_no_memory("aggregation", (uint64_t)buckets * sizeof *index->first);
    memset(index->first, 0xff, buckets * sizeof *index->first);
    index->mask = buckets - 1;
    return STATUS_OK;
}

void aggregate_index_add(aggregate_index *index, uint64_t hash, uint32_t number)
{
    uint32_t *first = &index->first[(hash ^ hash >> 32) & index->mask];
    index->next[number] = *first;
    *first = number;
}
