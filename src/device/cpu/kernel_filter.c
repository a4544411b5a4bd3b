/* kernel_filter.c - what drops probe rows before the join: exact bitmaps and Bloom filters. */
#include "device/cpu/kernel.h"
#include "device/cpu/kernel_bloom.h"

#define BITMAP_LOOP(ctype)                                                                         \
    do {                                                                                           \
        const ctype *keys = a->keys;                                                               \
        for (size_t w = 0; w * 64 < count; w++) {                                                  \
            uint64_t word = 0;                                                                     \
            size_t end = count - w * 64 < 64 ? count - w * 64 : 64;                                \
            for (size_t i = 0; i < end; i++) {                                                     \
                uint64_t bit = (uint64_t)keys[w * 64 + i] - (uint64_t)a->minimum;                  \
                uint64_t is_inside = bit < a->bits;                                                \
                bit = is_inside ? bit : 0;                                                         \
                word |= (is_inside & (a->bitmap[bit / 64] >> (bit % 64))) << i;                    \
            }                                                                                      \
            a->out[w] = a->validity ? word & a->validity[w] : word;                                \
        }                                                                                          \
    } while (0)

void ISA_(filter_bitmap)(const filter_bitmap_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->type.width) {
    case 1:
        BITMAP_LOOP(int8_t);
        break;
    case 2:
        BITMAP_LOOP(int16_t);
        break;
    case 4:
        BITMAP_LOOP(int32_t);
        break;
    default:
        BITMAP_LOOP(int64_t);
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
