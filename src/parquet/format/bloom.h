/* bloom.h - Parquet's split-block Bloom filters.
 *
 * A filter is an array of 32-byte blocks; a value's hash picks a block and one bit in each of its
 * eight words. Values are hashed as PLAIN stores them, text without its length.
 * Specification: BloomFilter.md of github.com/apache/parquet-format. */
#ifndef PISTACHIO_PARQUET_FORMAT_BLOOM_H
#define PISTACHIO_PARQUET_FORMAT_BLOOM_H

#include "parquet/format/buffer.h"

#define PQ_BLOOM_BLOCK_BYTES 32
#define PQ_BLOOM_BYTES_MAX (128u << 20)

uint64_t pq_bloom_hash(const void *data, size_t bytes);
/* A size for `distinct` values at 1% false positives: a power of two, at least a block. */
uint32_t pq_bloom_bytes(uint64_t distinct);
/* Returns where the hash's block begins. */
uint64_t pq_bloom_block(uint32_t bytes, uint64_t hash);
void pq_bloom_insert(uint8_t *blocks, uint32_t bytes, uint64_t hash);
/* False: no such value was inserted. */
bool pq_bloom_contains(const uint8_t *blocks, uint32_t bytes, uint64_t hash);

void pq_bloom_header_write(pq_buffer *out, uint32_t bytes);
/* The header of a filter; its blocks begin *out_header_bytes behind `data` and may lie beyond
 * `length`. Fails also for a hash or compression that the format does not know yet. */
CHECKED status pq_bloom_header_parse(const void *data, size_t length, size_t *out_header_bytes,
                                     uint32_t *out_bytes);

#endif
