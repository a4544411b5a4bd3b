/* column_asked.c - a set-associative table of hashes: a column chunk may stand in any slot of its set. */
#include "exec/scan/column_asked.h"

#include "base/mem.h"

/* The table grows: a short statement would touch many pages of a large one, at two faults each under the cache's lock,
 * the second of which interrupts all cores that run the process. */
#define FIRST_SETS 64
#define MOST_SETS 8192
/* One slot a set would let two column chunks forget each other in every statement: of the 2,000 of a query over SF 10
 * 3% were never kept, and were decoded each time. Of 30,000 column chunks 1% now meet a full set. */
#define SLOT_COUNT 8

typedef struct {
    uint64_t hash, statement; /* 0: an empty slot */
} asked_slot;

static struct {
    asked_slot (*sets)[SLOT_COUNT];
    size_t set_count;
} asked;

/* Returns the slot of the column chunk, or that of the statement that is longest ago. */
static asked_slot *slot_of(uint64_t hash)
{
    asked_slot *set = asked.sets[hash % asked.set_count], *oldest = set;
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (set[i].hash == hash)
            return &set[i];
        if (set[i].statement < oldest->statement)
            oldest = &set[i];
    }
    return oldest;
}

/* Doubles the table, unless it is as large as it may be or there is no memory. */
static bool grow(void)
{
    size_t count_before = asked.set_count, count = count_before ? count_before * 2 : FIRST_SETS;
    asked_slot(*before)[SLOT_COUNT] = asked.sets;
    asked_slot(*sets)[SLOT_COUNT] = count <= MOST_SETS ? mem_new_array(count, sizeof *sets) : NULL;
    if (!sets)
        return false;
    asked.sets = sets;
    asked.set_count = count;
    for (size_t i = 0; i < count_before; i++)
        for (int k = 0; k < SLOT_COUNT; k++)
            if (before[i][k].statement)
                *slot_of(before[i][k].hash) = before[i][k];
    mem_free(before);
    return true;
}

/* Finds the column chunk's slot as slot_of does, in a table that grows before it forgets one. */
static asked_slot *slot_for(uint64_t hash)
{
    if (!asked.set_count && !grow())
        return NULL;
    asked_slot *slot = slot_of(hash);
    while (slot->statement && slot->hash != hash && grow())
        slot = slot_of(hash);
    return slot;
}

bool column_asked_add(uint64_t hash, uint64_t statement)
{
    asked_slot *slot = slot_for(hash);
    if (!slot)
        return false;
    if (slot->hash == hash && slot->statement && slot->statement != statement)
        return true;
    *slot = (asked_slot){hash, statement};
    return false;
}

void column_asked_forget(uint64_t hash)
{
    asked_slot *slot = asked.set_count ? slot_of(hash) : NULL;
    if (slot && slot->hash == hash)
        *slot = (asked_slot){0};
}

void column_asked_clear(void)
{
    mem_free(asked.sets);
    asked.sets = NULL;
    asked.set_count = 0;
}
