/* column_map.h - the places of columns in a list, by id: for who looks up a column for each of many. */
#ifndef PISTACHIO_PLAN_TREE_COLUMN_MAP_H
#define PISTACHIO_PLAN_TREE_COLUMN_MAP_H

#include "plan/tree/plan.h"

/* Zeroed: of no columns. It refers to the list, which must not change. */
typedef struct column_map {
    const plan_column *columns;
    uint32_t count;
    uint32_t
        *slots; /* a place + 1 by hash; 0: empty. NULL: the columns are few and looked through */
    uint32_t slot_count;
} column_map;

CHECKED status column_map_new(arena *a, const plan_column *columns, size_t count, column_map *out);
/* Returns the first place of the column with this id, or -1. */
int column_map_find(const column_map *map, uint32_t id);

#endif
