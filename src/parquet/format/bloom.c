/* bloom.c - split-block Bloom filters. */
#include "parquet/format/bloom.h"

#include "parquet/format/thrift_write.h"

#include <xxhash.h>

static const uint32_t salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                  0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

uint64_t pq_bloom_hash(const void *data, size_t bytes)
{
    return XXH64(data, bytes, 0);
}

/* Eight bits a value, one per word: 1% false positives take 10.5 bits a value. */
uint32_t pq_bloom_bytes(uint64_t distinct)
{
    uint32_t bytes = PQ_BLOOM_BLOCK_BYTES;
    while (bytes < PQ_BLOOM_BYTES_MAX && (double)bytes * 8 < 10.5 * (double)distinct)
        bytes *= 2;
    return bytes;
}

uint64_t pq_bloom_block(uint32_t bytes, uint64_t hash)
{
    uint64_t blocks = bytes / PQ_BLOOM_BLOCK_BYTES;
    return ((hash >> 32) * blocks >> 32) * PQ_BLOOM_BLOCK_BYTES;
}

void pq_bloom_insert(uint8_t *blocks, uint32_t bytes, uint64_t hash)
{
    uint8_t *block = blocks + pq_bloom_block(bytes, hash);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        block[i * 4 + bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

bool pq_bloom_contains(const uint8_t *blocks, uint32_t bytes, uint64_t hash)
{
    const uint8_t *block = blocks + pq_bloom_block(bytes, hash);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        if (!(block[i * 4 + bit / 8] >> bit % 8 & 1))
            return false;
    }
    return true;
}

void pq_bloom_header_write(pq_buffer *out, uint32_t bytes)
{
    thrift_writer w = thrift_writer_make(out);
    thrift_put_i32(&w, 1, (int32_t)bytes);
    for (int16_t field = 2; field <= 4; field++) { /* split block, xxhash, uncompressed */
        thrift_put_struct(&w, field);
        thrift_put_empty(&w, 1);
        thrift_end(&w);
    }
    thrift_end(&w);
}

/* The member of a union. */
static int16_t read_member(thrift_reader *r, const thrift_field *outer)
{
    thrift_field f = {0};
    int16_t member = 0;
    if (!thrift_enter(r, outer))
        return 0;
    while (thrift_next(r, &f)) {
        member = f.id;
        thrift_skip(r, &f);
    }
    thrift_leave(r);
    return member;
}

status pq_bloom_header_parse(const void *data, size_t length, size_t *out_header_bytes,
                             uint32_t *out_bytes)
{
    thrift_reader r = thrift_reader_make(data, length);
    thrift_field f = {0};
    int64_t bytes = 0;
    bool is_known = true;
    while (thrift_next(&r, &f)) {
        if (f.id == 1)
            bytes = thrift_int(&r, &f);
        else if (f.id >= 2 && f.id <= 4)
            is_known &= read_member(&r, &f) == 1;
        else
            thrift_skip(&r, &f);
    }
    if (r.is_broken || bytes < PQ_BLOOM_BLOCK_BYTES || bytes > PQ_BLOOM_BYTES_MAX ||
        bytes % PQ_BLOOM_BLOCK_BYTES)
        return status_new(STATUS_KIND_CORRUPT, "the Bloom filter's header is damaged");
    if (!is_known)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "the Bloom filter has a hash or compression that is not supported");
    *out_header_bytes = (size_t)(r.at - r.start);
    *out_bytes = (uint32_t)bytes;
    return STATUS_OK;
}
