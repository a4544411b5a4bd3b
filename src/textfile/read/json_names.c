/* json_names.c - open addressing, at most half full. */
#include "textfile/read/json_names.h"

#define SIZE_LEAST 16

/* Returns the name's slot, or the free one where it belongs. */
static uint32_t *slot_of(const json_names *names, const char *text, size_t bytes)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    size_t mask = names->size - 1, i = (size_t)(hash ^ hash >> 32) & mask;
    while (names->slots[i] && !json_name_is(&names->items.items[names->slots[i] - 1], text, bytes))
        i = (i + 1) & mask;
    return &names->slots[i];
}

static status names_grow(arena *a, json_names *names)
{
    size_t size = names->size ? 2 * names->size : SIZE_LEAST;
    uint32_t *slots =
        a ? arena_alloc_array(a, size, sizeof *slots) : mem_new_array(size, sizeof *slots);
    if (!slots)
        return status_no_memory("names", size * sizeof *slots);
    if (!a)
        mem_free(names->slots);
    names->slots = slots;
    names->size = size;
    for (uint32_t i = 0; i < names->items.count; i++)
        *slot_of(names, names->items.items[i].text, names->items.items[i].bytes) = i + 1;
    return STATUS_OK;
}

status json_names_add(arena *a, json_names *names, const char *text, size_t bytes)
{
    if (2 * (names->items.count + 1) > names->size)
        TRY(names_grow(a, names));
    uint32_t *slot = slot_of(names, text, bytes);
    TRY(array_push(a, &names->items, ((json_name){text, bytes})));
    *slot = (uint32_t)names->items.count;
    return STATUS_OK;
}

void json_names_release(json_names *names)
{
    array_release(&names->items);
    mem_free(names->slots);
    *names = (json_names){0};
}

/* A table that was much larger than what was in it goes: to clear it takes longer. */
void json_names_clear(json_names *names)
{
    if (names->size > 64 * SIZE_LEAST && names->size > 16 * names->items.count)
        json_names_release(names);
    if (names->size)
        memset(names->slots, 0, names->size * sizeof *names->slots);
    names->items.count = 0;
}

bool json_names_search(const json_names *names, const char *text, size_t bytes, uint32_t *out)
{
    uint32_t found = names->size ? *slot_of(names, text, bytes) : 0;
    *out = found - 1;
    return found != 0;
}
