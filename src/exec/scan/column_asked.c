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
    size_t set_count, used_slots;
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

static void put(uint64_t hash, uint64_t statement)
{
    asked_slot *slot = slot_of(hash);
    asked.used_slots += !slot->statement;
    *slot = (asked_slot){hash, statement};
}

/* Doubles the table where half of its slots are in use; without memory it stays as it is. Returns whether
 * there is a table. */
static bool make_room(void)
{
    size_t count_before = asked.set_count;
    bool is_half_full = asked.used_slots * 2 >= count_before * SLOT_COUNT;
    if (!is_half_full || count_before == MOST_SETS)
        return true;
    size_t count = count_before ? count_before * 2 : FIRST_SETS;
    asked_slot(*sets)[SLOT_COUNT] = mem_new_array(count, sizeof *sets);
    if (!sets)
        return count_before;
    asked_slot(*before)[SLOT_COUNT] = asked.sets;
    asked.sets = sets;
    asked.set_count = count;
    asked.used_slots = 0;
    for (size_t i = 0; i < count_before; i++)
        for (int k = 0; k < SLOT_COUNT; k++)
            if (before[i][k].statement)
                put(before[i][k].hash, before[i][k].statement);
    mem_free(before);
    return true;
}

bool column_asked_add(uint64_t hash, uint64_t statement)
{
    if (!make_room())
        return false;
    asked_slot *slot = slot_of(hash);
    if (slot->hash == hash && slot->statement && slot->statement != statement)
        return true;
    put(hash, statement);
    return false;
}

void column_asked_forget(uint64_t hash)
{
    if (!asked.set_count)
        return;
    asked_slot *slot = slot_of(hash);
    if (slot->hash != hash)
        return;
    asked.used_slots -= slot->statement != 0;
    *slot = (asked_slot){0};
}

void column_asked_clear(void)
{
    mem_free(asked.sets);
    asked.sets = NULL;
    asked.set_count = asked.used_slots = 0;
}
