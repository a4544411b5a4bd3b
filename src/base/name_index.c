/* name_index.c - open addressing, at most half full. */
#include "base/name_index.h"

#include <ctype.h>
#include <strings.h>

#define SIZE_LEAST 16

/* Returns the name's entry, or the free one where it belongs. */
static name_entry *entry_of(const name_index *index, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)tolower((unsigned char)*at)) * 1099511628211u;
    size_t mask = index->size - 1, i = (size_t)(hash ^ hash >> 32) & mask;
    while (index->entries[i].name && strcasecmp(index->entries[i].name, name) != 0)
        i = (i + 1) & mask;
    return &index->entries[i];
}

static status name_index_grow(arena *a, name_index *index)
{
    name_index grown = {.size = index->size ? 2 * index->size : SIZE_LEAST, .count = index->count};
    grown.entries = arena_alloc_array(a, grown.size, sizeof *grown.entries);
    if (!grown.entries)
        return status_no_memory("names", grown.size * sizeof *grown.entries);
    for (size_t i = 0; i < index->size; i++)
        if (index->entries[i].name)
            *entry_of(&grown, index->entries[i].name) = index->entries[i];
    *index = grown;
    return STATUS_OK;
}

status name_index_add(arena *a, name_index *index, const char *name, uint32_t number)
{
    if (2 * (index->count + 1) > index->size)
        TRY(name_index_grow(a, index));
    name_entry *entry = entry_of(index, name);
    if (entry->name)
        return STATUS_OK;
    *entry = (name_entry){name, number};
    index->count++;
    return STATUS_OK;
}

uint32_t *name_index_at(const name_index *index, const char *name)
{
    name_entry *entry = index->size ? entry_of(index, name) : NULL;
    return entry && entry->name ? &entry->number : NULL;
}

bool name_index_find(const name_index *index, const char *name, uint32_t *out)
{
    const uint32_t *number = name_index_at(index, name);
    if (number)
        *out = *number;
    return number != NULL;
}
