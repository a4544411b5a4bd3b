/* key_layout.c - where keys lie in packed rows; packing, unpacking, hashing them. */
#include "exec/keys/key_layout.h"

/* Rows of so many bytes have hashes of their own. */
#define NARROW_BYTES sizeof(uint32_t)

/* Text first, then intervals, then by falling width, so that all is aligned. */
static unsigned key_layout_rank_of(data_type type)
{
    if (type_is_text(type))
        return 0;
    if (type.id == TYPE_INTERVAL)
        return 1;
    return type.width ? 34u - type.width : 34;
}

static status key_layout_allocate(key_layout *layout, uint32_t count)
{
    *layout = (key_layout){.count = count};
    layout->types = mem_new_array(count + 1, sizeof *layout->types);
    layout->offsets = mem_new_array(count + 1, sizeof *layout->offsets);
    layout->null_bits = mem_new_array(count + 1, sizeof *layout->null_bits);
    if (layout->types && layout->offsets && layout->null_bits)
        return STATUS_OK;
    key_layout_release(layout);
    return status_no_memory("grouping keys", count * sizeof *layout->types);
}

status key_layout_init(key_layout *layout, const data_type *types, uint32_t count, bool has_nulls)
{
    TRY(key_layout_allocate(layout, count));
    layout->has_nulls = has_nulls;
    uint32_t at = 0, covered = 0;
    for (unsigned rank = 0; rank <= 34; rank++)
        for (uint32_t k = 0; k < count; k++) {
            if (key_layout_rank_of(types[k]) != rank)
                continue;
            layout->offsets[k] = at;
            at += types[k].width ? types[k].width : 1;
        }
    covered = at;
    for (uint32_t k = 0; k < count; k++) {
        layout->types[k] = types[k];
        layout->text_count += type_is_text(types[k]);
        layout->interval_count += types[k].id == TYPE_INTERVAL;
        layout->null_bits[k] = at * 8 + k;
    }
    if (layout->has_nulls)
        at += (count + 7) / 8;
    layout->stride = (at + 7) / 8 * 8;
    layout->is_narrow = at <= NARROW_BYTES && at;
    layout->is_padded = layout->stride > covered;
    return STATUS_OK;
}

void key_layout_release(key_layout *layout)
{
    mem_free(layout->types);
    mem_free(layout->offsets);
    mem_free(layout->null_bits);
    *layout = (key_layout){0};
}

/* The packed rows of a single key of this type are the column's values themselves. */
static bool is_own_row(const key_layout *layout)
{
    data_type type = layout->types[0];
    return layout->count == 1 && type.width == layout->stride && type.id != TYPE_DOUBLE &&
           !layout->has_nulls;
}

/* The packed rows of a single key of this type are its numbers, each filled up with zeros. */
static bool key_layout_is_alone(const key_layout *layout)
{
    data_type type = layout->types[0];
    return layout->count == 1 && layout->stride == sizeof(uint64_t) && !layout->has_nulls &&
           type.id != TYPE_BOOL && type.width && type.width <= sizeof(uint32_t);
}

status key_layout_pack(const key_layout *layout, exec_task *task, tensor *const *keys,
                       dev_count rows, const uint8_t **out, dev_buffer **owner)
{
    device *dev = task->stream->dev;
    size_t bytes = rows.bound * layout->stride;
    *owner = NULL;
    if (is_own_row(layout) && !keys[0]->validity) {
        *out = keys[0]->values;
        *owner = dev_buffer_ref(keys[0]->values_owner);
        return STATUS_OK;
    }
    TRY(dev_alloc(dev, bytes, "aggregation", owner));
    *out = (*owner)->address;
    bool alone = key_layout_is_alone(layout);
    if (layout->is_padded && !alone)
        TRY(dev->ops->zero(task->stream, (*owner)->address, bytes));
    for (uint32_t k = 0; k < layout->count; k++)
        TRY(DEV_LAUNCH(task->stream, keys_pack, .type = layout->types[k], .values = keys[k]->values,
                       .validity = keys[k]->validity, .count = rows, .stride = layout->stride,
                       .offset = layout->offsets[k], .is_alone = alone,
                       .has_null_bits = layout->has_nulls, .null_bit = layout->null_bits[k],
                       .rows = (*owner)->address, .error = task->error));
    return STATUS_OK;
}

status key_layout_unpack(const key_layout *layout, dev_stream *stream, const uint8_t *rows,
                         uint64_t count, uint32_t key, tensor **out)
{
    tensor *t;
    *out = NULL;
    TRY(tensor_new_flat(stream->dev, layout->types[key], count, layout->has_nulls, &t));
    status st = DEV_LAUNCH(stream, keys_unpack, .type = t->type, .rows = rows,
                           .count = dev_count_exact(count), .stride = layout->stride,
                           .offset = layout->offsets[key], .null_bit = layout->null_bits[key],
                           .values = t->values, .validity = t->validity);
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

status key_layout_hash(const key_layout *layout, dev_stream *stream, const uint8_t *rows,
                       dev_count count, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, count.bound * sizeof(uint32_t), "aggregation", out));
    status st =
        DEV_LAUNCH(stream, keys_hash, .rows = rows, .count = count, .stride = layout->stride,
                   .text_count = layout->text_count, .interval_count = layout->interval_count,
                   .is_narrow = layout->is_narrow, .out = (*out)->address);
    if (!st)
        return STATUS_OK;
    dev_buffer_unref(*out);
    *out = NULL;
    return st;
}

/* ---- heaps ---- */
