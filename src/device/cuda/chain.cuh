/* chain.cuh - inside the kernels of pages: elements that lie one behind the other, each saying where the next one
 * begins. Each thread of a block follows them through a span of the bytes, from where it guesses that one begins; then
 * threads look whether those before came out there, and where they did not they go again, until all agree. The first
 * thread knows, so each turn is right for one thread more at least, and all behind an element that goes over many spans
 * with it; where a span has several elements, a few turns are enough for all.
 *
 * The elements are a class:
 *
 *     uint32_t end                            bytes that there are, less than CHAIN_BYTES_MAX
 *     bool merges                             who follows from a wrong place mostly soon comes to a right one
 *     uint32_t guess(begin, limit)            where one may begin, from `begin` on; or CHAIN_UNKNOWN
 *     uint32_t next(at, &sum)                 where the next one begins, at most end, and what this one adds to a sum;
 *                                             CHAIN_CUT: it ends behind that, or is damaged
 *
 * (J. Klein, Y. Wiseman: Parallel Huffman Decoding with Applications to JPEG Files, 2003) */
#ifndef PISTACHIO_DEVICE_CUDA_CHAIN_CUH
#define PISTACHIO_DEVICE_CUDA_CHAIN_CUH

#include "device/cuda/kernel.cuh"

#define CHAIN_BYTES_MAX 0x80000000u
#define CHAIN_CUT 0xfffffffeu
#define CHAIN_UNKNOWN 0xffffffffu
#define CHAIN_MEMBER __device__ __forceinline__

/* A thread's part of a window. */
typedef struct chain_span {
    uint32_t limit; /* where its bytes end */
    uint32_t entry; /* the first element that begins in them or behind; CHAIN_CUT: there is none */
    uint32_t next;  /* the first one that begins behind them; or CHAIN_CUT */
    uint32_t count; /* of whole elements that begin in them */
    uint64_t sum;
} chain_span;

typedef struct chain_shared {
    uint32_t next[CUDA_BLOCK];
    uint32_t known[2][CUDA_BLOCK / 32], wrong[CUDA_BLOCK / 32]; /* of each warp, a bit for each lane */
    uint64_t sums[CUDA_BLOCK / 32];
} chain_shared;

template <class E> DEVICE void chain_follow(const E &elements, chain_span *s)
{
    uint32_t at = s->entry;
    s->count = 0;
    s->sum = 0;
    while (at < s->limit) {
        uint64_t sum = 0;
        at = elements.next(at, &sum);
        s->count += at != CHAIN_CUT;
        s->sum += at != CHAIN_CUT ? sum : 0;
    }
    s->next = at;
}

/* The last thread before `thread` whose bit is set; there is one. */
DEVICE unsigned chain_last_before(const uint32_t *bits, unsigned thread)
{
    unsigned word = thread / 32;
    uint32_t found = thread % 32 ? bits[word] & ((1u << thread % 32) - 1) : 0;
    while (!found && word)
        found = bits[--word];
    return word * 32 + 31 - (unsigned)__clz((int)found);
}

/* The first thread whose bit is set; or CUDA_BLOCK. */
DEVICE unsigned chain_first(const uint32_t *bits)
{
    for (unsigned word = 0; word < blockDim.x / 32; word++)
        if (bits[word])
            return word * 32 + (unsigned)__ffs((int)bits[word]) - 1;
    return CUDA_BLOCK;
}

/* All threads: those elements that begin in the window, `span` bytes a thread, from `at` on, where one begins, and
 * before `end`, which is at most the elements'. Returns where the first one behind the window begins, or CHAIN_CUT. A
 * barrier must come before the next window. */
template <class E>
DEVICE uint32_t chain_window_until(const E &elements, uint32_t at, uint32_t end, uint32_t span, chain_shared *shared,
                                   chain_span *s)
{
    uint32_t begin = at + threadIdx.x * span;
    begin = begin < end ? begin : end;
    s->limit = end - begin < span ? end : begin + span;
    s->entry = threadIdx.x ? elements.guess(begin, s->limit) : at;
    bool is_new = true, is_sure = !threadIdx.x;
    for (unsigned turn = 0;; turn++) {
        uint32_t *known = shared->known[turn % 2];
        if (is_new) {
            if (s->entry == CHAIN_UNKNOWN)
                s->next = CHAIN_UNKNOWN;
            else
                chain_follow(elements, s);
            /* A thread that follows from a wrong place to the end knows nothing. */
            if (s->next == CHAIN_CUT && !is_sure)
                s->next = CHAIN_UNKNOWN;
            shared->next[threadIdx.x] = s->next;
        }
        unsigned bits = __ballot_sync(ALL_LANES, s->next != CHAIN_UNKNOWN);
        if (kernel_lane() == 0)
            known[kernel_warp()] = bits;
        __syncthreads();
        unsigned before_me = threadIdx.x ? chain_last_before(known, threadIdx.x) : 0;
        uint32_t before = threadIdx.x ? shared->next[before_me] : at;
        bool is_wrong = s->next == CHAIN_UNKNOWN ? before < s->limit : before != s->entry;
        bits = __ballot_sync(ALL_LANES, is_wrong);
        if (kernel_lane() == 0)
            shared->wrong[kernel_warp()] = bits;
        __syncthreads();
        unsigned first = chain_first(shared->wrong);
        if (first == CUDA_BLOCK) {
            if (s->next == CHAIN_UNKNOWN)
                *s = {s->limit, before, before, 0, 0};
            return shared->next[chain_last_before(known, blockDim.x)];
        }
        /* Everything before the first wrong one is right. */
        uint32_t sure = shared->next[chain_last_before(known, first)], entry = s->entry;
        if (threadIdx.x >= first && sure >= s->limit)
            entry = sure;
        else if (threadIdx.x == first)
            entry = before;
        else if (is_wrong && before < begin) /* those right before know nothing */
            entry = elements.merges && s->next == CHAIN_UNKNOWN ? begin : entry;
        else if (is_wrong && (elements.merges || !(shared->wrong[before_me / 32] >> before_me % 32 & 1)))
            entry = before;
        is_sure = threadIdx.x >= first && (threadIdx.x == first || sure >= s->limit);
        is_new = entry != s->entry || (is_sure && s->next == CHAIN_UNKNOWN);
        s->entry = entry;
    }
}

/* The window goes as far as the elements. */
template <class E>
DEVICE uint32_t chain_window(const E &elements, uint32_t at, uint32_t span, chain_shared *shared, chain_span *s)
{
    return chain_window_until(elements, at, elements.end, span, shared, s);
}

#endif
