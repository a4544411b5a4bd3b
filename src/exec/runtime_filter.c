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

/* words: least, greatest, how many. */
static status key_bounds(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                         uint32_t column, uint64_t words[3])
{
    dev_buffer *buffer;
    TRY(dev_words_new(stream, 3, &buffer));
    status st = runtime_filter_start_bounds(stream, buffer->address);
    for (size_t i = 0; i < chunk_count && !st; i++) {
        const tensor *keys = chunks[i]->columns[column];
        st = DEV_LAUNCH(stream, join_key_bounds, .type = keys->type, .keys = keys->values,
                        .validity = keys->validity, .count = chunks[i]->rows,
                        .bounds = buffer->address);
    }
    if (!st)
        st = dev_words_wait(stream, buffer->address, words, 3);
    dev_buffer_unref(buffer);
    return st;
}

status runtime_filter_start_bounds(dev_stream *stream, int64_t *words)
{
    TRY(DEV_LAUNCH(stream, fill, .width = 8, .value_low = (uint64_t)INT64_MAX,
                   .count = dev_count_exact(1), .out = words));
    return DEV_LAUNCH(stream, fill, .width = 8, .value_low = (uint64_t)INT64_MIN,
                      .count = dev_count_exact(1), .out = words + 1);
}

static void set_range(runtime_filter *filter, bool has_keys, int64_t min, int64_t max)
{
    filter->is_empty = !has_keys;
    filter->has_range = has_keys;
    filter->range_min = min;
    filter->range_max = max;
}

void runtime_filter_publish_bitmap(runtime_filter *filter, dev_buffer *bitmap, int64_t min,
                                   int64_t max)
{
    set_range(filter, bitmap, min, max);
    filter->bitmap_owner = dev_buffer_ref(bitmap);
    filter->bitmap = bitmap ? bitmap->address : NULL;
    atomic_store_explicit(&filter->is_published, true, memory_order_release);
}

status runtime_filter_publish(runtime_filter *filter, dev_stream *stream, chunk *const *chunks,
                              size_t chunk_count, uint32_t column)
{
    uint64_t words[3];
    TRY(key_bounds(stream, chunks, chunk_count, column, words));
    set_range(filter, words[2] > 0, (int64_t)words[0], (int64_t)words[1]);
    uint64_t width = words[1] - words[0];
    uint64_t most = words[2] * BITS_PER_KEY > BITS_SMALL ? words[2] * BITS_PER_KEY : BITS_SMALL;
    if (filter->has_range && width < most) {
        size_t bytes = (width / 64 + 1) * 8;
        TRY(dev_alloc(stream->dev, bytes, "runtime filter", &filter->bitmap_owner));
        uint64_t *bitmap = filter->bitmap_owner->address;
        TRY(stream->dev->ops->zero(stream, bitmap, bytes));
        for (size_t i = 0; i < chunk_count; i++) {
            const tensor *keys = chunks[i]->columns[column];
            TRY(DEV_LAUNCH(stream, join_key_bitmap, .type = keys->type, .keys = keys->values,
                           .validity = keys->validity, .count = chunks[i]->rows,
                           .minimum = filter->range_min, .bitmap = bitmap));
        }
        filter->bitmap = bitmap;
    }
    atomic_store_explicit(&filter->is_published, true, memory_order_release);
    return STATUS_OK;
}
