/* runtime_filter.c - publishing what a build side knows of its keys. */
#include "exec/runtime_filter.h"

#include "device/tensor.h"

/* Bits of a bitmap per key, at most, and what is always allowed. */
#define BITS_PER_KEY 64
#define BITS_SMALL ((uint64_t)8 << 20)

void runtime_filter_release(runtime_filter *filter)
{
    dev_buffer_unref(filter->bitmap_owner);
    dev_buffer_unref(filter->bloom_owner);
    filter->bitmap_owner = filter->bloom_owner = NULL;
}

static status key_bounds(dev_stream *stream, const tensor *keys, uint64_t rows, uint64_t bounds[2])
{
    dev_buffer *words;
    TRY(dev_words_new(stream, 2, &words));
    uint64_t *at = words->address;
    status st = DEV_LAUNCH(stream, fill, .width = 8, .value_low = (uint64_t)INT64_MAX,
                           .count = dev_count_exact(1), .out = at);
    if (!st)
        st = DEV_LAUNCH(stream, fill, .width = 8, .value_low = (uint64_t)INT64_MIN,
                        .count = dev_count_exact(1), .out = at + 1);
    if (!st)
        st = DEV_LAUNCH(stream, join_key_bounds, .type = keys->type, .keys = keys->values,
                        .validity = keys->validity, .count = dev_count_exact(rows),
                        .bounds = (int64_t *)at);
    if (!st)
        st = dev_words_wait(stream, at, bounds, 2);
    dev_buffer_unref(words);
    return st;
}

status runtime_filter_publish(runtime_filter *filter, dev_stream *stream, const tensor *keys,
                              uint64_t rows)
{
    uint64_t bounds[2];
    filter->is_empty = rows == 0;
    if (rows) {
        TRY(key_bounds(stream, keys, rows, bounds));
        filter->range_min = (int64_t)bounds[0];
        filter->range_max = (int64_t)bounds[1];
        filter->is_empty = filter->range_min > filter->range_max;
    }
    filter->has_range = !filter->is_empty;
    uint64_t width = (uint64_t)filter->range_max - (uint64_t)filter->range_min;
    uint64_t bits_max = rows * BITS_PER_KEY > BITS_SMALL ? rows * BITS_PER_KEY : BITS_SMALL;
    if (filter->has_range && width < bits_max) {
        size_t bytes = (width / 64 + 1) * 8;
        TRY(dev_alloc(stream->dev, bytes, "runtime filter", &filter->bitmap_owner));
        TRY(stream->dev->ops->zero(stream, filter->bitmap_owner->address, bytes));
        TRY(DEV_LAUNCH(stream, join_key_bitmap, .type = keys->type, .keys = keys->values,
                       .validity = keys->validity, .count = dev_count_exact(rows),
                       .minimum = filter->range_min, .bitmap = filter->bitmap_owner->address));
        filter->bitmap = filter->bitmap_owner->address;
    }
    atomic_store_explicit(&filter->is_published, true, memory_order_release);
    return STATUS_OK;
}
