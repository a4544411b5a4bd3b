/* planted.cpp - kernels with mistakes, for the emulation to find: planted.c launches them, by name. Each
 * gives, over the arguments of count_up, out[i] = first + i but for its mistake. */
#include "device/cuda/kernel.cuh"
#include "device/cuda/sort_look_back.cuh"

#define PLANTED(name, is_together) KERNEL_FUNCTION(planted_##name, count_up, is_together, ())

/* Each thread takes what the block's last, second but last and so on has put down. */
DEVICE void turn_round(const count_up_arguments &a, bool with_barrier)
{
    __shared__ uint32_t words[CUDA_BLOCK];
    uint64_t i = kernel_row();
    words[threadIdx.x] = a.first + (uint32_t)i;
    if (with_barrier)
        __syncthreads();
    uint32_t other = words[CUDA_BLOCK - 1 - threadIdx.x];
    uint64_t place = i - threadIdx.x + CUDA_BLOCK - 1 - threadIdx.x;
    if (place < kernel_count(a.count))
        a.out[place] = other;
}

PLANTED(nothing, true)
{
    turn_round(a, true);
}

PLANTED(forgotten_barrier, true)
{
    turn_round(a, false);
}

/* Threads of the first warp alone come to the barrier. */
PLANTED(missed_barrier, true)
{
    if (threadIdx.x < CUDA_WARP)
        __syncthreads();
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row();
}

/* A lane does not come to a function of its warp. */
PLANTED(missed_warp, true)
{
    unsigned bits = kernel_lane() == 7 ? 0 : __ballot_sync(ALL_LANES, true);
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + (bits & 0);
}

PLANTED(past_the_end, false)
{
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row();
    a.out[kernel_row() + 1] = a.first + (uint32_t)kernel_row() + 1;
}

/* Of a sum's words one is not written: zero by chance, on a GPU. */
PLANTED(unwritten_word, true)
{
    __shared__ uint32_t words[CUDA_WARP];
    if (threadIdx.x > 0 && threadIdx.x < CUDA_WARP)
        words[threadIdx.x] = 0;
    __syncthreads();
    uint32_t sum = 0;
    for (unsigned k = 0; k < CUDA_WARP; k++)
        sum += words[k];
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + sum;
}

/* No mistake: before a tile stands one of which the whole sum is known, others have only said what they add. Blocks
 * of the emulation come one after another, so that its scans never find that. */
PLANTED(look_back, true)
{
    __shared__ uint64_t chain[1 + CUDA_BLOCK], base;
    uint32_t wrong = 0;
    for (uint64_t whole = 0; whole < CUDA_BLOCK; whole += 37)
        for (uint64_t tile = whole + 1; tile < CUDA_BLOCK; tile += 31) {
            uint64_t sum = 1000;
            for (uint64_t before = whole + 1; before < tile; before++)
                sum += before;
            chain[1 + threadIdx.x] = threadIdx.x == whole ? SCAN_FLAG_ALL | 1000 : SCAN_FLAG_OWN | threadIdx.x;
            __syncthreads();
            wrong += kernel_tile_base(chain, tile, 5, &base) != sum;
            wrong += chain[1 + tile] != (SCAN_FLAG_ALL | (sum + 5));
            __syncthreads();
        }
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + wrong;
}

/* No mistake: the same of a sort's tiles, of which each thread looks for its own value. */
PLANTED(look_back_by_value, true)
{
    const uint32_t tiles = 11;
    __shared__ uint32_t table[tiles * RADIX_VALUES];
    uint32_t wrong = 0;
    for (uint32_t whole = 0; whole < tiles; whole++)
        for (uint32_t tile = whole + 1; tile < tiles; tile++) {
            uint32_t sum = 1000 + threadIdx.x;
            for (uint32_t t = 0; t < tiles; t++) {
                uint32_t own = t * 3 + threadIdx.x;
                sum += t > whole && t < tile ? own : 0;
                table[t * RADIX_VALUES + threadIdx.x] =
                    t == whole ? RADIX_FLAG_ALL | (1000 + threadIdx.x) : RADIX_FLAG_OWN | own;
            }
            wrong += radix_before(table, tile, 5) != sum;
            wrong += table[tile * RADIX_VALUES + threadIdx.x] != (RADIX_FLAG_ALL | (sum + 5));
        }
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + wrong;
}

