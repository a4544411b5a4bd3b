/* name_index.h - numbers by names, whatever their case: a hash table in an arena. */
#ifndef PISTACHIO_BASE_NAME_INDEX_H
#define PISTACHIO_BASE_NAME_INDEX_H

#include "base/mem.h"

#include <stdbool.h>

typedef struct name_entry {
    const char *name; /* NULL: the entry is free */
    uint32_t number;
} name_entry;

/* Zeroed: empty. */
typedef struct name_index {
    name_entry *entries;
    size_t size, count; /* size: 0 or a power of two */
} name_index;

/* Keeps the pointer to the name. A name that is there already keeps its number. */
CHECKED status name_index_add(arena *a, name_index *index, const char *name, uint32_t number);
bool name_index_find(const name_index *index, const char *name, uint32_t *out);
/* Returns the name's number, to be changed before the next name is added; NULL: the name is not there. */
uint32_t *name_index_at(const name_index *index, const char *name);

#endif
