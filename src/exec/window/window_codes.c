/* window_codes.c - rows sorted by their value: by the bytes of 128 bits that stand in its order, from the lowest to the
 * highest, without those that all rows have alike. Texts that begin with the same 16 bytes are compared in full. */
#include "exec/window/window_codes.h"

#include "device/value/value_code.h"

#include <stdlib.h>

#define SIGN_128 ((uint128)1 << 127)
#define PREFIX_BYTES 16
#define PARTS 256

typedef struct entry {
    uint128 key;
    uint32_t row;
} entry;

static bool window_codes_is_there(const tensor *t, uint64_t row)
{
    return !t->validity || t->validity[row / 64] >> (row % 64) & 1;
}

/* ---- keys ---- */

static uint128 key_of_text(const string_view *text)
{
    uint8_t first[PREFIX_BYTES] = {0};
    uint128 key = 0;
    uint32_t bytes = text->bytes < PREFIX_BYTES ? text->bytes : PREFIX_BYTES;
    if (bytes)
        memcpy(first, string_data(text), bytes);
    for (size_t i = 0; i < PREFIX_BYTES; i++)
        key = key << 8 | first[i];
    return key;
}

static uint128 window_codes_key_at(const tensor *t, uint64_t row)
{
    switch (t->type.id) {
    case TYPE_BOOL:
        return ((const uint64_t *)t->values)[row / 64] >> (row % 64) & 1;
    case TYPE_INTERVAL: { /* as they are compared: months of 30 days */
        const interval_value *v = (const interval_value *)t->values + row;
        int128 weight = ((int128)v->months * 30 + v->days) * 86400000000 + v->microseconds;
        return (uint128)weight ^ SIGN_128;
    }
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return key_of_text((const string_view *)t->values + row);
    default:
        return t->type.width == 16 ? (uint128)((const int128 *)t->values)[row] ^ SIGN_128
                                   : value_code_at(t->type, t->values, row);
    }
}

/* ---- sorting ---- */

/* By a byte of the key; false: all rows have the same one, and nothing was moved, or the statement is cancelled. */
static bool sort_by_byte(const entry *from, uint64_t count, unsigned shift, entry *to)
{
    uint64_t starts[PARTS] = {0}, at = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (cancel_look(i))
            return false;
        starts[(uint8_t)(from[i].key >> shift)]++;
    }
    if (count && starts[(uint8_t)(from[0].key >> shift)] == count)
        return false;
    for (size_t part = 0; part < PARTS; part++) {
        uint64_t rows = starts[part];
        starts[part] = at;
        at += rows;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (cancel_look(i))
            return false;
        to[starts[(uint8_t)(from[i].key >> shift)]++] = from[i];
    }
    return true;
}

/* Returns where the sorted ones are. */
static entry *sort_by_keys(entry *entries, entry *scratch, uint64_t count)
{
    for (unsigned shift = 0; shift < 128; shift += 8)
        if (sort_by_byte(entries, count, shift, scratch)) {
            entry *moved = scratch;
            scratch = entries;
            entries = moved;
        }
    return entries;
}

static int window_codes_compare_texts(const string_view *a, const string_view *b)
{
    uint32_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = common ? memcmp(string_data(a), string_data(b), common) : 0;
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

typedef struct text_order {
    const string_view *views;
    uint64_t compared;
    bool is_cancelled;
} text_order;

/* Once the statement is cancelled all texts are equal, which ends the sort soon. */
static int compare_entries(const void *left, const void *right, void *argument)
{
    text_order *order = argument;
    const string_view *views = order->views;
    order->is_cancelled |= cancel_look(++order->compared);
    if (order->is_cancelled)
        return 0;
    return window_codes_compare_texts(&views[((const entry *)left)->row],
                                      &views[((const entry *)right)->row]);
}

static void sort_long_texts(const tensor *t, entry *entries, uint64_t count)
{
    text_order order = {.views = t->values};
    for (uint64_t first = 0, next = 0; first < count && !order.is_cancelled; first = next) {
        order.is_cancelled = cancel_look(++order.compared);
        while (next < count && entries[next].key == entries[first].key)
            next++;
        if (next - first > 1)
            qsort_r(&entries[first], next - first, sizeof *entries, compare_entries, &order);
    }
}

/* ---- numbers ---- */

static bool window_codes_are_equal(const tensor *t, const entry *a, const entry *b)
{
    const string_view *views = t->values;
    return a->key == b->key &&
           (!type_is_text(t->type) || !window_codes_compare_texts(&views[a->row], &views[b->row]));
}

static void window_codes_number(const tensor *t, const entry *entries, uint64_t count,
                                window_codes *out)
{
    for (uint64_t i = 0; i < count && !cancel_look(i); i++) {
        if (!i || !window_codes_are_equal(t, &entries[i - 1], &entries[i]))
            out->rows[out->count++] = entries[i].row;
        out->codes[entries[i].row] = out->count - 1;
    }
}

static void sort_and_number(const tensor *t, uint64_t rows, entry *entries, entry *scratch,
                            window_codes *out)
{
    uint64_t count = 0;
    for (uint64_t row = 0; row < rows && !cancel_look(row); row++) {
        out->codes[row] = WINDOW_NO_CODE;
        if (window_codes_is_there(t, row))
            entries[count++] = (entry){window_codes_key_at(t, row), (uint32_t)row};
    }
    entries = sort_by_keys(entries, scratch, count);
    if (type_is_text(t->type))
        sort_long_texts(t, entries, count);
    window_codes_number(t, entries, count, out);
}

void window_codes_release(window_codes *codes)
{
    dev_buffer_unref(codes->memory);
    *codes = (window_codes){0};
}

status window_codes_make(device *host, const tensor *values, uint64_t count, window_codes *out)
{
    dev_buffer *entries;
    *out = (window_codes){0};
    TRY(dev_alloc(host, 2 * (count + 1) * sizeof(entry), "window", &entries));
    status st = dev_alloc(host, 2 * (count + 1) * sizeof(uint32_t), "window", &out->memory);
    if (!st) {
        out->codes = out->memory->address;
        out->rows = out->codes + count + 1;
        sort_and_number(values, count, entries->address, (entry *)entries->address + count + 1,
                        out);
        st = cancel_check();
    }
    dev_buffer_unref(entries);
    if (st)
        window_codes_release(out);
    return st;
}
