/* kernel_code.c - integer keys of several columns, or with holes too large to rank: as one number
 * each, found by open addressing. */
#include "device/cpu/kernel_keys_with.h"
#include "device/kernel_ops.h"
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

/* Where a hash begins to look; a number of slots that is a power of two, as SQL's tables have, costs no
 * multiplication. */
static inline uint64_t start_of(uint64_t hash, uint64_t slots, bool is_power)
{
    return is_power ? hash & (slots - 1) : kernel_slot_of(hash, slots);
}

static inline uint64_t next_of(uint64_t at, uint64_t slots, bool is_power)
{
    if (is_power)
        return (at + 1) & (slots - 1);
    return at + 1 == slots ? 0 : at + 1;
}

static inline bool is_power_of_two(uint64_t slots)
{
    return !(slots & (slots - 1));
}

/* For constants `is_power` and `has_parts`: each loop has what it needs. */
#define LOOP static inline __attribute__((always_inline)) void

LOOP insert(const code_insert_arguments *a, bool is_power)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count, codes = 0, added = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(
                &a->slots[start_of(kernel_mix(a->codes[i + AHEAD]), slots, is_power)], 1);
        uint64_t code = a->codes[i], at = start_of(kernel_mix(code), slots, is_power);
        a->out[i] = ROW_NULL;
        if (!code)
            continue;
        for (;; at = next_of(at, slots, is_power)) {
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

void ISA_(code_insert)(const code_insert_arguments *a)
{
    if (is_power_of_two(a->slot_count))
        insert(a, true);
    else
        insert(a, false);
}

LOOP find(const code_find_arguments *a, bool has_parts, bool is_power)
{
    size_t count = kernel_count(a->count);
    uint64_t slots = a->slot_count;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            uint64_t later = kernel_mix(a->codes[i + AHEAD]);
            uint64_t start = has_parts ? dev_rank_of(later, a->parts) * slots : 0;
            __builtin_prefetch(&a->slots[start + start_of(later, slots, is_power)]);
        }
        uint64_t code = a->codes[i], hash = kernel_mix(code), at = start_of(hash, slots, is_power);
        uint64_t first = has_parts ? dev_rank_of(hash, a->parts) * slots : 0;
        const uint64_t *part = a->slots + first;
        uint64_t there = part[at];
        /* 0 is in no slot: it ends where it begins to look or at a free one. */
        while (there != code && there) {
            at = next_of(at, slots, is_power);
            there = part[at];
        }
        a->out[i] = code && there ? (uint32_t)(first + at) : ROW_NULL;
    }
}

void ISA_(code_find)(const code_find_arguments *a)
{
    bool is_power = is_power_of_two(a->slot_count);
    if (a->parts > 1 && is_power)
        find(a, true, true);
    else if (a->parts > 1)
        find(a, true, false);
    else if (is_power)
        find(a, false, true);
    else
        find(a, false, false);
}
