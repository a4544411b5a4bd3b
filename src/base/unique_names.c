/* unique_names.c - a hash table of the names so far; a name that is alone costs one look. */
#include "base/unique_names.h"

typedef struct name_slot {
    const char *name; /* NULL: the slot is free */
    unsigned copies;  /* numbers that were given to names like this one */
} name_slot;

static name_slot *unique_names_find(name_slot *slots, size_t mask, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    size_t i = (size_t)(hash ^ hash >> 32) & mask;
    while (slots[i].name && strcmp(slots[i].name, name) != 0)
        i = (i + 1) & mask;
    return &slots[i];
}

static status make_unique(arena *a, name_slot *slots, size_t mask, const char **name)
{
    name_slot *slot = unique_names_find(slots, mask, *name);
    while (slot->name) {
        const char *numbered = arena_format(a, "%s_%u", *name, ++slot->copies);
        if (!numbered)
            return status_no_memory("names", strlen(*name));
        *name = numbered;
        slot = unique_names_find(slots, mask, numbered);
    }
    slot->name = *name;
    return STATUS_OK;
}

status unique_names(arena *a, const char **names, size_t count)
{
    size_t size = 4;
    while (size < 2 * count)
        size *= 2;
    name_slot *slots = count > 1 ? mem_new_array(size, sizeof *slots) : NULL;
    if (count <= 1)
        return STATUS_OK;
    if (!slots)
        return status_no_memory("names", size * sizeof *slots);
    status st = STATUS_OK;
    for (size_t i = 0; i < count && !st; i++)
        st = make_unique(a, slots, size - 1, &names[i]);
    mem_free(slots);
    return st;
}
