/* jump.cuh - inside the kernels that decompress: finds the elements of a stream in which each element says in its first
 * bytes where the next one begins.
 *
 * A window has JUMP_SPAN bytes for each thread of the block.
 *
 *   1. A thread takes the size of the element that would begin at each of its bytes. From its last byte to its first
 *      one it finds out where a reader who comes to that byte leaves the thread's bytes (`exits`).
 *   2. If the block has several warps, lanes join these exits to those of their warp's bytes (`far`), by pointer jumping.
 *   3. Each thread goes from the window's first element from warp to warp, then from lane to lane, to its own bytes.
 *
 * Nothing is guessed, as it is in chain.cuh: the time is that of the bytes, whatever they are. The elements of numbers
 * that snappy compressed have a period of 8 bytes, say, and a reader who begins at a wrong one of them stays wrong.
 *
 * The elements are a class as for chain.cuh, and have another function:
 *
 *     static uint32_t size(first)             bytes of the element whose first 8 bytes are `first`, at most JUMP_SIZE_MAX;
 *                                             0 stands for bytes behind the stream's end
 *
 * (W. Hillis, G. Steele: Data Parallel Algorithms, 1986) */
#ifndef PISTACHIO_DEVICE_CUDA_JUMP_CUH
#define PISTACHIO_DEVICE_CUDA_JUMP_CUH

#include "device/cuda/chain.cuh"

#define JUMP_SPAN 16u
#define JUMP_SIZE_MAX 0x40000000u
#define JUMP_OUT 0xffffu /* an exit that is so far from the window's beginning, or further */

/* Byte b of thread t has its place at [b * THREADS + t], so that lanes side by side use different banks. */
template <unsigned THREADS> struct jump_shared {
    static_assert(THREADS * JUMP_SPAN < JUMP_OUT, "exits within the window are known exactly");
    uint16_t exits[THREADS * JUMP_SPAN];
    uint16_t far[THREADS > CUDA_WARP ? THREADS * JUMP_SPAN : 1];
    uint32_t next;
};

template <unsigned THREADS> DEVICE unsigned jump_slot(uint32_t place)
{
    return place % JUMP_SPAN * THREADS + place / JUMP_SPAN;
}

/* Loads 24 bytes of the stream from `at` on, zeros behind its end. Whole words are read only within the stream. */
DEVICE void jump_load(const uint8_t *source, uint32_t at, uint32_t end, uint64_t *out)
{
    unsigned shift = (unsigned)(uint64_t)(source + at) % 8;
    if (at >= shift && end - at >= 32 - shift) {
        const uint64_t *words = (const uint64_t *)(source + at - shift);
        uint64_t word = words[0];
        for (unsigned i = 0; i < 3; i++) {
            uint64_t following = words[i + 1];
            out[i] = shift ? word >> (8 * shift) | following << (64 - 8 * shift) : word;
            word = following;
        }
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        out[i] = 0;
        for (unsigned k = 0; k < 8; k++)
            if (i * 8 + k < end - at)
                out[i] |= (uint64_t)source[at + i * 8 + k] << (8 * k);
    }
}

/* Finds the exits of the thread's bytes, which begin at `begin` of the stream. */
template <class E, unsigned THREADS>
DEVICE void jump_exits(const E &elements, uint32_t begin, jump_shared<THREADS> *shared)
{
    uint64_t words[3];
    uint32_t base = threadIdx.x * JUMP_SPAN;
    uint16_t *mine = shared->exits + threadIdx.x;
    jump_load(elements.source, begin, elements.end, words);
    KERNEL_UNROLLED
    for (unsigned k = 0; k < JUMP_SPAN; k++) {
        const unsigned i = JUMP_SPAN - 1 - k, word = i / 8, shift = i % 8 * 8;
        uint64_t first = shift ? words[word] >> shift | words[word + 1] << (64 - shift) : words[word];
        uint32_t behind = i + E::size(first), exit;
        if (behind < JUMP_SPAN)
            exit = mine[behind * THREADS];
        else
            exit = base + behind < JUMP_OUT ? base + behind : JUMP_OUT;
        mine[i * THREADS] = (uint16_t)exit;
    }
}

