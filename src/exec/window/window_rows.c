/* window_rows.c - the rows that are evaluated: their columns, partitions and peers. */
#include "exec/window/window_rows.h"

#include "device/chunk.h"
#include "exec/window/window.h"

window_range window_range_ref(const window_range *range)
{
    return (window_range){dev_buffer_ref(range->from), dev_buffer_ref(range->to)};
}

void window_range_release(window_range *range)
{
    dev_buffer_unref(range->from);
    dev_buffer_unref(range->to);
    *range = (window_range){0};
}

void window_rows_release(window_rows *rows)
{
    dev_buffer_unref(rows->changes);
    window_range_release(&rows->partition);
    window_range_release(&rows->peers);
}

status window_alloc(const window_rows *rows, size_t bytes, uint64_t more, dev_buffer **out)
{
    return dev_alloc(rows->task->stream->dev, (rows->count.bound + more) * bytes, "window", out);
}

uint32_t window_column(const column_map *places, const expr *e)
{
    int place = column_map_find(places, e->column_id);
    assert(place >= 0);
    return (uint32_t)place;
}

status window_value(window_rows *rows, const expr *e, tensor **out)
{
    dev_stream *stream = rows->task->stream;
    tensor *constant;
    *out = NULL;
    if (e->kind == EXPR_COLUMN) {
        tensor *column;
        TRY(chunk_flatten_column(stream, rows->columns, window_column(rows->places, e), &column));
        *out = tensor_ref(column);
        return STATUS_OK;
    }
    TRY(tensor_new_constant(stream, &e->constant, &constant));
    status st = tensor_flatten(stream, constant, rows->count, out);
    tensor_unref(constant);
    return st;
}

status window_gather(const window_rows *rows, tensor *base, uint64_t more, row_index *index,
                     tensor **out)
{
    index->has_nulls = true;
    status st = tensor_new_indexed(rows->task->stream, base, rows->count.bound + more, index,
                                   rows->count, out);
    row_index_unref(index);
    return st;
}

status window_concat(const window_rows *rows, tensor *first, uint64_t first_rows, tensor *second,
                     uint64_t second_rows, tensor **out)
{
    chunk *pair[2] = {NULL, NULL}, *both = NULL;
    status st = chunk_new(1, dev_count_exact(first_rows), &pair[0]);
    if (!st)
        st = chunk_new(1, dev_count_exact(second_rows), &pair[1]);
    if (!st) {
        pair[0]->columns[0] = tensor_ref(first);
        pair[1]->columns[0] = tensor_ref(second);
        st = chunk_concat(rows->task->stream, pair, 2, "window", &both);
    }
    if (!st)
        *out = tensor_ref(both->columns[0]);
    chunk_free(pair[0]);
    chunk_free(pair[1]);
    chunk_free(both);
    return st;
}

status window_some_rows(const window_rows *rows, tensor *values, uint64_t value_rows,
                        const uint32_t *wanted, uint32_t count, tensor **out)
{
    dev_stream *stream = rows->task->stream;
    row_index *index;
    tensor *selected;
    TRY(row_index_new(stream->dev, count, &index));
    memcpy(index->rows, wanted, count * sizeof *wanted);
    status st =
        tensor_new_indexed(stream, values, value_rows, index, dev_count_exact(count), &selected);
    row_index_unref(index);
    TRY(st);
    st = tensor_flatten(stream, selected, dev_count_exact(count), out);
    tensor_unref(selected);
    return st;
}

/* Marks the rows whose value of a key differs from that of the row before. */
static status mark_changes(window_rows *rows, const expr *key, bool combine, dev_buffer *bits)
{
    tensor *values;
    TRY(window_value(rows, key, &values));
    status st = DEV_LAUNCH(rows->task->stream, over_changes, .type = values->type,
                           .values = values->values, .validity = values->validity,
                           .count = rows->count, .combine = combine, .out = bits->address);
    tensor_unref(values);
    return st;
}

static status new_bits(const window_rows *rows, dev_buffer **out)
{
    dev_stream *stream = rows->task->stream;
    TRY(dev_alloc(stream->dev, bitmap_bytes(rows->count.bound), "window", out));
    status st = DEV_LAUNCH(stream, fill, .width = 0, .value_low = 0, .count = rows->count,
                           .out = (*out)->address);
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

static status make_runs(const window_rows *rows, const dev_buffer *bits, window_range *out)
{
    window_range range = {0};
    status st = window_alloc(rows, sizeof(uint32_t), 0, &range.from);
    if (!st)
        st = window_alloc(rows, sizeof(uint32_t), 0, &range.to);
    if (!st)
        st = DEV_LAUNCH(rows->task->stream, over_runs, .bits = bits->address, .count = rows->count,
                        .from = range.from->address, .to = range.to->address);
    if (st) {
        window_range_release(&range);
        return st;
    }
    *out = range;
    return STATUS_OK;
}

static status find_changes(window_rows *rows)
{
    if (rows->changes)
        return STATUS_OK;
    dev_buffer *bits;
    TRY(new_bits(rows, &bits));
    const expr_list *keys = &rows->plan->window.partition;
    status st = STATUS_OK;
    for (size_t i = 0; i < keys->count && !st; i++)
        st = mark_changes(rows, keys->items[i], true, bits);
    if (st) {
        dev_buffer_unref(bits);
        return st;
    }
    rows->changes = bits;
    return STATUS_OK;
}

status window_partition(window_rows *rows, const window_range **out)
{
    if (!rows->partition.from) {
        TRY(find_changes(rows));
        TRY(make_runs(rows, rows->changes, &rows->partition));
    }
    *out = &rows->partition;
    return STATUS_OK;
}

/* Bits where the order's keys or the partition are others. */
static status find_peers(window_rows *rows, dev_buffer *bits)
{
    const plan_node *plan = rows->plan;
    TRY(DEV_LAUNCH(rows->task->stream, copy_bits, .source = rows->changes->address,
                   .count = rows->count, .target = bits->address));
    for (size_t i = 0; i < plan->window.order.count; i++)
        TRY(mark_changes(rows, plan->window.order.items[i].key, true, bits));
    return make_runs(rows, bits, &rows->peers);
}

status window_peers(window_rows *rows, const window_range **out)
{
    *out = &rows->peers;
    if (rows->peers.from)
        return STATUS_OK;
    if (!rows->plan->window.order.count) {
        const window_range *partition;
        TRY(window_partition(rows, &partition));
        rows->peers = window_range_ref(partition);
        return STATUS_OK;
    }
    dev_buffer *bits;
    TRY(find_changes(rows));
    TRY(new_bits(rows, &bits));
    status st = find_peers(rows, bits);
    dev_buffer_unref(bits);
    return st;
}
