/* deleted_rows.c - reads Roaring bitmaps; each length is checked against the bytes that are there. */
#include "lake/log/deleted_rows.h"

#include "base/cancel.h"
#include "codec/checksum.h"

#include <stdlib.h>

#define MAGIC UINT32_C(0x6439d3d1)
#define COOKIE_PLAIN 12346
#define COOKIE_RUNS 12347
#define OFFSETS_FROM 4 /* containers: with runs, fewer have no offsets before them */
#define ARRAY_MAX 4096
#define BITMAP_BYTES 8192

/* ---- lists ---- */

#define FIRST_ROWS 16

status row_numbers_add(row_numbers *list, uint64_t row)
{
    if (list->count == list->capacity) {
        size_t more = list->capacity ? list->capacity : FIRST_ROWS;
        if (list->deletes)
            TRY(pq_deletes_take(list->deletes, more * sizeof row));
        list->charged += more * sizeof row;
        TRY(array_reserve(NULL, list, more));
    }
    list->items[list->count++] = row;
    return STATUS_OK;
}

void row_numbers_release(row_numbers *list)
{
    array_release(list);
    if (list->deletes)
        pq_deletes_give(list->deletes, list->charged);
    list->charged = 0;
}

static int deleted_rows_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void sort_rows(row_numbers *rows)
{
    size_t kept = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < rows->count && is_sorted; i++)
        is_sorted = rows->items[i - 1] < rows->items[i];
    if (is_sorted)
        return;
    qsort(rows->items, rows->count, sizeof *rows->items, deleted_rows_compare);
    for (size_t i = 0; i < rows->count; i++)
        if (!kept || rows->items[i] != rows->items[kept - 1])
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
}

status row_numbers_finish(row_numbers *list, arena *a, pq_deleted_rows *out)
{
    sort_rows(list);
    size_t bytes = list->count * sizeof *list->items;
    if (list->deletes)
        TRY(pq_deletes_take(list->deletes, bytes));
    uint64_t *rows = arena_alloc(a, bytes + 1);
    if (!rows)
        return status_no_memory("deleted rows", bytes);
    if (bytes)
        memcpy(rows, list->items, bytes);
    *out = (pq_deleted_rows){rows, list->count};
    row_numbers_release(list);
    return STATUS_OK;
}

/* ---- sets in bytes ---- */

typedef struct byte_reader {
    const uint8_t *at, *end;
    bool is_broken;
} byte_reader;

static const uint8_t *take_bytes(byte_reader *r, uint64_t count)
{
    static const uint8_t nothing[8];
    if (count > (uint64_t)(r->end - r->at)) {
        r->is_broken = true;
        return nothing;
    }
    r->at += count;
    return r->at - count;
}

/* A little-endian number of 2, 4 or 8 bytes. */
static uint64_t take_number(byte_reader *r, unsigned bytes)
{
    uint64_t number = 0;
    const uint8_t *at = take_bytes(r, bytes);
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

typedef struct set_reader {
    byte_reader bytes;
    uint64_t most;
    row_numbers *out;
} set_reader;

static status broken_set(void)
{
    return status_new(STATUS_KIND_CORRUPT, "it is not a Roaring bitmap in the portable form");
}

static status add_row(set_reader *s, uint64_t row)
{
    if (s->out->count >= s->most)
        return status_new(STATUS_KIND_CORRUPT, "it has more than %llu rows",
                          (unsigned long long)s->most);
    return row_numbers_add(s->out, row);
}

static status read_runs(set_reader *s, uint64_t base)
{
    uint64_t runs = take_number(&s->bytes, 2);
    for (uint64_t i = 0; i < runs && !s->bytes.is_broken; i++) {
        uint64_t first = take_number(&s->bytes, 2), more = take_number(&s->bytes, 2);
        if (first + more > UINT16_MAX)
            return broken_set();
        for (uint64_t row = first; row <= first + more && !s->bytes.is_broken; row++)
            TRY(add_row(s, base + row));
    }
    return STATUS_OK;
}

static status read_list(set_reader *s, uint64_t base, uint32_t count)
{
    for (uint32_t i = 0; i < count && !s->bytes.is_broken; i++)
        TRY(add_row(s, base + take_number(&s->bytes, 2)));
    return STATUS_OK;
}

static status read_bits(set_reader *s, uint64_t base)
{
    const uint8_t *bits = take_bytes(&s->bytes, BITMAP_BYTES);
    for (uint32_t i = 0; i < BITMAP_BYTES * 8 && !s->bytes.is_broken; i++)
        if (bits[i / 8] >> i % 8 & 1)
            TRY(add_row(s, base + i));
    return STATUS_OK;
}

/* The header of the containers: which have runs, then a key and a number of values for each. */
static status read_bitmap(set_reader *s, uint64_t upper)
{
    byte_reader *r = &s->bytes;
    uint32_t cookie = (uint32_t)take_number(r, 4);
    bool has_runs = (cookie & 0xffff) == COOKIE_RUNS;
    if (!has_runs && cookie != COOKIE_PLAIN)
        return broken_set();
    uint64_t count = has_runs ? (cookie >> 16) + 1 : take_number(r, 4);
    if (count > 1 << 16)
        return broken_set();
    const uint8_t *runs = has_runs ? take_bytes(r, (count + 7) / 8) : NULL;
    const uint8_t *heads = take_bytes(r, count * 4);
    if (!has_runs || count >= OFFSETS_FROM)
        take_bytes(r, count * 4);
    if (r->is_broken)
        return broken_set();
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *head = heads + i * 4;
        uint64_t base = upper << 32 | (uint64_t)(head[0] | head[1] << 8) << 16;
        uint32_t values = (uint32_t)(head[2] | head[3] << 8) + 1;
        TRY(cancel_check());
        if (runs && runs[i / 8] >> i % 8 & 1)
            TRY(read_runs(s, base));
        else if (values <= ARRAY_MAX)
            TRY(read_list(s, base, values));
        else
            TRY(read_bits(s, base));
    }
    return r->is_broken ? broken_set() : STATUS_OK;
}

status deleted_rows_read(const uint8_t *bytes, size_t count, uint64_t most, row_numbers *out)
{
    set_reader s = {{bytes, bytes + count, false}, most, out};
    if (take_number(&s.bytes, 4) != MAGIC)
        return status_new(STATUS_KIND_CORRUPT,
                          "it does not begin with the number of a deletion vector");
    uint64_t bitmaps = take_number(&s.bytes, 8);
    for (uint64_t i = 0; i < bitmaps && !s.bytes.is_broken; i++)
        TRY(read_bitmap(&s, take_number(&s.bytes, 4)));
    if (s.bytes.is_broken)
        return broken_set();
    return STATUS_OK;
}

static uint32_t deleted_rows_big_number(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

status deleted_rows_read_framed(const uint8_t *bytes, size_t count, uint64_t most, row_numbers *out)
{
    if (count < 8 || deleted_rows_big_number(bytes) != count - 8)
        return status_new(STATUS_KIND_CORRUPT, "its length is not the one that was listed");
    const uint8_t *set = bytes + 4;
    if (codec_checksum(CPU_ISA_SCALAR, 0, set, count - 8) !=
        deleted_rows_big_number(bytes + count - 4))
        return status_new(STATUS_KIND_CORRUPT, "its checksum is wrong");
    return deleted_rows_read(set, count - 8, most, out);
}
