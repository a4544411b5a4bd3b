/* runtime_filter.h - what a join's build side tells the probe side's scans about its keys.
 *
 * Published once, when the build side is complete, before the probe pipeline starts; read-only from
 * then on. A scan uses the range to skip row groups and pages, and the bitmap (dense integer keys:
 * exact) or Bloom filter to drop rows before their other columns are decoded. Rows that pass may
 * still not match. */
#ifndef PISTACHIO_EXEC_SCHED_RUNTIME_FILTER_H
#define PISTACHIO_EXEC_SCHED_RUNTIME_FILTER_H

#include "device/device.h"

typedef struct runtime_filter {
    _Atomic bool is_published; /* false at the scan's start: ignore it */
    bool is_empty;             /* no key at all: nothing can match */
    bool has_range;            /* keys of types that have one: the host knows the bounds */
    int64_t range_min, range_max;
    uint64_t keys; /* how many there are at most, as rows of the build side; 0: not known */
    /* Exact: bit (key - range_min) of the bitmap; owner holds it. NULL: no bitmap. */
    const uint64_t *bitmap; /* device address */
    dev_buffer *bitmap_owner;
    /* Blocked Bloom filter over hash_values of the key: 64-bit blocks, count a power of two. */
    const uint64_t *bloom; /* device address, or NULL */
    uint64_t bloom_blocks;
    dev_buffer *bloom_owner;
} runtime_filter;

/* Keys of the type are told by range and bitmap; others, such as texts, by a Bloom filter alone. A decimal may have
 * 8 bytes on one side and 16 on the other, which hash alike. */
static inline bool runtime_filter_type_has_range(data_type type)
{
    return type_is_integer(type) || type_is_time(type);
}

struct chunk;
struct tensor;
/* From the build side's keys: a column of chunks of exact lengths, FLAT. It is published when the stream has done it: scans use it on streams of their
 * own. */
CHECKED status runtime_filter_make(runtime_filter *filter, dev_stream *stream,
                                   struct chunk *const *chunks, size_t chunk_count,
                                   uint32_t column);
void runtime_filter_publish(runtime_filter *filter);
/* From a bitmap that there is already: of so many keys min to max; NULL: no key at all. Published at
 * once. */
void runtime_filter_publish_bitmap(runtime_filter *filter, dev_buffer *bitmap, uint64_t keys,
                                   int64_t min, int64_t max);
/* The shape on which several ranks agree before each makes its part of one filter. */
typedef struct runtime_filter_shape {
    uint64_t keys; /* of all ranks; 0: there is none */
    bool has_range;
    int64_t min, max;
    uint64_t bitmap_bytes; /* worth sending a bitmap of as many, however few keys it has */
} runtime_filter_shape;

/* Finds bounds of chunks: least, greatest, how many keys; of texts only how many there may be. */
CHECKED status runtime_filter_bounds(dev_stream *stream, struct chunk *const *chunks,
                                     size_t chunk_count, uint32_t column, uint64_t words[3]);
/* The words of a filter of the shape, a bitmap's or a Bloom filter's. */
uint64_t runtime_filter_words(const runtime_filter_shape *shape);
/* Makes them, of the chunks' keys, and the range, where there are keys at all; *out: the words. */
CHECKED status runtime_filter_make_shaped(runtime_filter *filter, dev_stream *stream,
                                          const runtime_filter_shape *shape,
                                          struct chunk *const *chunks, size_t chunk_count,
                                          uint32_t column, uint64_t **out);
/* Publishes the range alone, or that there are no keys; nothing, where there are, of no range. */
void runtime_filter_publish_range(runtime_filter *filter, const runtime_filter_shape *shape);
/* Piece by piece, where the keys are not kept, on a host device: first room for `rows` keys' Bloom
 * filter, of at most most_bytes (where there is no memory for it there is none); then keys, FLAT,
 * of any task; then, once, publishing. */
CHECKED status runtime_filter_start_bloom(runtime_filter *filter, dev_stream *stream, uint64_t rows,
                                          uint64_t most_bytes);
CHECKED status runtime_filter_add(runtime_filter *filter, dev_stream *stream,
                                  const struct tensor *keys, dev_count rows);
CHECKED status runtime_filter_publish_bloom(runtime_filter *filter, dev_stream *stream,
                                            bool has_range, int64_t min, int64_t max);
/* Sets the words that join_key_bounds adds to (the third one is zero already). */
CHECKED status runtime_filter_start_bounds(dev_stream *stream, int64_t *words);
void runtime_filter_release(runtime_filter *filter);

#endif
