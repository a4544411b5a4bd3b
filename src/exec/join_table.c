/* join_table.c - what a join table is, and probing it. Making it: join_table_build.c. */
#include "exec/join_table.h"

status join_table_init(join_table *table)
{
    if (!table->key_count)
        table->form = JOIN_TABLE_KEYLESS;
    return group_table_init(&table->groups, table->dev, "join build", table->key_types,
                            table->key_count);
}

void join_table_release(join_table *table)
{
    for (size_t i = 0; i < table->chunks.count; i++)
        chunk_free(table->chunks.items[i]);
    array_release(&table->chunks);
    mem_free(table->chunk_rows);
    chunk_free(table->build);
    group_table_release(&table->groups);
    dev_buffer_unref(table->bitmap);
    dev_buffer_unref(table->ranks);
    dev_buffer_unref(table->slots);
    dev_buffer_unref(table->stats);
    dev_buffer_unref(table->starts);
    dev_buffer_unref(table->rows);
    dev_buffer_unref(table->row_groups);
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
                         uint64_t rows, uint32_t *groups)
{
    if (table->null_equal)
        return STATUS_OK;
    for (uint32_t k = 0; k < table->key_count; k++)
        if (keys[k]->validity)
            TRY(DEV_LAUNCH(stream, join_drop_nulls, .validity = keys[k]->validity,
                           .count = dev_count_exact(rows), .groups = groups));
    return STATUS_OK;
}

static status probe_packed(const join_table *table, dev_stream *stream, tensor *const *keys,
                           uint64_t rows, uint64_t *packed, uint64_t *hashes, uint32_t *out)
{
    const group_table *g = &table->groups;
    for (uint32_t k = 0; k < table->key_count; k++)
        TRY(DEV_LAUNCH(stream, group_pack, .type = keys[k]->type, .values = keys[k]->values,
                       .validity = keys[k]->validity, .count = dev_count_exact(rows), .key = k,
                       .stride_words = g->stride_words, .rows = packed));
    TRY(DEV_LAUNCH(stream, group_hash, .rows = packed, .stride_words = g->stride_words,
                   .text_keys = g->text_keys, .count = dev_count_exact(rows), .out = hashes));
    TRY(DEV_LAUNCH(stream, join_probe, .rows = packed, .hashes = hashes,
                   .count = dev_count_exact(rows), .stride_words = g->stride_words,
                   .text_keys = g->text_keys, .slots = g->slots->address,
                   .slot_count = g->slot_count, .group_rows = g->rows->address,
                   .group_hashes = g->hashes->address, .out = out));
    return drop_nulls(table, stream, keys, rows, out);
}

static status probe_groups(const join_table *table, dev_stream *stream, tensor *const *keys,
                           uint64_t rows, uint32_t *out)
{
    dev_buffer *packed = NULL, *hashes = NULL;
    device *dev = stream->dev;
    status st = dev_alloc(dev, rows * table->groups.stride_words * 8, "join probe", &packed);
    if (!st)
        st = dev_alloc(dev, rows * 8, "join probe", &hashes);
    if (!st)
        st = probe_packed(table, stream, keys, rows, packed->address, hashes->address, out);
    dev_buffer_unref(packed);
    dev_buffer_unref(hashes);
    return st;
}

status join_table_codes(const join_table *table, dev_stream *stream, tensor *const *keys,
                        uint64_t rows, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, rows * sizeof(uint64_t), "join", out));
    status st = STATUS_OK;
    for (uint32_t k = 0; k < table->key_count && !st; k++) {
        const join_key_range *range = &table->ranges[k];
        st = DEV_LAUNCH(stream, code_pack, .type = keys[k]->type, .keys = keys[k]->values,
                        .validity = keys[k]->validity, .count = dev_count_exact(rows),
                        .minimum = range->min,
                        .range = (uint64_t)range->max - (uint64_t)range->min + 1, .combine = k > 0,
                        .out = (*out)->address);
    }
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

static status probe_codes(const join_table *table, dev_stream *stream, tensor *const *keys,
                          uint64_t rows, uint32_t *out)
{
    dev_buffer *codes;
    TRY(join_table_codes(table, stream, keys, rows, &codes));
    status st =
        DEV_LAUNCH(stream, code_find, .codes = codes->address, .count = dev_count_exact(rows),
                   .slots = table->slots->address, .slot_count = table->slot_count, .out = out);
    dev_buffer_unref(codes);
    return st;
}

static status probe(const join_table *table, dev_stream *stream, tensor *const *keys, uint64_t rows,
                    uint32_t *out)
{
    if (!table->key_row_count || table->form == JOIN_TABLE_KEYLESS)
        return DEV_LAUNCH(stream, fill, .width = 4,
                          .value_low = table->key_row_count ? 0 : ROW_NULL,
                          .count = dev_count_exact(rows), .out = out);
    if (table->form == JOIN_TABLE_GROUPED)
        return probe_groups(table, stream, keys, rows, out);
    if (table->form == JOIN_TABLE_CODED)
        return probe_codes(table, stream, keys, rows, out);
    return DEV_LAUNCH(stream, rank_find, .type = keys[0]->type, .keys = keys[0]->values,
                      .validity = keys[0]->validity, .count = dev_count_exact(rows),
                      .minimum = table->ranges[0].min, .bits = table->bits,
                      .bitmap = table->bitmap->address,
                      .ranks = table->ranks ? table->ranks->address : NULL, .out = out);
}

status join_table_probe(const join_table *table, dev_stream *stream, tensor *const *keys,
                        uint64_t rows, row_index **out)
{
    TRY(row_index_new(stream->dev, rows, out));
    status st = probe(table, stream, keys, rows, (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}
