/* encode_delta.c - DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY.
 *
 * Integers are stored as the first one, then blocks of 128 differences: the block's least, and four
 * miniblocks of 32 of what is above it, each packed to the bits that its largest takes.
 * Differences wrap around in the column's width, as the format says. */
#include "parquet/write/encode_delta.h"

#include "parquet/write/encode.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/* 32 values of `width` bits: width * 4 bytes. */
static void pack_miniblock(const uint64_t *values, unsigned width, pq_buffer *out)
{
    uint8_t *target = pq_buffer_room(out, (size_t)width * 4);
    uint128 word = 0;
    unsigned used = 0;
    if (!target)
        return;
    for (unsigned i = 0; i < MINIBLOCK; i++) {
        word |= (uint128)values[i] << used;
        for (used += width; used >= 8; used -= 8, word >>= 8)
            *target++ = (uint8_t)word;
    }
    out->count += (size_t)width * 4;
}

static void encode_delta_add_block(const int64_t *deltas, unsigned count, bool is_32,
                                   pq_buffer *out)
{
    uint64_t above[BLOCK] = {0};
    uint8_t widths[MINIBLOCKS] = {0};
    int64_t least = deltas[0];
    for (unsigned i = 1; i < count; i++)
        least = deltas[i] < least ? deltas[i] : least;
    for (unsigned i = 0; i < count; i++) {
        above[i] = (uint64_t)deltas[i] - (uint64_t)least;
        if (is_32)
            above[i] = (uint32_t)above[i];
    }
    for (unsigned m = 0; m < MINIBLOCKS; m++) {
        uint64_t all = 0;
        for (unsigned i = 0; i < MINIBLOCK; i++)
            all |= above[m * MINIBLOCK + i];
        widths[m] = (uint8_t)(all ? 64 - __builtin_clzll(all) : 0);
    }
    pq_buffer_add_zigzag(out, least);
    pq_buffer_add(out, widths, sizeof widths);
    for (unsigned m = 0; m < MINIBLOCKS && m * MINIBLOCK < count; m++)
        pack_miniblock(above + m * MINIBLOCK, widths[m], out);
}

static int64_t encode_delta_integer_at(const pq_dense *dense, uint64_t i)
{
    return dense->physical == PQ_INT32 ? ((const int32_t *)dense->values)[i]
                                       : ((const int64_t *)dense->values)[i];
}

void pq_encode_delta_binary(const pq_dense *dense, pq_buffer *out)
{
    bool is_32 = dense->physical == PQ_INT32;
    pq_buffer_add_varint(out, BLOCK);
    pq_buffer_add_varint(out, MINIBLOCKS);
    pq_buffer_add_varint(out, dense->count);
    pq_buffer_add_zigzag(out, dense->count ? encode_delta_integer_at(dense, 0) : 0);
    for (uint64_t at = 1; at < dense->count; at += BLOCK) {
        int64_t deltas[BLOCK];
        unsigned count = dense->count - at < BLOCK ? (unsigned)(dense->count - at) : BLOCK;
        for (unsigned i = 0; i < count; i++) {
            uint64_t difference = (uint64_t)encode_delta_integer_at(dense, at + i) -
                                  (uint64_t)encode_delta_integer_at(dense, at + i - 1);
            deltas[i] = is_32 ? (int32_t)(uint32_t)difference : (int64_t)difference;
        }
        encode_delta_add_block(deltas, count, is_32, out);
    }
}

/* ---- text ---- */

static const char *bytes_at(const pq_dense *dense, uint64_t i, uint32_t *length)
{
    if (dense->physical == PQ_BYTE_ARRAY) {
        const string_view *view = (const string_view *)dense->values + i;
        *length = view->bytes;
        return string_data(view);
    }
    *length = dense->type_length;
    return (const char *)dense->values + i * dense->type_length;
}

static void encode_delta_add_numbers(const uint32_t *numbers, uint64_t count, pq_buffer *out)
{
    pq_dense dense = {.values = numbers, .count = count, .physical = PQ_INT32};
    pq_encode_delta_binary(&dense, out);
}

/* Each string without the bytes that `prefixes` (NULL: none) says it shares with its predecessor:
 * the lengths, then the bytes. */
static void add_suffixes(const pq_dense *dense, const uint32_t *prefixes, uint32_t *lengths,
                         pq_buffer *out)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < dense->count; i++) {
        bytes_at(dense, i, &lengths[i]);
        lengths[i] -= prefixes ? prefixes[i] : 0;
        bytes += lengths[i];
    }
    encode_delta_add_numbers(lengths, dense->count, out);
    uint8_t *target = pq_buffer_room(out, bytes);
    if (!target)
        return;
    for (uint64_t i = 0; i < dense->count; i++) {
        uint32_t length;
        const char *data = bytes_at(dense, i, &length);
        memcpy(target, data + (length - lengths[i]), lengths[i]);
        target += lengths[i];
    }
    out->count += bytes;
}

static uint32_t shared_bytes(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
    uint32_t most = a_bytes < b_bytes ? a_bytes : b_bytes, shared = 0;
    while (shared < most && a[shared] == b[shared])
        shared++;
    return shared;
}

void pq_encode_delta_length(const pq_dense *dense, pq_buffer *out)
{
    uint32_t *lengths = mem_new_array(dense->count + 1, sizeof *lengths);
    if (lengths)
        add_suffixes(dense, NULL, lengths, out);
    else
        out->has_failed = true;
    mem_free(lengths);
}

void pq_encode_delta_bytes(const pq_dense *dense, pq_buffer *out)
{
    uint32_t *prefixes = mem_new_array(dense->count + 1, sizeof *prefixes);
    uint32_t *lengths = mem_new_array(dense->count + 1, sizeof *lengths);
    if (prefixes && lengths) {
        const char *last = "";
        uint32_t last_bytes = 0;
        for (uint64_t i = 0; i < dense->count; i++) {
            uint32_t length;
            const char *data = bytes_at(dense, i, &length);
            prefixes[i] = shared_bytes(last, last_bytes, data, length);
            last = data;
            last_bytes = length;
        }
        encode_delta_add_numbers(prefixes, dense->count, out);
        add_suffixes(dense, prefixes, lengths, out);
    } else {
        out->has_failed = true;
    }
    mem_free(prefixes);
    mem_free(lengths);
}
