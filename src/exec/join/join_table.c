/* join_table.c - what a join table is, and probing it. Making it: join_table_build.c. */
#include "exec/join/join_table.h"

#include "device/chunk.h"

status join_table_init(join_table *table)
{
    if (table->key_count > JOIN_KEYS_MAX)
        return status_hint(
            status_new(STATUS_KIND_LIMIT, "more than %d pairs of join keys", JOIN_KEYS_MAX),
            "name fewer columns in ON, USING, INTERSECT or EXCEPT");
    if (!table->key_count) {
        table->form = JOIN_TABLE_KEYLESS;
        return STATUS_OK;
    }
    return key_layout_init(&table->layout, table->key_types, table->key_count, true);
}

void join_table_release(join_table *table)
{
    for (size_t i = 0; i < table->chunks.count; i++)
        chunk_free(table->chunks.items[i]);
    array_release(&table->chunks);
    mem_free(table->chunk_rows);
    chunk_free(table->build);
    key_layout_release(&table->layout);
    for (size_t i = 0; i < table->key_heaps.count; i++)
        string_heap_unref(table->key_heaps.items[i]);
    array_release(&table->key_heaps);
    dev_buffer_unref(table->packed);
    dev_buffer_unref(table->bitmap);
    dev_buffer_unref(table->ranks);
    dev_buffer_unref(table->slots);
    dev_buffer_unref(table->stats);
    dev_buffer_unref(table->starts);
    dev_buffer_unref(table->rows);
    dev_buffer_unref(table->row_groups);
    dev_buffer_unref(table->range_values);
    dev_buffer_unref(table->second_values);
    dev_buffer_unref(table->heights);
    dev_buffer_unref(table->tops[0]);
    dev_buffer_unref(table->tops[1]);
    *table = (join_table){0};
}

bool join_table_needs_ranges(const join_table *table)
{
    for (uint32_t k = 0; k < table->key_count; k++)
        if (!type_is_integer(table->key_types[k]) && !type_is_time(table->key_types[k]))
            return false;
    return table->key_count && !table->null_equal;
}

/* Rows with a NULL key match nothing. */
static status drop_nulls(const join_table *table, dev_stream *stream, tensor *const *keys,
                         dev_count rows, uint32_t *groups)
{
    if (table->null_equal)
        return STATUS_OK;
    for (uint32_t k = 0; k < table->key_count; k++)
        if (keys[k]->validity)
            TRY(DEV_LAUNCH(stream, join_drop_nulls, .validity = keys[k]->validity, .count = rows,
                           .groups = groups));
    return STATUS_OK;
}

status join_table_codes(const join_table *table, dev_stream *stream, tensor *const *keys,
                        dev_count rows, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, rows.bound * sizeof(uint64_t), "join", out));
    status st = STATUS_OK;
    for (uint32_t k = 0; k < table->key_count && !st; k++) {
        const join_key_range *range = &table->ranges[k];
        st = DEV_LAUNCH(stream, code_pack, .type = keys[k]->type, .keys = keys[k]->values,
                        .validity = keys[k]->validity, .count = rows, .minimum = range->min,
                        .range = (uint64_t)range->max - (uint64_t)range->min + 1, .combine = k > 0,
                        .out = (*out)->address);
    }
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

/* `codes`: NULL where the kernels make them from the only key. */
static status insert_codes(const join_table *table, dev_stream *stream, const tensor *key,
                           const uint64_t *codes, dev_count rows, uint64_t first_row, uint32_t *out)
{
    const join_key_range *range = table->ranges;
    return DEV_LAUNCH(stream, code_insert, .codes = codes, .type = key->type, .keys = key->values,
                      .validity = key->validity, .minimum = range->min,
                      .range = (uint64_t)range->max - (uint64_t)range->min + 1, .count = rows,
                      .slots = table->slots->address, .slot_count = table->slot_count,
                      .row_bits = table->row_bits,
                      .first_row = (uint32_t)(first_row + table->first_row),
                      .stats = table->stats->address, .out = out);
}

static status find_codes(const join_table *table, dev_stream *stream, const tensor *key,
                         const uint64_t *codes, dev_count rows, uint32_t *out)
{
    const join_key_range *range = table->ranges;
    return DEV_LAUNCH(stream, code_find, .codes = codes, .type = key->type, .keys = key->values,
                      .validity = key->validity, .minimum = range->min,
                      .range = (uint64_t)range->max - (uint64_t)range->min + 1, .count = rows,
                      .slots = table->slots->address, .slot_count = table->slot_count,
                      .row_bits = table->row_bits, .gives_rows = table->is_direct,
                      .parts = table->part_count, .out = out);
}

