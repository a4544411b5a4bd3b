/* join_table.c - building and probing. */
#include "exec/join_table.h"

#define SLICE_ROWS 65536

status join_table_init(join_table *table, device *dev, const data_type *types, uint32_t key_count,
                       bool null_equal)
{
    *table = (join_table){.key_count = key_count, .null_equal = null_equal};
    return group_table_init(&table->groups, dev, "join build", types, key_count);
}

void join_table_release(join_table *table)
{
    chunk_free(table->build);
    group_table_release(&table->groups);
    dev_buffer_unref(table->starts);
    dev_buffer_unref(table->rows);
    dev_buffer_unref(table->matched);
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

/* Rows [first, first + rows) of the build side's keys, as tensors that share its memory. */
static status find_slice(join_table *table, dev_stream *stream, uint64_t first, uint64_t rows,
                         uint32_t *groups)
{
    tensor slices[64], *keys[64];
    uint32_t first_key = table->build->column_count - table->key_count;
    for (uint32_t k = 0; k < table->key_count; k++) {
        const tensor *key = table->build->columns[first_key + k];
        slices[k] = *key;
        slices[k].values =
            (char *)key->values + (key->type.width ? first * key->type.width : first / 8);
        if (key->validity)
            slices[k].validity = key->validity + first / 64;
        keys[k] = &slices[k];
    }
    row_index *found;
    TRY(group_table_find(&table->groups, stream, keys, rows, &found));
    status st = stream->dev->ops->copy(stream, groups, found->rows, rows * sizeof *groups);
    row_index_unref(found);
    if (!st)
        st = drop_nulls(table, stream, keys, rows, groups);
    return st;
}

static status find_groups(join_table *table, dev_stream *stream, uint32_t *groups)
{
    if (!table->key_count)
        return stream->dev->ops->zero(stream, groups, table->row_count * sizeof *groups);
    for (uint64_t first = 0; first < table->row_count; first += SLICE_ROWS) {
        uint64_t left = table->row_count - first;
        TRY(find_slice(table, stream, first, left < SLICE_ROWS ? left : SLICE_ROWS,
                       groups + first));
    }
    return STATUS_OK;
}

static status make_lists(join_table *table, dev_stream *stream, const uint32_t *groups)
{
    device *dev = stream->dev;
    uint64_t group_count = table->key_count ? table->groups.count : 1, words[2];
    size_t bytes = (group_count + 2) * sizeof(uint32_t);
    dev_buffer *stats;
    TRY(dev_alloc(dev, bytes, "join build", &table->starts));
    TRY(dev->ops->zero(stream, table->starts->address, bytes));
    TRY(dev_alloc(dev, table->row_count * sizeof(uint32_t), "join build", &table->rows));
    TRY(dev_words_new(stream, 2, &stats));
    status st =
        DEV_LAUNCH(stream, join_lists, .groups = groups, .count = dev_count_exact(table->row_count),
                   .group_count = group_count, .starts = table->starts->address,
                   .rows = table->rows->address, .stats = stats->address);
    if (!st)
        st = dev_words_wait(stream, stats->address, words, 2);
    dev_buffer_unref(stats);
    table->key_row_count = words[0];
    table->group_rows_max = words[1];
    return st;
}

status join_table_build(join_table *table, dev_stream *stream, chunk **chunks, size_t chunk_count,
                        bool with_matched)
{
    dev_buffer *groups = NULL;
    status st = STATUS_OK;
    if (chunk_count)
        st = chunk_concat(stream, chunks, chunk_count, "join build", &table->build);
    for (size_t i = 0; i < chunk_count; i++)
        chunk_free(chunks[i]);
    if (st || !table->build)
        return st;
    table->row_count = table->build->rows.bound;
    if (table->row_count >= ROW_NULL)
        return status_new(STATUS_KIND_LIMIT, "the build side of a join has %llu rows, more than %u",
                          (unsigned long long)table->row_count, ROW_NULL - 1);
    if (with_matched) {
        size_t bytes = (table->row_count + 63) / 64 * 8;
        TRY(dev_alloc(stream->dev, bytes, "join build", &table->matched));
        TRY(stream->dev->ops->zero(stream, table->matched->address, bytes));
    }
    TRY(dev_alloc(stream->dev, table->row_count * sizeof(uint32_t), "join build", &groups));
    st = find_groups(table, stream, groups->address);
    if (!st)
        st = make_lists(table, stream, groups->address);
    dev_buffer_unref(groups);
    return st;
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

status join_table_probe(const join_table *table, dev_stream *stream, tensor *const *keys,
                        uint64_t rows, row_index **out)
{
    device *dev = stream->dev;
    dev_buffer *packed = NULL, *hashes = NULL;
    TRY(row_index_new(dev, rows, out));
    status st = STATUS_OK;
    if (!table->row_count || !table->key_count) {
        st = DEV_LAUNCH(stream, fill, .width = 4, .value_low = table->row_count ? 0 : ROW_NULL,
                        .count = dev_count_exact(rows), .out = (*out)->rows);
    } else {
        st = dev_alloc(dev, rows * table->groups.stride_words * 8, "join probe", &packed);
        if (!st)
            st = dev_alloc(dev, rows * 8, "join probe", &hashes);
        if (!st)
            st = probe_packed(table, stream, keys, rows, packed->address, hashes->address,
                              (*out)->rows);
    }
    dev_buffer_unref(packed);
    dev_buffer_unref(hashes);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}
