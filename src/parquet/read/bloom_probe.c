/* bloom_probe.c - from a value to its stored form, its hash, and the one block that tells. */
#include "parquet/read/bloom_probe.h"

#include "base/text/uuid_text.h"
#include "parquet/format/bloom.h"

#define HEADER_BYTES 64 /* a filter's header has about 20 */
#define FIXED_BYTES_MAX 16

/* The hash of the value as PLAIN stores it; false: there is no one form. */
static bool bloom_probe_hash_value(const pq_leaf *leaf, const value *v, uint64_t *out)
{
    if (leaf->conversion == PQ_CONVERT_BIG && leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY) {
        uint8_t bytes[FIXED_BYTES_MAX];
        int128 number = value_int128(v);
        if (leaf->type_length > FIXED_BYTES_MAX)
            return false;
        for (uint32_t i = leaf->type_length; i-- > 0; number >>= 8)
            bytes[i] = (uint8_t)number;
        if (number != 0 && number != -1)
            return false;
        *out = pq_bloom_hash(bytes, leaf->type_length);
        return true;
    }
    if (leaf->conversion == PQ_CONVERT_UUID) {
        uint8_t bytes[UUID_BYTES];
        uuid_to_bytes(v->i128, bytes);
        *out = pq_bloom_hash(bytes, sizeof bytes);
        return true;
    }
    if (leaf->conversion != PQ_CONVERT_NONE)
        return false;
    switch (leaf->physical) {
    case PQ_INT32: {
        int32_t number = (int32_t)(uint32_t)value_int128(v);
        *out = pq_bloom_hash(&number, sizeof number);
        return true;
    }
    case PQ_INT64: {
        int64_t number = (int64_t)(uint64_t)value_int128(v);
        *out = pq_bloom_hash(&number, sizeof number);
        return true;
    }
    case PQ_BYTE_ARRAY:
        *out = pq_bloom_hash(v->text, v->bytes);
        return true;
    case PQ_FIXED_LEN_BYTE_ARRAY:
        *out = pq_bloom_hash(v->text, v->bytes);
        return v->bytes == leaf->type_length;
    default: /* zero and NaN have several forms */
        return false;
    }
}

/* The block that the hash picks, alone: a filter of one block. */
static status bloom_probe_read_block(const file *f, const pq_column_chunk *chunk, uint64_t hash,
                                     uint8_t *block)
{
    uint8_t header[HEADER_BYTES];
    uint64_t left = f->bytes - chunk->bloom.offset;
    size_t header_bytes, window = left < HEADER_BYTES ? left : HEADER_BYTES;
    uint32_t bytes;
    TRY(file_read(f, chunk->bloom.offset, header, window));
    TRY(pq_bloom_header_parse(header, window, &header_bytes, &bytes));
    if (bytes > left - header_bytes)
        return status_new(STATUS_KIND_CORRUPT, "the Bloom filter lies outside the file");
    return file_read(f, chunk->bloom.offset + header_bytes + pq_bloom_block(bytes, hash), block,
                     PQ_BLOOM_BLOCK_BYTES);
}

bool pq_bloom_excludes(const file *f, const pq_leaf *leaf, const pq_column_chunk *chunk,
                       const value *v)
{
    uint64_t hash;
    uint8_t block[PQ_BLOOM_BLOCK_BYTES];
    if (!chunk->bloom.offset || v->is_null || !type_equal(v->type, leaf->type) ||
        !bloom_probe_hash_value(leaf, v, &hash))
        return false;
    status st = bloom_probe_read_block(f, chunk, hash, block);
    bool is_excluded = !st && !pq_bloom_contains(block, sizeof block, hash);
    status_free(st); /* the filter only saves work */
    return is_excluded;
}

void pq_bloom_expect(const file *f, const pq_leaf *leaf, const pq_column_chunk *chunk,
                     const value *v)
{
    uint64_t hash, bytes = chunk->bloom.bytes, header_bytes = bytes % PQ_BLOOM_BLOCK_BYTES;
    if (!chunk->bloom.offset || v->is_null || !type_equal(v->type, leaf->type) ||
        !bloom_probe_hash_value(leaf, v, &hash))
        return;
    file_expect_read(f, chunk->bloom.offset, HEADER_BYTES);
    /* Blocks are behind a header that is shorter than one of them. */
    if (bytes > header_bytes && bytes <= UINT32_MAX)
        file_expect_read(f,
                         chunk->bloom.offset + header_bytes +
                             pq_bloom_block((uint32_t)(bytes - header_bytes), hash),
                         PQ_BLOOM_BLOCK_BYTES);
}
