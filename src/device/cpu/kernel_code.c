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
    uint64_t mask = a->slot_count - 1, codes = 0, added = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[kernel_mix(a->codes[i + AHEAD]) & mask], 1);
        uint64_t code = a->codes[i], at = kernel_mix(code) & mask;
        a->out[i] = ROW_NULL;
        if (!code)
            continue;
        for (;; at = (at + 1) & mask) {
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

void ISA_(code_find)(const code_find_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t mask = a->slot_count - 1;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[kernel_mix(a->codes[i + AHEAD]) & mask]);
        uint64_t code = a->codes[i], at = kernel_mix(code) & mask;
        /* 0 is in no slot: it ends where it begins to look or at a free one. */
        while (a->slots[at] != code && a->slots[at])
            at = (at + 1) & mask;
        a->out[i] = code && a->slots[at] ? (uint32_t)at : ROW_NULL;
    }
}
