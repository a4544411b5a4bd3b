/* group_table.c - distinct keys by an open-addressing directory over packed rows. */
#include "exec/group_table.h"

#define CAPACITY_MIN 1024
#define HEAP_BYTES_MIN (64u << 10)
#define GROUPS_MAX ((uint64_t)1 << 31)

status group_table_init(group_table *table, device *dev, const char *who, const data_type *types,
                        uint32_t key_count)
{
    *table = (group_table){.dev = dev, .who = who, .key_count = key_count};
    if (key_count > 64)
        return status_new(STATUS_KIND_UNSUPPORTED, "more than 64 grouping columns");
    table->stride_words = 1 + 2 * key_count;
    table->types = mem_new_array(key_count ? key_count : 1, sizeof *types);
    if (!table->types)
        return status_no_memory(who, key_count * sizeof *types);
    memcpy(table->types, types, key_count * sizeof *types);
    for (uint32_t i = 0; i < key_count; i++)
        if (type_is_text(types[i]))
            table->text_keys |= (uint64_t)1 << i;
    return STATUS_OK;
}

void group_table_release(group_table *table)
{
    dev_buffer_unref(table->slots);
    dev_buffer_unref(table->rows);
    dev_buffer_unref(table->hashes);
    dev_buffer_unref(table->words);
    for (size_t i = 0; i < table->heaps.count; i++)
        dev_buffer_unref(table->heaps.items[i]);
    array_release(&table->heaps);
    mem_free(table->types);
    *table = (group_table){0};
}

uint64_t group_table_bytes(const group_table *table)
{
    uint64_t bytes = table->capacity * (table->stride_words + 1) * sizeof(uint64_t) +
                     table->slot_count * sizeof(uint32_t);
    for (size_t i = 0; i < table->heaps.count; i++)
        bytes += table->heaps.items[i]->bytes;
    return bytes;
}

/* A larger copy of *buffer takes its place. */
static status enlarge(group_table *table, dev_stream *stream, dev_buffer **buffer, size_t used,
                      size_t bytes)
{
    dev_buffer *larger;
    TRY(dev_alloc(table->dev, bytes, table->who, &larger));
    status st =
        used ? table->dev->ops->copy(stream, larger->address, (*buffer)->address, used) : STATUS_OK;
    if (st) {
        dev_buffer_unref(larger);
        return st;
    }
    dev_buffer_unref(*buffer);
    *buffer = larger;
    return STATUS_OK;
}

/* Room for `more` groups; the directory stays at most half full. */
static status reserve(group_table *table, dev_stream *stream, uint64_t more)
{
    uint64_t needed = table->count + more, capacity = table->capacity;
    if (!table->words)
        TRY(dev_words_new(stream, 2, &table->words));
    if (needed <= capacity)
        return STATUS_OK;
    if (needed > GROUPS_MAX)
        return status_new(STATUS_KIND_LIMIT, "%s has more than %llu groups", table->who,
                          (unsigned long long)GROUPS_MAX);
    capacity = capacity ? capacity : CAPACITY_MIN;
    while (capacity < needed)
        capacity *= 2;
    uint64_t row_bytes = table->stride_words * sizeof(uint64_t);
    TRY(enlarge(table, stream, &table->rows, table->count * row_bytes, capacity * row_bytes));
    TRY(enlarge(table, stream, &table->hashes, table->count * 8, capacity * 8));
    dev_buffer *slots;
    uint64_t slot_count = capacity * 2;
    TRY(dev_alloc(table->dev, slot_count * sizeof(uint32_t), table->who, &slots));
    dev_buffer_unref(table->slots);
    table->slots = slots;
    TRY(table->dev->ops->zero(stream, slots->address, slot_count * sizeof(uint32_t)));
    table->capacity = capacity;
    table->slot_count = slot_count;
    return DEV_LAUNCH(stream, group_rehash, .group_hashes = table->hashes->address,
                      .count = dev_count_exact(table->count), .slots = slots->address,
                      .slot_count = slot_count);
}

