/* lz.cuh - inside the kernels that decompress: a warp makes a page out of new bytes and of bytes that are there
 * already. All lanes come with the same numbers.
 * (J. Ziv, A. Lempel: A Universal Algorithm for Sequential Data Compression, 1977) */
#ifndef PISTACHIO_DEVICE_CUDA_LZ_CUH
#define PISTACHIO_DEVICE_CUDA_LZ_CUH

#include "device/cuda/kernel.cuh"

typedef struct lz_output {
    uint8_t *target;
    uint64_t bytes;      /* that there shall be */
    uint64_t done, seen; /* that are there; those before `seen` all lanes see */
} lz_output;

/* The next `count` bytes, for which there is room, are those at `from`. */
DEVICE void lz_literal(lz_output *o, const uint8_t *from, uint64_t count)
{
    for (uint64_t i = threadIdx.x; i < count; i += CUDA_WARP)
        o->target[o->done + i] = from[i];
    o->done += count;
}

/* The next `count` bytes, for which there is room, are those `offset` bytes before them, of which there are so many:
 * where the offset is smaller than the count the same ones come again and again. */
DEVICE void lz_copy(lz_output *o, uint64_t offset, uint64_t count)
{
    const uint8_t *from = o->target + o->done - offset;
    uint8_t *to = o->target + o->done;
    if (o->done - offset + (count < offset ? count : offset) > o->seen) {
        __syncwarp();
        o->seen = o->done;
    }
    if (count <= offset) {
        for (uint64_t i = threadIdx.x; i < count; i += CUDA_WARP)
            to[i] = from[i];
    } else {
        uint32_t period = (uint32_t)offset, step = CUDA_WARP % period, at = threadIdx.x % period;
        for (uint64_t i = threadIdx.x; i < count; i += CUDA_WARP) {
            to[i] = from[at];
            at += step;
            at -= at >= period ? period : 0;
        }
    }
    o->done += count;
}

#endif
