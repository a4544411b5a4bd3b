/* sort_rows.cuh - which of two rows of packed sort keys comes first. */
#ifndef PISTACHIO_DEVICE_CUDA_SORT_ROWS_CUH
#define PISTACHIO_DEVICE_CUDA_SORT_ROWS_CUH

#include "device/cuda/kernel.cuh"
#include "device/value/sort_key.h"

/* Rows are numbers: of equal ones the lower is first. */
DEVICE bool sort_rows_before(const sort_rows_arguments &a, uint32_t left, uint32_t right)
{
    const uint64_t *l = a.rows + (uint64_t)left * a.key_count * 3;
    const uint64_t *r = a.rows + (uint64_t)right * a.key_count * 3;
    for (uint32_t k = 0; k < a.key_count; k++, l += 3, r += 3) {
        if (l[0] != r[0])
            return l[0] < r[0];
        if (l[0] & SORT_KEY_TEXT) {
            int order = kernel_view_compare((const kernel_view *)(l + 1),
                                            (const kernel_view *)(r + 1));
            if (order)
                return l[0] & SORT_KEY_DESCENDING ? order > 0 : order < 0;
        } else if (l[1] != r[1]) {
            return l[1] < r[1];
        } else if (l[2] != r[2]) {
            return l[2] < r[2];
        }
    }
    return left < right;
}

#endif
