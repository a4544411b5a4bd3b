/* kernel_parquet.h - what the kernels of page decoding share: the format's numbers, runs, bits. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_H
#define PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_H

#include "device/cpu/kernel.h"
#include "device/kernels/parquet_numbers.h"
#include "device/value/parquet_runs.h"

/* Sets `count` bits from bit `at` on. */
static inline void set_bits(uint64_t *bits, uint64_t at, uint64_t count, bool value)
{
    while (count) {
        unsigned offset = at % 64;
        uint64_t width = 64 - offset < count ? 64 - offset : count;
        uint64_t mask = (width == 64 ? ~(uint64_t)0 : (((uint64_t)1 << width) - 1)) << offset;
        bits[at / 64] = value ? bits[at / 64] | mask : bits[at / 64] & ~mask;
        at += width;
        count -= width;
    }
}

/* Copies `count` packed bits to bits from bit `at` on; bits behind them in the last word may
 * change. Returns how many are 1. Reads up to 8 bytes past the source's last one. */
static inline uint64_t copy_packed_bits(uint64_t *bits, uint64_t at, const uint8_t *packed,
                                        uint64_t count)
{
    uint64_t ones = 0;
    for (uint64_t done = 0; done < count; done += 32) {
        uint64_t word = 0, left = count - done;
        memcpy(&word, packed + done / 8, 4);
        if (left < 32)
            word &= ((uint64_t)1 << left) - 1;
        ones += (uint64_t)__builtin_popcountll(word);
        uint64_t first = at + done, last = first + (left < 32 ? left : 32) - 1;
        unsigned offset = first % 64;
        bits[first / 64] = (bits[first / 64] & (((uint64_t)1 << offset) - 1)) | word << offset;
        if (last / 64 != first / 64)
            bits[last / 64] = word >> (64 - offset);
    }
    return ones;
}

/* How many of `count` packed bits are 1. */
static inline uint64_t count_packed_bits(const uint8_t *packed, uint64_t count)
{
    uint64_t ones = 0;
    for (uint64_t done = 0; done < count; done += 8) {
        unsigned byte = packed[done / 8], left = count - done < 8 ? (unsigned)(count - done) : 8;
        ones += (unsigned)__builtin_popcount(byte & ((1u << left) - 1));
    }
    return ones;
}

/* Runs of single bits, to bits from bit `at` on (NULL: they are only counted); bits behind them in
 * the last word may change. Returns how many are 1, or -1. */
static inline int64_t unpack_bits(hybrid *h, uint64_t count, uint64_t *bits, uint64_t at)
{
    uint64_t done = 0, ones = 0;
    while (done < count) {
        hybrid_run run;
        if (!next_run(h, &run))
            return -1;
        uint64_t more = run.count < count - done ? run.count : count - done;
        if (run.is_packed) {
            ones += bits ? copy_packed_bits(bits, at + done, run.packed, more)
                         : count_packed_bits(run.packed, more);
        } else {
            if (run.value > 1)
                return -1;
            if (bits)
                set_bits(bits, at + done, more, run.value);
            ones += run.value ? more : 0;
        }
        done += more;
    }
    return (int64_t)ones;
}

/* Finds a page's values by its words: false if they are outside the page. */
static inline bool page_values(const uint8_t *page, uint32_t page_bytes, const uint64_t *words,
                               const uint8_t **at, const uint8_t **end)
{
    *end = page + page_bytes;
    *at = words[1] <= page_bytes ? page + words[1] : *end;
    return words[1] <= page_bytes;
}

#endif
