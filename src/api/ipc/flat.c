/* flat.c - see flat.h. */
#include "api/ipc/flat.h"

#define SLOT 8

/* Appends zeros; returns where they begin. */
static uint32_t add(flat *f, size_t count)
{
    if (f->is_failed)
        return 0;
    status st = array_reserve(NULL, &f->bytes, count);
    f->is_failed = st;
    status_free(st);
    if (f->is_failed)
        return 0;
    uint32_t at = (uint32_t)f->bytes.count;
    memset(f->bytes.items + at, 0, count);
    f->bytes.count += count;
    return at;
}

/* Pads so that what lies `after` bytes on begins at `remainder` modulo 8. */
static void pad(flat *f, size_t after, size_t remainder)
{
    size_t now = (f->bytes.count + after) % SLOT;
    (void)add(f, (remainder + SLOT - now) % SLOT);
}

static void put(flat *f, uint32_t at, const void *bytes, size_t count)
{
    if (!f->is_failed)
        memcpy(f->bytes.items + at, bytes, count);
}

static void put_16(flat *f, uint32_t at, size_t number)
{
    uint16_t small = (uint16_t)number;
    put(f, at, &small, sizeof small);
}

static void flat_put_32(flat *f, uint32_t at, uint32_t number)
{
    put(f, at, &number, sizeof number);
}

void flat_begin(flat *f)
{
    f->bytes.count = 0;
    (void)add(f, 4);
}

uint32_t flat_table(flat *f, unsigned field_count)
{
    size_t vtable_bytes = 4 + 2 * (size_t)field_count, bytes = 4 + SLOT * (size_t)field_count;
    bool is_root = f->bytes.count == 4;
    pad(f, vtable_bytes, 4);
    uint32_t vtable = add(f, vtable_bytes), table = add(f, bytes);
    put_16(f, vtable, vtable_bytes);
    put_16(f, vtable + 2, bytes);
    flat_put_32(f, table, table - vtable);
    if (is_root)
        flat_put_32(f, 0, table);
    return table;
}

uint32_t flat_text(flat *f, const char *text, size_t bytes)
{
    pad(f, 0, 0);
    uint32_t at = add(f, 4 + bytes + 1);
    flat_put_32(f, at, (uint32_t)bytes);
    put(f, at + 4, text, bytes);
    return at;
}

uint32_t flat_vector(flat *f, size_t count, size_t element_bytes)
{
    pad(f, 4, 0);
    uint32_t at = add(f, 4 + count * element_bytes);
    flat_put_32(f, at, (uint32_t)count);
    return at;
}

char *flat_items(flat *f, uint32_t vector)
{
    return f->is_failed ? NULL : f->bytes.items + vector + 4;
}

/* Notes in the table's vtable that the field is there; returns where its slot lies. */
static uint32_t take_slot(flat *f, uint32_t table, unsigned field)
{
    uint32_t distance = 0;
    if (!f->is_failed)
        memcpy(&distance, f->bytes.items + table, sizeof distance);
    put_16(f, table - distance + 4 + 2 * field, 4 + SLOT * (size_t)field);
    return table + 4 + SLOT * field;
}

void flat_set(flat *f, uint32_t table, unsigned field, uint64_t number)
{
    put(f, take_slot(f, table, field), &number, sizeof number);
}

void flat_link(flat *f, uint32_t table, unsigned field, uint32_t target)
{
    uint32_t slot = take_slot(f, table, field);
    flat_put_32(f, slot, target - slot);
}

void flat_link_item(flat *f, uint32_t vector, size_t index, uint32_t target)
{
    uint32_t item = vector + 4 + 4 * (uint32_t)index;
    flat_put_32(f, item, target - item);
}

status flat_end(flat *f)
{
    pad(f, 0, 0);
    return f->is_failed ? status_no_memory("Arrow message", f->bytes.count) : STATUS_OK;
}

void flat_release(flat *f)
{
    array_release(&f->bytes);
}
