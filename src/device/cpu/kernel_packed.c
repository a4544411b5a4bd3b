/* kernel_packed.c - join keys of any types, packed as rows: found by open addressing. */
#include "device/cpu/kernel_keys.h"

/* How far ahead slots are fetched. */
#define AHEAD 16

void ISA_(packed_insert)(const packed_insert_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    uint64_t mask = a->slot_count - 1, added = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[a->hashes[i + AHEAD] & mask], 1);
        uint64_t row = a->first_row + i, hash = a->hashes[i], at = hash & mask;
        for (;; at = (at + 1) & mask) {
            uint64_t there = __atomic_load_n(&a->slots[at], __ATOMIC_ACQUIRE);
            /* The row has been packed before its number is seen here. */
            if (!there && __atomic_compare_exchange_n(&a->slots[at], &there, hash << 32 | (row + 1),
                                                      false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                added++;
                break;
            }
            const uint8_t *other = a->rows + ((uint32_t)there - 1) * stride;
            if (there >> 32 == hash && keys_are_equal(other, a->rows + row * stride, stride / 8,
                                                      a->text_count, a->interval_count))
                break;
        }
        a->out[i] = (uint32_t)at;
    }
    __atomic_fetch_add(&a->stats[0], count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&a->stats[1], added, __ATOMIC_RELAXED);
}

void ISA_(packed_find)(const packed_find_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    uint64_t mask = a->slot_count - 1;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&a->slots[a->hashes[i + AHEAD] & mask]);
        uint64_t hash = a->hashes[i];
        a->out[i] = ROW_NULL;
        for (uint64_t at = hash & mask; a->slots[at]; at = (at + 1) & mask) {
            const uint8_t *row = a->build_rows + ((uint32_t)a->slots[at] - 1) * stride;
            if (a->slots[at] >> 32 == hash && keys_are_equal(row, a->rows + i * stride, stride / 8,
                                                             a->text_count, a->interval_count)) {
                a->out[i] = a->gives_rows ? (uint32_t)a->slots[at] - 1 : (uint32_t)at;
                break;
            }
        }
    }
}