/* Joins the exits of the warp's lanes to those of the warp's bytes. */
template <unsigned THREADS> DEVICE void jump_join(jump_shared<THREADS> *shared)
{
    const uint32_t end = (kernel_warp() + 1) * CUDA_WARP * JUMP_SPAN;
    uint16_t mine[JUMP_SPAN];
    KERNEL_UNROLLED
    for (unsigned i = 0; i < JUMP_SPAN; i++)
        mine[i] = shared->far[i * THREADS + threadIdx.x] = shared->exits[i * THREADS + threadIdx.x];
    __syncwarp();
    for (bool is_within = true; __ballot_sync(ALL_LANES, is_within);) {
        is_within = false;
        KERNEL_UNROLLED
        for (unsigned i = 0; i < JUMP_SPAN; i++)
            if (mine[i] < end) {
                mine[i] = shared->far[jump_slot<THREADS>(mine[i])];
                is_within |= mine[i] < end;
            }
        __syncwarp();
        KERNEL_UNROLLED
        for (unsigned i = 0; i < JUMP_SPAN; i++)
            shared->far[i * THREADS + threadIdx.x] = mine[i];
        __syncwarp();
    }
}

/* Finds the exits of a window of the stream that begins at `from`. All threads come. */
template <class E, unsigned THREADS>
DEVICE void jump_prepare(const E &elements, uint32_t from, jump_shared<THREADS> *shared)
{
    uint32_t begin = from + threadIdx.x * JUMP_SPAN, end = elements.end;
    jump_exits<E, THREADS>(elements, begin < end ? begin : end, shared);
    if (THREADS > CUDA_WARP) {
        __syncwarp();
        jump_join<THREADS>(shared);
    }
    __syncthreads();
}

/* One thread: where a reader leaves the window that begins at `from` who comes to it at `entry`. CHAIN_UNKNOWN: further on
 * than exits say. */
template <unsigned THREADS>
DEVICE uint32_t jump_exit(const jump_shared<THREADS> *shared, uint32_t from, uint32_t entry)
{
    uint32_t place = entry - from;
    if (place >= THREADS * JUMP_SPAN)
        return entry;
    while (place < THREADS * JUMP_SPAN)
        place = shared->far[jump_slot<THREADS>(place)];
    return place < JUMP_OUT ? from + place : CHAIN_UNKNOWN;
}

/* Finds the thread's elements of a prepared window. `entry`: the first one that begins in the window, or after it; or
 * CHAIN_CUT. Returns the first one that begins after the window, or CHAIN_CUT. All threads come; a barrier must come before
 * the next window. */
template <class E, unsigned THREADS>
DEVICE uint32_t jump_enter(const E &elements, uint32_t from, uint32_t entry, jump_shared<THREADS> *shared, chain_span *s)
{
    uint32_t mine = threadIdx.x * JUMP_SPAN, begin = from + mine, end = elements.end, place = entry - from;
    begin = begin < end ? begin : end;
    s->limit = end - begin < JUMP_SPAN ? end : begin + JUMP_SPAN;
    if (threadIdx.x == 0)
        shared->next = entry;
    if (THREADS > CUDA_WARP)
        while (place / (CUDA_WARP * JUMP_SPAN) < kernel_warp())
            place = shared->far[jump_slot<THREADS>(place)];
    while (place < mine)
        place = shared->exits[jump_slot<THREADS>(place)];
    s->entry = place < JUMP_OUT ? from + place : CHAIN_CUT;
    chain_follow(elements, s);
    __syncthreads();
    if (s->entry < s->limit)
        atomicMax(&shared->next, s->next);
    __syncthreads();
    return shared->next;
}

/* Finds those elements that begin in the window from `at` on, where one begins, as chain_window does. */
template <class E, unsigned THREADS>
DEVICE uint32_t jump_window(const E &elements, uint32_t at, jump_shared<THREADS> *shared, chain_span *s)
{
    jump_prepare<E, THREADS>(elements, at, shared);
    return jump_enter<E, THREADS>(elements, at, at, shared, s);
}

#endif