/* A lane takes what the one before it has put down, without a meeting. */
PLANTED(forgotten_syncwarp, true)
{
    __shared__ uint32_t words[CUDA_BLOCK];
    unsigned before = threadIdx.x / CUDA_WARP * CUDA_WARP + (kernel_lane() + 31) % CUDA_WARP;
    words[threadIdx.x] = a.first + threadIdx.x;
    __syncwarp();
    uint32_t other = words[before];
    words[threadIdx.x] = 0; /* others may not have read it yet */
    a.out[before] = other;
}

/* No mistake: functions of warps follow each other, of all lanes or of each half its own, and each gives what was brought
 * to it, not to the one before or behind. */
PLANTED(shuffles, true)
{
    unsigned lane = kernel_lane(), half = lane < 16 ? 0xffffu : 0xffff0000u, wrong = 0;
    for (unsigned turn = 0; turn < 40; turn++) {
        unsigned from = (lane * 5 + turn) % CUDA_WARP, near = (lane & 16) | (from & 15);
        wrong += __shfl_sync(ALL_LANES, lane * 100 + turn, (int)from) != from * 100 + turn;
        wrong += __shfl_xor_sync(ALL_LANES, (uint64_t)turn << 40 | lane, 16) !=
                 ((uint64_t)turn << 40 | (lane ^ 16));
        for (unsigned again = 0; again < 1 + lane / 16; again++) {
            wrong += __shfl_sync(half, lane + turn + again, (int)near) != near + turn + again;
            wrong += __ballot_sync(half, lane % 3 == again) !=
                     (again ? 0x92492492u & half : 0x49249249u & half);
        }
        wrong += __match_any_sync(ALL_LANES, lane / 2 + turn) != 3u << lane / 2 * 2;
        wrong += __reduce_or_sync(ALL_LANES, lane == turn % 32 ? turn + 1 : 0) != turn + 1;
    }
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + wrong;
}

/* Of three functions of its warp a lane leaves the second out. */
PLANTED(left_out, true)
{
    unsigned sum = 0;
    for (unsigned turn = 0; turn < 3; turn++)
        if (turn != 1 || kernel_lane() != 7)
            sum += __shfl_xor_sync(ALL_LANES, turn, 1);
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + (sum & 0);
}

/* A lane comes to another function than the rest of its warp. */
PLANTED(other_function, true)
{
    unsigned bits = kernel_lane() == 7 ? __shfl_sync(ALL_LANES, 1u, 7) : __ballot_sync(ALL_LANES, true);
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + (bits & 0);
}

/* A lane reads one that does not come. */
PLANTED(lane_outside, true)
{
    unsigned half = kernel_lane() < 16 ? 0xffffu : 0xffff0000u;
    unsigned word = __shfl_sync(half, 0u, kernel_lane() == 5 ? 16 : (int)kernel_lane());
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row() + word;
}

/* A lane takes what another one puts down behind a function of the warp to which both came before. */
PLANTED(behind_a_ballot, true)
{
    __shared__ uint32_t words[CUDA_BLOCK];
    unsigned before = threadIdx.x / CUDA_WARP * CUDA_WARP + (kernel_lane() + 31) % CUDA_WARP;
    words[threadIdx.x] = 0;
    __syncwarp();
    unsigned all = __ballot_sync(ALL_LANES, true);
    words[threadIdx.x] = a.first + threadIdx.x + (all + 1);
    uint32_t other = words[before];
    __syncwarp();
    a.out[before] = other;
}

/* A thread says that its row is there, and then writes it. */
PLANTED(flag_too_early, true)
{
    __shared__ uint32_t rows[CUDA_BLOCK];
    __shared__ unsigned flags[CUDA_BLOCK];
    rows[threadIdx.x] = flags[threadIdx.x] = 0;
    __syncthreads();
    unsigned other = threadIdx.x ^ CUDA_WARP;
    atomicExch(&flags[threadIdx.x], 1u);
    rows[threadIdx.x] = a.first + threadIdx.x;
    while (!atomicAdd(&flags[other], 0u))
        ;
    a.out[other] = rows[other];
}

/* A word of four bytes where none lies. */
PLANTED(misaligned, false)
{
    if (threadIdx.x == 0)
        *(volatile uint32_t *)((volatile char *)a.out + 1) = a.first;
    a.out[kernel_row()] = a.first + (uint32_t)kernel_row();
}
