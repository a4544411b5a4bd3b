/* aggregate_sample.c - a sample of hashes, to know how many rows have equal ones. */
#include "exec/aggregate/aggregate_sample.h"

#include "base/mem.h"

#define SLOTS_MIN 1024

void hash_sample_release(hash_sample *sample)
{
    mem_free(sample->slots);
    *sample = (hash_sample){0};
}

/* Hashes that are in the sample are multiples of its share: the quotient decides. */
static bool add_hash(uint32_t *slots, uint64_t slot_count, uint32_t hash)
{
    uint64_t mask = slot_count - 1, at = hash / HASH_SAMPLE_SHARE & mask;
    for (; slots[at]; at = (at + 1) & mask)
        if (slots[at] == hash)
            return false;
    slots[at] = hash;
    return true;
}

static status aggregate_sample_enlarge(hash_sample *sample)
{
    uint64_t slot_count = sample->slot_count ? sample->slot_count * 2 : SLOTS_MIN;
    uint32_t *slots = mem_new_array(slot_count, sizeof *slots);
    if (!slots)
        return status_no_memory("aggregation", slot_count * sizeof *slots);
    for (uint64_t i = 0; i < sample->slot_count; i++)
        if (sample->slots[i])
            add_hash(slots, slot_count, sample->slots[i]);
    mem_free(sample->slots);
    sample->slots = slots;
    sample->slot_count = slot_count;
    return STATUS_OK;
}

status hash_sample_add(hash_sample *sample, const uint32_t *hashes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (hashes[i] % HASH_SAMPLE_SHARE || !hashes[i])
            continue;
        if (sample->distinct >= sample->slot_count / 2)
            TRY(aggregate_sample_enlarge(sample));
        sample->rows++;
        sample->distinct += add_hash(sample->slots, sample->slot_count, hashes[i]);
    }
    return STATUS_OK;
}
