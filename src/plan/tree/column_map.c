/* column_map.c - see column_map.h. */
#include "plan/tree/column_map.h"

/* Lists of so many columns are looked through. */
#define COLUMNS_FEW 16

/* The slot of the column with this id, or the empty one that it would be in. */
static uint32_t *column_map_slot_of(const column_map *map, uint32_t id)
{
    uint32_t at = (id * 0x9e3779b1u) & (map->slot_count - 1);
    while (map->slots[at] && map->columns[map->slots[at] - 1].id != id)
        at = (at + 1) & (map->slot_count - 1);
    return &map->slots[at];
}

status column_map_new(arena *a, const plan_column *columns, size_t count, column_map *out)
{
    if (count > INT32_MAX)
        return status_new(STATUS_KIND_UNSUPPORTED, "%zu columns are too many", count);
    *out = (column_map){.columns = columns, .count = (uint32_t)count};
    if (count <= COLUMNS_FEW)
        return STATUS_OK;
    for (out->slot_count = 64; out->slot_count / 2 < count;)
        out->slot_count *= 2;
    out->slots = arena_alloc_array(a, out->slot_count, sizeof *out->slots);
    if (!out->slots)
        return status_no_memory("columns", out->slot_count * sizeof *out->slots);
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t *slot = column_map_slot_of(out, columns[i].id);
        *slot = *slot ? *slot : i + 1;
    }
    return STATUS_OK;
}

int column_map_find(const column_map *map, uint32_t id)
{
    if (map->slots)
        return (int)*column_map_slot_of(map, id) - 1;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->columns[i].id == id)
            return (int)i;
    return -1;
}
