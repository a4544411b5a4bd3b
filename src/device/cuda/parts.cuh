/* parts.cuh - inside the kernels of all pages of a column: each page has as many blocks of the launch as extra.step
 * says, side by side, and each block a part of the page's values or bytes.
 *
 * Parts of a page with few values are whole units, so that the blocks behind the last value have nothing to do. */
#ifndef PISTACHIO_DEVICE_CUDA_PARTS_CUH
#define PISTACHIO_DEVICE_CUDA_PARTS_CUH

#include "device/cuda/pages.cuh"

/* The bytes of a page that is not, or no longer, compressed. */
#define PAGE_OF(a, p)                                                                              \
    ((p)->is_compressed ? (a).unpacked + (p)->unpacked_at : (a).stored + (p)->stored_at)
#define IS_ONE_OF(p, kinds) ((kinds) >> (p)->kind & 1)

/* Values of a part: those that a block's threads take in one turn, four each. */
#define PART_UNIT (4u * CUDA_BLOCK)

typedef struct page_part {
    uint32_t page, number, parts; /* number: below parts, those of the page */
} page_part;

typedef struct part_range {
    uint64_t from, to;
} part_range;

DEVICE page_part part_of_block(const cuda_extra &extra)
{
    uint32_t parts = (uint32_t)extra.step;
    page_part part = {blockIdx.x / parts, blockIdx.x % parts, parts};
    return part;
}

/* Returns how many of `count` items each part has: whole units. */
DEVICE uint64_t part_size(uint64_t count, uint32_t parts, uint32_t unit)
{
    return ((count + parts - 1) / parts + unit - 1) / unit * unit;
}

DEVICE part_range part_items(uint64_t count, const page_part &part, uint32_t unit)
{
    uint64_t size = part_size(count, part.parts, unit), from = size * part.number;
    part_range range = {from < count ? from : count, from + size < count ? from + size : count};
    return range;
}

/* Zeroes bytes, all blocks of the page together. */
DEVICE void part_zero(void *out, uint64_t bytes, const page_part &part)
{
    uint64_t first = (uint64_t)part.number * blockDim.x + threadIdx.x;
    uint64_t step = (uint64_t)part.parts * blockDim.x;
    if ((uintptr_t)out % 4 == 0 && bytes % 4 == 0)
        for (uint64_t i = first; i < bytes / 4; i += step)
            ((uint32_t *)out)[i] = 0;
    else
        for (uint64_t i = first; i < bytes; i += step)
            ((uint8_t *)out)[i] = 0;
}

/* Returns the sum of what the parts of the page before this one have in the scratch. All threads come. */
DEVICE uint64_t sum_of_parts(const cuda_extra &extra, const page_part &part, uint64_t *sums)
{
    uint64_t mine = threadIdx.x < part.number ? extra.scratch[blockIdx.x - part.number + threadIdx.x] : 0, total;
    kernel_block_scan(mine, sums, &total);
    __syncthreads();
    return total;
}

#endif