/* Room in the current heap for all long strings of packed rows. */
static status reserve_heap(group_table *table, dev_stream *stream, const uint64_t *rows,
                           uint64_t count)
{
    uint64_t needed;
    dev_buffer *total;
    if (!table->text_keys)
        return STATUS_OK;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, group_string_bytes, .rows = rows,
                           .stride_words = table->stride_words, .text_keys = table->text_keys,
                           .count = dev_count_exact(count), .out_total = total->address);
    if (!st)
        st = dev_words_wait(stream, total->address, &needed, 1);
    dev_buffer_unref(total);
    if (st || !needed || (table->heap && table->heap->bytes - table->heap_used >= needed))
        return st;
    uint64_t bytes = table->heap ? table->heap->bytes * 2 : HEAP_BYTES_MIN;
    bytes = bytes > (4u << 20) ? 4u << 20 : bytes;
    bytes = bytes < needed ? needed : bytes;
    dev_buffer *heap;
    TRY(array_reserve(NULL, &table->heaps, 1));
    TRY(dev_alloc(table->dev, bytes, table->who, &heap));
    table->heaps.items[table->heaps.count++] = heap;
    table->heap = heap;
    table->heap_used = 0;
    return table->dev->ops->zero(stream, (uint64_t *)table->words->address + 1, 8);
}

/* Looks packed rows up and adds the new ones. */
static status find_packed(group_table *table, dev_stream *stream, const uint64_t *rows,
                          const uint64_t *hashes, uint64_t count, row_index **out)
{
    *out = NULL;
    uint64_t words[2];
    TRY(reserve(table, stream, count));
    TRY(reserve_heap(table, stream, rows, count));
    TRY(row_index_new(table->dev, count, out));
    uint64_t *state = table->words->address;
    status st = DEV_LAUNCH(stream, group_lookup, .rows = rows, .hashes = hashes,
                           .count = dev_count_exact(count), .stride_words = table->stride_words,
                           .text_keys = table->text_keys, .slots = table->slots->address,
                           .slot_count = table->slot_count, .group_rows = table->rows->address,
                           .group_hashes = table->hashes->address, .group_count = state,
                           .heap = table->heap ? table->heap->address : NULL,
                           .heap_used = state + 1, .out = (*out)->rows);
    if (!st)
        st = dev_words_wait(stream, state, words, 2);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
        return st;
    }
    table->count = words[0];
    table->heap_used = words[1];
    return STATUS_OK;
}

status group_table_find(group_table *table, dev_stream *stream, tensor *const *keys, uint64_t rows,
                        row_index **out)
{
    dev_buffer *packed = NULL, *hashes = NULL;
    *out = NULL;
    TRY(dev_alloc(table->dev, rows * table->stride_words * 8, table->who, &packed));
    status st = dev_alloc(table->dev, rows * 8, table->who, &hashes);
    for (uint32_t k = 0; k < table->key_count && !st; k++)
        st = DEV_LAUNCH(stream, group_pack, .type = keys[k]->type, .values = keys[k]->values,
                        .validity = keys[k]->validity, .count = dev_count_exact(rows), .key = k,
                        .stride_words = table->stride_words, .rows = packed->address);
    if (!st)
        st = DEV_LAUNCH(stream, group_hash, .rows = packed->address,
                        .stride_words = table->stride_words, .text_keys = table->text_keys,
                        .count = dev_count_exact(rows), .out = hashes->address);
    if (!st)
        st = find_packed(table, stream, packed->address, hashes->address, rows, out);
    dev_buffer_unref(packed);
    dev_buffer_unref(hashes);
    return st;
}

status group_table_merge(group_table *table, dev_stream *stream, const group_table *other,
                         uint64_t first, uint64_t count, row_index **out)
{
    return find_packed(table, stream,
                       (const uint64_t *)other->rows->address + first * other->stride_words,
                       (const uint64_t *)other->hashes->address + first, count, out);
}

status group_table_key(const group_table *table, dev_stream *stream, uint32_t key, uint64_t first,
                       uint64_t count, tensor **out)
{
    tensor *t;
    *out = NULL;
    TRY(tensor_new_flat(table->dev, table->types[key], count, true, &t));
    status st =
        DEV_LAUNCH(stream, group_unpack, .type = t->type,
                   .rows = (const uint64_t *)table->rows->address + first * table->stride_words,
                   .key = key, .stride_words = table->stride_words, .count = dev_count_exact(count),
                   .values = t->values, .validity = t->validity);
    if (!st && type_is_text(t->type) && table->heaps.count) {
        for (size_t i = 0; i < table->heaps.count; i++)
            dev_buffer_ref(table->heaps.items[i]);
        st = string_heap_new(table->heaps.items, (uint32_t)table->heaps.count, &t->heap);
    }
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}
