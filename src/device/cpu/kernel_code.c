/* kernel_code.c - integer keys of several columns, or with holes too large to rank: as one number
 * each, found by open addressing. */
#include "device/cpu/kernel_keys_with.h"
#include "device/tensor.h"

/* How far ahead slots are fetched. */
#define AHEAD 16

void ISA_(code_pack)(const code_pack_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t minimum = (uint64_t)a->minimum, range = a->range;
    if (!a->combine) {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            uint64_t digit = (uint64_t)(int64_t)keys[i] - minimum;
            a->out[i] = digit < range ? digit + 1 : 0;
        })
    } else {
        WITH_KEYS(for (size_t i = 0; i < count; i++) {
            uint64_t digit = (uint64_t)(int64_t)keys[i] - minimum;
            bool has_code = (digit < range) & (a->out[i] != 0);
            a->out[i] = has_code ? (a->out[i] - 1) * range + digit + 1 : 0;
        })
    }
    for (size_t i = 0; a->validity && i < count; i++)
        a->out[i] = kernel_bit(a->validity, i) ? a->out[i] : 0;
}

void ISA_(code_insert)(const code_insert_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count, codes = 0, added = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[kernel_slot_of(kernel_mix(a->codes[i + AHEAD]), slots)],
                               1);
        uint64_t code = a->codes[i], at = kernel_slot_of(kernel_mix(code), slots);
        a->out[i] = ROW_NULL;
        if (!code)
            continue;
        for (;; at = at + 1 == slots ? 0 : at + 1) {
            uint64_t there = __atomic_load_n(&a->slots[at], __ATOMIC_RELAXED);
            if (!there && __atomic_compare_exchange_n(&a->slots[at], &there, code, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                added++;
                break;
            }
            if (there == code)
                break;
        }
        a->out[i] = (uint32_t)at;
        codes++;
    }
    __atomic_fetch_add(&a->stats[0], codes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->stats[1], added, __ATOMIC_RELAXED);
}

/* Twice, as the loop over one part is to know nothing of others. */
static inline __attribute__((always_inline)) void find(const code_find_arguments *a, bool has_parts)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            uint64_t later = kernel_mix(a->codes[i + AHEAD]);
            uint64_t start = has_parts ? kernel_rank_of(later, a->parts) * slots : 0;
            __builtin_prefetch(&a->slots[start + kernel_slot_of(later, slots)]);
        }
        uint64_t code = a->codes[i], hash = kernel_mix(code), at = kernel_slot_of(hash, slots);
        uint64_t first = has_parts ? kernel_rank_of(hash, a->parts) * slots : 0;
        const uint64_t *part = a->slots + first;
        uint64_t there = part[at];
        /* 0 is in no slot: it ends where it begins to look or at a free one. */
        while (there != code && there) {
            at = at + 1 == slots ? 0 : at + 1;
            there = part[at];
        }
        a->out[i] = code && there ? (uint32_t)(first + at) : ROW_NULL;
    }
}

void ISA_(code_find)(const code_find_arguments *a)
{
    if (a->parts > 1)
        find(a, true);
    else
        find(a, false);
}
