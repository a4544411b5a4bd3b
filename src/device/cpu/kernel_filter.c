/* kernel_filter.c - what drops probe rows before the join: Bloom filters (bitmaps: kernel_rank.c).
 */
#include "device/cpu/kernel.h"
#include "device/cpu/kernel_bloom.h"

void ISA_(bloom_add)(const bloom_add_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = a->hashes[i], bits = kernel_bloom_bits(hash);
        uint64_t *block = &a->blocks[kernel_bloom_block(hash, a->block_count)];
        bool is_needed = kernel_is_valid(a->validity, i) &&
                         (__atomic_load_n(block, __ATOMIC_RELAXED) & bits) != bits;
        if (is_needed)
            __atomic_fetch_or(block, bits, __ATOMIC_RELAXED);
    }
}

void ISA_(filter_bloom)(const filter_bloom_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        for (size_t i = 0; i < end; i++) {
            uint64_t hash = a->hashes[w * 64 + i], bits = kernel_bloom_bits(hash);
            uint64_t block = a->blocks[kernel_bloom_block(hash, a->block_count)];
            word |= (uint64_t)((block & bits) == bits) << i;
        }
        a->out[w] = a->validity ? word & a->validity[w] : word;
    }
}
