/* encode_plain.c - PLAIN and BYTE_STREAM_SPLIT, and what all encoders ask about dense values. */
#include "parquet/write/encode_plain.h"

#include "parquet/write/encode.h"
#include "parquet/write/encode_delta.h"
#include "parquet/write/encode_hybrid.h"

#include <assert.h>

uint32_t pq_dense_stride(const pq_dense *dense)
{
    switch (dense->physical) {
    case PQ_BOOLEAN:
        return 1;
    case PQ_INT32:
    case PQ_FLOAT:
        return 4;
    case PQ_INT64:
    case PQ_DOUBLE:
        return 8;
    case PQ_BYTE_ARRAY:
        return sizeof(string_view);
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return dense->type_length;
    default:
        return 12; /* INT96 */
    }
}

pq_dense pq_dense_slice(const pq_dense *dense, uint64_t first, uint64_t count)
{
    assert(first <= dense->count && count <= dense->count - first);
    pq_dense slice = *dense;
    if (count)
        slice.values = (const char *)dense->values + first * pq_dense_stride(dense);
    slice.count = count;
    return slice;
}

uint64_t pq_text_bytes(const pq_dense *dense)
{
    const string_view *views = dense->values;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < dense->count; i++)
        bytes += views[i].bytes;
    return bytes;
}

static void plain_booleans(const uint8_t *values, uint64_t count, pq_buffer *out)
{
    uint64_t bytes = (count + 7) / 8;
    uint8_t *target = pq_buffer_room(out, bytes);
    if (!target)
        return;
    memset(target, 0, bytes);
    for (uint64_t i = 0; i < count; i++)
        target[i / 8] |= (uint8_t)(values[i] << i % 8);
    out->count += bytes;
}

/* Texts of rows that were sorted lie anywhere: those that come next are fetched before. */
#define TEXTS_AHEAD 16

static void plain_text(const pq_dense *dense, pq_buffer *out)
{
    const string_view *views = dense->values;
    uint64_t bytes = pq_text_bytes(dense) + 4 * dense->count;
    uint8_t *target = pq_buffer_room(out, bytes);
    if (!target)
        return;
    for (uint64_t i = 0; i < dense->count; i++) {
        uint32_t length = views[i].bytes;
        if (i + TEXTS_AHEAD < dense->count)
            string_prefetch(&views[i + TEXTS_AHEAD], 0);
        memcpy(target, &length, 4);
        memcpy(target + 4, string_data(&views[i]), length);
        target += 4 + length;
    }
    out->count += bytes;
}

void pq_encode_plain(const pq_dense *dense, pq_buffer *out)
{
    if (dense->physical == PQ_BOOLEAN)
        plain_booleans(dense->values, dense->count, out);
    else if (dense->physical == PQ_BYTE_ARRAY)
        plain_text(dense, out);
    else
        pq_buffer_add(out, dense->values, dense->count * pq_dense_stride(dense));
}

/* The k-th bytes of all values, for each k. */
static void pq_encode_split(const pq_dense *dense, pq_buffer *out)
{
    uint32_t stride = pq_dense_stride(dense);
    const uint8_t *source = dense->values;
    uint8_t *target = pq_buffer_room(out, dense->count * stride);
    if (!target)
        return;
    for (uint32_t k = 0; k < stride; k++)
        for (uint64_t i = 0; i < dense->count; i++)
            *target++ = source[i * stride + k];
    out->count += dense->count * stride;
}

static void rle_booleans(const pq_dense *dense, pq_buffer *out)
{
    pq_buffer bits = {0};
    uint64_t words = (dense->count + 63) / 64;
    uint8_t *room = pq_buffer_room(&bits, words * 8);
    size_t length_at = out->count;
    uint32_t length = 0;
    pq_buffer_add(out, &length, 4);
    if (room)
        memset(room, 0, words * 8);
    plain_booleans(dense->values, dense->count, &bits);
    if (!bits.has_failed)
        pq_encode_hybrid_bits((const uint64_t *)bits.items, 0, dense->count, out);
    out->has_failed |= bits.has_failed;
    pq_buffer_release(&bits);
    if (out->has_failed)
        return;
    length = (uint32_t)(out->count - length_at - 4);
    memcpy(out->items + length_at, &length, 4);
}

void pq_encode(pq_encoding encoding, const pq_dense *dense, pq_buffer *out)
{
    assert(pq_encoding_fits(encoding, dense->physical));
    switch (encoding) {
    case PQ_RLE:
        rle_booleans(dense, out);
        break;
    case PQ_DELTA_BINARY_PACKED:
        pq_encode_delta_binary(dense, out);
        break;
    case PQ_DELTA_LENGTH_BYTE_ARRAY:
        pq_encode_delta_length(dense, out);
        break;
    case PQ_DELTA_BYTE_ARRAY:
        pq_encode_delta_bytes(dense, out);
        break;
    case PQ_BYTE_STREAM_SPLIT:
        pq_encode_split(dense, out);
        break;
    default:
        pq_encode_plain(dense, out);
    }
}