/* Codes of one key are made where they are used by devices whose slots have rows: that is one launch, and 16 bytes a
 * row that nobody writes and reads. */
static status code_slots(const join_table *table, dev_stream *stream, tensor *const *keys,
                         dev_count rows, bool is_build, uint64_t first_row, uint32_t *out)
{
    dev_buffer *made = NULL;
    if (table->key_count > 1 || !table->dev->has_rows_in_slots)
        TRY(join_table_codes(table, stream, keys, rows, &made));
    const uint64_t *codes = made ? made->address : NULL;
    status st = is_build ? insert_codes(table, stream, keys[0], codes, rows, first_row, out)
                         : find_codes(table, stream, keys[0], codes, rows, out);
    dev_buffer_unref(made);
    return st;
}

static status insert_packed(const join_table *table, dev_stream *stream, const uint8_t *rows,
                            uint64_t count, const uint32_t *hashes, uint64_t first_row,
                            uint32_t *out)
{
    const key_layout *layout = &table->layout;
    uint8_t *packed = table->packed->address;
    TRY(stream->dev->ops->copy(stream, packed + first_row * layout->stride, rows,
                               count * layout->stride));
    return DEV_LAUNCH(stream, packed_insert, .rows = packed, .hashes = hashes,
                      .count = dev_count_exact(count), .first_row = (uint32_t)first_row,
                      .stride = layout->stride, .text_count = layout->text_count,
                      .interval_count = layout->interval_count, .slots = table->slots->address,
                      .slot_count = table->slot_count, .stats = table->stats->address, .out = out);
}

static status join_table_find_packed(const join_table *table, dev_stream *stream,
                                     const uint8_t *rows, dev_count count, const uint32_t *hashes,
                                     uint32_t *out)
{
    const key_layout *layout = &table->layout;
    return DEV_LAUNCH(stream, packed_find, .rows = rows, .hashes = hashes, .count = count,
                      .stride = layout->stride, .text_count = layout->text_count,
                      .interval_count = layout->interval_count,
                      .build_rows = table->packed->address, .slots = table->slots->address,
                      .slot_count = table->slot_count, .gives_rows = table->is_direct, .out = out);
}

static status packed_slots(const join_table *table, exec_task *task, tensor *const *keys,
                           dev_count rows, bool is_build, uint64_t first_row, uint32_t *out)
{
    const uint8_t *packed;
    dev_buffer *owner = NULL, *hashes = NULL;
    status st = key_layout_pack(&table->layout, task, keys, rows, &packed, &owner);
    if (!st)
        st = key_layout_hash(&table->layout, task->stream, packed, rows, &hashes);
    if (!st && is_build)
        st =
            insert_packed(table, task->stream, packed, rows.bound, hashes->address, first_row, out);
    else if (!st)
        st = join_table_find_packed(table, task->stream, packed, rows, hashes->address, out);
    dev_buffer_unref(owner);
    dev_buffer_unref(hashes);
    return st ? st : drop_nulls(table, task->stream, keys, rows, out);
}

status join_table_slots(const join_table *table, exec_task *task, tensor *const *keys,
                        dev_count rows, bool is_build, uint64_t first_row, uint32_t *out)
{
    if (table->form == JOIN_TABLE_CODED || table->form == JOIN_TABLE_OPEN)
        return code_slots(table, task->stream, keys, rows, is_build, first_row, out);
    return packed_slots(table, task, keys, rows, is_build, first_row, out);
}

static status join_join_table_probe(const join_table *table, exec_task *task, tensor *const *keys,
                                    dev_count rows, uint32_t *out)
{
    if (!table->key_row_count || table->form == JOIN_TABLE_KEYLESS)
        return DEV_LAUNCH(task->stream, fill, .width = 4,
                          .value_low = table->key_row_count ? 0 : ROW_NULL, .count = rows,
                          .out = out);
    if (table->form != JOIN_TABLE_RANKED)
        return join_table_slots(table, task, keys, rows, false, 0, out);
    return DEV_LAUNCH(task->stream, rank_find, .type = keys[0]->type, .keys = keys[0]->values,
                      .validity = keys[0]->validity, .count = rows, .minimum = table->ranges[0].min,
                      .bits = table->bits, .bitmap = table->bitmap->address,
                      .ranks = table->ranks ? table->ranks->address : NULL, .out = out);
}

status join_table_probe(const join_table *table, exec_task *task, tensor *const *keys,
                        dev_count rows, row_index **out)
{
    TRY(row_index_new(task->stream->dev, rows.bound, out));
    status st = join_join_table_probe(table, task, keys, rows, (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}
