/* runtime_filter.c - publishing what a build side knows of its keys. */
#include "exec/sched/runtime_filter.h"

#include "device/tensor.h"
#include "device/transfer.h"

/* Bits of a bitmap per key, at most, and what is always allowed. */
#define BITS_PER_KEY 64
#define BITS_SMALL ((uint64_t)8 << 20)
/* Bits that are always allowed a bitmap that goes to other ranks. */
#define BITS_SMALL_SENT ((uint64_t)1 << 19)
/* Keys of a Bloom filter per block of 64 bits, at most. */
#define BLOOM_KEYS_PER_BLOCK 4
/* Set bits of each 8, at most: with more a filter lets more than half of all keys pass. */
#define BLOOM_BITS_MOST 6

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
        st = dev_words_read(stream, buffer->address, words, 3);
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

static void runtime_filter_set_range(runtime_filter *filter, bool has_keys, int64_t min,
                                     int64_t max)
{
    filter->is_empty = !has_keys;
    filter->has_range = has_keys;
    filter->range_min = min;
    filter->range_max = max;
}

void runtime_filter_publish(runtime_filter *filter)
{
    atomic_store_explicit(&filter->is_published, true, memory_order_release);
}

void runtime_filter_publish_bitmap(runtime_filter *filter, dev_buffer *bitmap, uint64_t keys,
                                   int64_t min, int64_t max)
{
    runtime_filter_set_range(filter, bitmap, min, max);
    filter->keys = keys;
    filter->bitmap_owner = dev_buffer_ref(bitmap);
    filter->bitmap = bitmap ? bitmap->address : NULL;
    runtime_filter_publish(filter);
}

static status make_bitmap(runtime_filter *filter, dev_stream *stream, chunk *const *chunks,
                          size_t chunk_count, uint32_t column)
{
    size_t bytes =
        (((uint64_t)filter->range_max - (uint64_t)filter->range_min) / 64 + 1) * sizeof(uint64_t);
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
    return STATUS_OK;
}

status runtime_filter_add(runtime_filter *filter, dev_stream *stream, const tensor *keys,
                          dev_count rows)
{
    dev_buffer *hashes;
    if (!filter->bloom_owner)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, rows.bound * sizeof(uint64_t), "runtime filter", &hashes));
    status st = DEV_LAUNCH(stream, hash_values, .type = keys->type, .values = keys->values,
                           .validity = keys->validity, .count = rows, .out = hashes->address);
    if (!st)
        st = DEV_LAUNCH(stream, bloom_add, .hashes = hashes->address, .validity = keys->validity,
                        .count = rows, .blocks = filter->bloom_owner->address,
                        .block_count = filter->bloom_blocks);
    dev_buffer_unref(hashes);
    return st;
}

static uint64_t bloom_blocks(uint64_t rows, uint64_t most_bytes)
{
    uint64_t blocks = 64;
    while (blocks * BLOOM_KEYS_PER_BLOCK < rows && 2 * blocks * sizeof(uint64_t) <= most_bytes)
        blocks *= 2;
    return blocks;
}

static status new_bloom(runtime_filter *filter, dev_stream *stream, uint64_t rows,
                        uint64_t most_bytes)
{
    uint64_t blocks = bloom_blocks(rows, most_bytes);
    size_t bytes = blocks * sizeof(uint64_t);
    filter->keys = rows;
    TRY(dev_alloc(stream->dev, bytes, "runtime filter", &filter->bloom_owner));
    filter->bloom_blocks = blocks;
    return stream->dev->ops->zero(stream, filter->bloom_owner->address, bytes);
}

static uint64_t row_count(chunk *const *chunks, size_t chunk_count)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < chunk_count; i++)
        rows += chunks[i]->rows.bound;
    return rows;
}

static status runtime_filter_make_bloom(runtime_filter *filter, dev_stream *stream,
                                        chunk *const *chunks, size_t chunk_count, uint32_t column,
                                        uint64_t rows)
{
    TRY(new_bloom(filter, stream, rows, UINT64_MAX));
    for (size_t i = 0; i < chunk_count; i++)
        TRY(runtime_filter_add(filter, stream, chunks[i]->columns[column], chunks[i]->rows));
    filter->bloom = filter->bloom_owner->address;
    return STATUS_OK;
}

status runtime_filter_start_bloom(runtime_filter *filter, dev_stream *stream, uint64_t rows,
                                  uint64_t most_bytes)
{
    if (filter->bloom_owner) /* by a task that failed then */
        return STATUS_OK;
    status st = new_bloom(filter, stream, rows, most_bytes);
    if (status_get_kind(st) != STATUS_KIND_LIMIT)
        return st;
    status_free(st);
    return STATUS_OK;
}

