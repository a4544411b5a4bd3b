/* sort_look_back.cuh - a tile's rows among those of all tiles before it, value by value of a digit. A table has a
 * word for each tile and value: how many rows of the tile have it, later how many of all tiles up to it. */
#ifndef PISTACHIO_DEVICE_CUDA_SORT_LOOK_BACK_CUH
#define PISTACHIO_DEVICE_CUDA_SORT_LOOK_BACK_CUH

#include "device/cuda/kernel.cuh"
#include "device/cuda/sort_radix.h"

#define RADIX_FLAG_OWN (1u << 30)
#define RADIX_FLAG_ALL (2u << 30)
#define RADIX_NUMBER ((1u << 30) - 1)
#define RADIX_LOOKS 4 /* tiles that are looked at together */

/* Returns how many rows of the tiles before have the thread's value, and says so to those behind. RADIX_LOOKS tiles
 * are read together, the nearest first, past the first-level cache, because other blocks write them. */
DEVICE uint32_t radix_before(uint32_t *table, uint32_t tile, uint32_t own)
{
    uint32_t before = 0, end = tile, found[RADIX_LOOKS];
    table += threadIdx.x;
    for (bool is_all = !tile; !is_all;) {
        for (unsigned k = 0; k < RADIX_LOOKS; k++)
            found[k] = k < end ? *(const volatile uint32_t *)&table[(end - 1 - k) * RADIX_VALUES]
                               : RADIX_FLAG_ALL;
        bool is_known = true;
        for (unsigned k = 0; k < RADIX_LOOKS; k++) {
            is_known = is_known && !is_all && (found[k] & ~RADIX_NUMBER);
            before += is_known ? found[k] & RADIX_NUMBER : 0;
            end -= is_known;
            is_all = is_all || (is_known && (found[k] & RADIX_FLAG_ALL));
        }
    }
    if (tile)
        atomicExch(&table[tile * RADIX_VALUES], RADIX_FLAG_ALL | (before + own));
    return before;
}

#endif
