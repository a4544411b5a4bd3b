/* column_set.c - see column_set.h. */
#include "plan/tree/column_set.h"

status column_set_new(arena *a, uint32_t bit_count, column_set *out)
{
    out->bit_count = bit_count;
    out->words = arena_alloc_array(a, bit_count / 64 + 1, sizeof *out->words);
    return out->words ? STATUS_OK : status_no_memory("column set", bit_count / 8);
}

status column_set_copy(arena *a, const column_set *set, column_set *out)
{
    TRY(column_set_new(a, set->bit_count, out));
    memcpy(out->words, set->words, (set->bit_count / 64 + 1) * sizeof *set->words);
    return STATUS_OK;
}

void column_set_add(column_set *set, uint32_t id)
{
    if (id < set->bit_count)
        set->words[id / 64] |= (uint64_t)1 << (id % 64);
}

bool column_set_has(const column_set *set, uint32_t id)
{
    return id < set->bit_count && set->words[id / 64] >> (id % 64) & 1;
}

void column_set_add_node(column_set *set, const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count; i++)
        column_set_add(set, node->columns.items[i].id);
}