static status find_full(const runtime_filter *filter, dev_stream *stream, bool *out)
{
    dev_buffer *word;
    uint64_t bits = 0;
    TRY(dev_words_new(stream, 1, &word));
    status st = DEV_LAUNCH(stream, count_bits, .bits = filter->bloom_owner->address,
                           .word_count = filter->bloom_blocks, .out_total = word->address);
    if (!st)
        st = dev_words_read(stream, word->address, &bits, 1);
    dev_buffer_unref(word);
    *out = bits > filter->bloom_blocks * 64 / 8 * BLOOM_BITS_MOST;
    return st;
}

status runtime_filter_publish_bloom(runtime_filter *filter, dev_stream *stream, bool has_range,
                                    int64_t min, int64_t max)
{
    bool is_full = false;
    if (filter->bloom_owner)
        TRY(find_full(filter, stream, &is_full));
    if (is_full) {
        dev_buffer_unref(filter->bloom_owner);
        filter->bloom_owner = NULL;
        filter->bloom_blocks = 0;
    }
    filter->bloom = filter->bloom_owner ? filter->bloom_owner->address : NULL;
    if (has_range)
        runtime_filter_set_range(filter, true, min, max);
    atomic_store_explicit(&filter->is_published, true, memory_order_release);
    return STATUS_OK;
}

/* True if the filter's range is narrow enough for a bitmap. */
static status runtime_filter_find_range(runtime_filter *filter, dev_stream *stream,
                                        chunk *const *chunks, size_t chunk_count, uint32_t column,
                                        bool *out_narrow)
{
    uint64_t words[3];
    TRY(key_bounds(stream, chunks, chunk_count, column, words));
    runtime_filter_set_range(filter, words[2] > 0, (int64_t)words[0], (int64_t)words[1]);
    filter->keys = words[2];
    uint64_t most = words[2] * BITS_PER_KEY > BITS_SMALL ? words[2] * BITS_PER_KEY : BITS_SMALL;
    *out_narrow = words[1] - words[0] < most;
    return STATUS_OK;
}

status runtime_filter_make(runtime_filter *filter, dev_stream *stream, chunk *const *chunks,
                           size_t chunk_count, uint32_t column)
{
    bool is_narrow = false;
    filter->is_empty = !chunk_count;
    if (chunk_count && runtime_filter_type_has_range(chunks[0]->columns[column]->type))
        TRY(runtime_filter_find_range(filter, stream, chunks, chunk_count, column, &is_narrow));
    if (!filter->is_empty && is_narrow)
        TRY(make_bitmap(filter, stream, chunks, chunk_count, column));
    else if (!filter->is_empty)
        TRY(runtime_filter_make_bloom(filter, stream, chunks, chunk_count, column,
                                      row_count(chunks, chunk_count)));
    return STATUS_OK;
}

/* ---- of several ranks ---- */

status runtime_filter_bounds(dev_stream *stream, chunk *const *chunks, size_t chunk_count,
                             uint32_t column, uint64_t words[3])
{
    words[0] = (uint64_t)INT64_MAX;
    words[1] = (uint64_t)INT64_MIN;
    words[2] = row_count(chunks, chunk_count);
    if (!chunk_count || !runtime_filter_type_has_range(chunks[0]->columns[column]->type))
        return STATUS_OK;
    return key_bounds(stream, chunks, chunk_count, column, words);
}

/* Words of a bitmap, if it is worth that; else 0. */
static uint64_t bitmap_words(const runtime_filter_shape *shape)
{
    uint64_t most =
        shape->keys > BITS_SMALL_SENT / BITS_PER_KEY ? shape->keys * BITS_PER_KEY : BITS_SMALL_SENT;
    if (most < 8 * shape->bitmap_bytes)
        most = 8 * shape->bitmap_bytes;
    uint64_t last = (uint64_t)shape->max - (uint64_t)shape->min;
    return shape->has_range && last < most ? last / 64 + 1 : 0;
}

uint64_t runtime_filter_words(const runtime_filter_shape *shape)
{
    uint64_t words = bitmap_words(shape);
    return words ? words : bloom_blocks(shape->keys, UINT64_MAX);
}

status runtime_filter_make_shaped(runtime_filter *filter, dev_stream *stream,
                                  const runtime_filter_shape *shape, chunk *const *chunks,
                                  size_t chunk_count, uint32_t column, uint64_t **out)
{
    if (shape->has_range)
        runtime_filter_set_range(filter, true, shape->min, shape->max);
    filter->keys = shape->keys;
    if (bitmap_words(shape)) {
        TRY(make_bitmap(filter, stream, chunks, chunk_count, column));
        *out = filter->bitmap_owner->address;
        return STATUS_OK;
    }
    TRY(runtime_filter_make_bloom(filter, stream, chunks, chunk_count, column, shape->keys));
    *out = filter->bloom_owner->address;
    return STATUS_OK;
}

void runtime_filter_publish_range(runtime_filter *filter, const runtime_filter_shape *shape)
{
    if (shape->keys && !shape->has_range)
        return;
    runtime_filter_set_range(filter, shape->keys, shape->min, shape->max);
    runtime_filter_publish(filter);
}
