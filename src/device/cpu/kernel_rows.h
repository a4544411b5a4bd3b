/* kernel_rows.h - equality of packed key rows (kernels_aggregate.def), for grouping and joining. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_ROWS_H
#define PISTACHIO_DEVICE_CPU_KERNEL_ROWS_H

#include "device/cpu/kernel.h"

/* How far ahead directory and group are fetched. */
#define PREFETCH_ROWS 16

static inline bool views_are_equal(const uint64_t *left, const uint64_t *right)
{
    if (left[0] != right[0]) /* length and first four bytes */
        return false;
    string_view a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    if (a.bytes <= STRING_INLINE_BYTES)
        return left[1] == right[1];
    return !memcmp(kernel_string_data(&a), kernel_string_data(&b), a.bytes);
}

static inline bool rows_are_equal(const uint64_t *left, const uint64_t *right, size_t stride,
                                  uint64_t text_keys)
{
    if (!text_keys) {
        uint64_t difference = 0;
        for (size_t w = 0; w < stride; w++)
            difference |= left[w] ^ right[w];
        return !difference;
    }
    if (left[0] != right[0])
        return false;
    for (size_t k = 0; k * 2 + 1 < stride; k++) {
        const uint64_t *l = left + 1 + k * 2, *r = right + 1 + k * 2;
        bool is_equal = text_keys >> k & 1 ? views_are_equal(l, r) : l[0] == r[0] && l[1] == r[1];
        if (!is_equal)
            return false;
    }
    return true;
}

#endif
