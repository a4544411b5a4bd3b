/* column_set.h - sets of column ids. */
#ifndef PISTACHIO_PLAN_TREE_COLUMN_SET_H
#define PISTACHIO_PLAN_TREE_COLUMN_SET_H

#include "plan/tree/plan.h"

typedef struct column_set {
    uint64_t *words;
    uint32_t bit_count;
} column_set;

CHECKED status column_set_new(arena *a, uint32_t bit_count, column_set *out);
CHECKED status column_set_copy(arena *a, const column_set *set, column_set *out);
void column_set_add(column_set *set, uint32_t id);
bool column_set_has(const column_set *set, uint32_t id);
/* Adds the columns that the node makes. */
void column_set_add_node(column_set *set, const plan_node *node);

#endif
