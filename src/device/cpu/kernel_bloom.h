/* kernel_bloom.h - which bits a hash has in a blocked Bloom filter of 64-bit blocks.
 *
 * One block, one cache access, three bits in it: about 2% false positives at 16 bits a key (the
 * register-blocked filters of Lang et al., VLDB 2019). */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_BLOOM_H
#define PISTACHIO_DEVICE_CPU_KERNEL_BLOOM_H

#include <stdint.h>

static inline uint64_t kernel_bloom_block(uint64_t hash, uint64_t block_count)
{
    return (hash >> 20) & (block_count - 1);
}

static inline uint64_t kernel_bloom_bits(uint64_t hash)
{
    return (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) |
           (uint64_t)1 << (hash >> 12 & 63);
}

#endif
