/* flat_read.c - see flat_read.h. */
#include "arrowfile/flat_read.h"

#include <string.h>

static bool has_bytes(flat_buffer *b, size_t at, size_t bytes)
{
    if (at <= b->count && bytes <= b->count - at)
        return true;
    b->is_damaged = true;
    return false;
}

/* Returns a number of so many bytes, with its sign. */
static int64_t number_at(flat_buffer *b, size_t at, unsigned bytes)
{
    uint64_t number = 0;
    if (!has_bytes(b, at, bytes))
        return 0;
    memcpy(&number, b->bytes + at, bytes);
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)(number << unused) >> unused;
}

/* Returns where the reference at this position leads, or 0. */
static size_t follow(flat_buffer *b, size_t at)
{
    size_t distance = (uint32_t)number_at(b, at, 4);
    return distance && has_bytes(b, at, distance) ? at + distance : 0;
}

static flat_object object_at(flat_buffer *b, size_t at)
{
    flat_object table = {.in = b, .at = at};
    int64_t back = number_at(b, at, 4);
    if (!at || back > (int64_t)at || (int64_t)at - back > (int64_t)b->count) {
        b->is_damaged |= at != 0;
        return (flat_object){0};
    }
    table.vtable = (size_t)((int64_t)at - back);
    table.vtable_bytes = (uint16_t)number_at(b, table.vtable, 2);
    return has_bytes(b, table.vtable, table.vtable_bytes) ? table : (flat_object){0};
}

flat_object flat_root(flat_buffer *buffer)
{
    return object_at(buffer, follow(buffer, 0));
}

/* Returns the position of a field, or 0. */
static size_t field_at(const flat_object *table, unsigned field)
{
    size_t slot = 4 + 2 * (size_t)field;
    if (!table->in || slot + 2 > table->vtable_bytes)
        return 0;
    size_t offset = (uint16_t)number_at(table->in, table->vtable + slot, 2);
    return offset ? table->at + offset : 0;
}

int64_t flat_number(const flat_object *table, unsigned field, unsigned bytes, int64_t absent)
{
    size_t at = field_at(table, field);
    return at ? number_at(table->in, at, bytes) : absent;
}

bool flat_bool(const flat_object *table, unsigned field)
{
    return flat_number(table, field, 1, 0) != 0;
}

flat_object flat_child(const flat_object *table, unsigned field)
{
    size_t at = field_at(table, field);
    return at ? object_at(table->in, follow(table->in, at)) : (flat_object){0};
}

flat_span flat_list(const flat_object *table, unsigned field, size_t element_bytes)
{
    flat_span items = {.in = table->in};
    size_t at = field_at(table, field);
    size_t vector = at ? follow(table->in, at) : 0;
    if (!vector)
        return items;
    size_t count = (uint32_t)number_at(table->in, vector, 4);
    if (count > table->in->count || !has_bytes(table->in, vector + 4, count * element_bytes))
        return items;
    items.at = vector + 4;
    items.count = count;
    return items;
}

const char *flat_string(const flat_object *table, unsigned field, size_t *out_bytes)
{
    flat_span items = flat_list(table, field, 1);
    *out_bytes = items.count;
    return items.at ? (const char *)items.in->bytes + items.at : NULL;
}

flat_object flat_list_table(const flat_span *items, size_t index)
{
    return object_at(items->in, follow(items->in, items->at + 4 * index));
}

int64_t flat_list_number(const flat_span *items, size_t element_bytes, size_t index,
                         unsigned offset, unsigned bytes)
{
    return number_at(items->in, items->at + element_bytes * index + offset, bytes);
}
