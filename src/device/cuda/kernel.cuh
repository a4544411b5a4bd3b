/* kernel.cuh - inside the kernels of the CUDA device: rows of threads, counts, bits, strings, errors,
 * sums over a block, and the one scan.
 *
 * A kernel is KERNEL_ALONE(name) or KERNEL_TOGETHER(name) { ... } over `a`, its arguments in
 * kernels.def, and `extra`. A launch may be several jobs, which know nothing of each other: row y of
 * its blocks is job y, of extra.blocks. Threads of the first kind know nothing of each other; those of the second
 * meet at barriers and warp functions, to which each thread of the block must come. The same text is
 * compiled by nvcc, and by any C++ compiler for the emulation (docs/CUDA.md). */
#ifndef PISTACHIO_DEVICE_CUDA_KERNEL_CUH
#define PISTACHIO_DEVICE_CUDA_KERNEL_CUH

#include "device/cuda/extra.h"
#include "device/kernels/kernel_ops.h"

template <class A> struct kernel_job {
    A a;
    cuda_extra extra;
};
template <class A> struct kernel_jobs {
    static_assert(sizeof(kernel_job<A>) == CUDA_JOB_BYTES(sizeof(A)), "as launch.c lays them out");
    kernel_job<A> list[CUDA_JOBS(sizeof(A))];
};

#ifdef PISTACHIO_CUDA_EMULATED
#include "emulated.h"
#define KERNEL_UNROLLED
#define KERNEL_UNROLLED_BY(turns)
#else
/* Before a loop over an array of the thread's that shall stay in registers, and whose body is long. */
#define KERNEL_UNROLLED _Pragma("unroll")
/* Before a loop of which so many turns at a time are enough. */
#define KERNEL_TEXT(text) #text
#define KERNEL_UNROLLED_BY(turns) _Pragma(KERNEL_TEXT(unroll turns))
#define KERNEL_FUNCTION(name, arguments, is_together, bounds)                                      \
    static __device__ __forceinline__ void job_##name(const arguments##_arguments &a,              \
                                                      const cuda_extra &extra);                    \
    extern "C" __global__ void __launch_bounds__ bounds                                            \
        kernel_##name(const __grid_constant__ kernel_jobs<arguments##_arguments> jobs)             \
    {                                                                                              \
        const kernel_job<arguments##_arguments> &job = jobs.list[blockIdx.y];                      \
        if (blockIdx.x < job.extra.blocks)                                                         \
            job_##name(job.a, job.extra);                                                          \
    }                                                                                              \
    static __device__ __forceinline__ void job_##name(const arguments##_arguments &a,              \
                                                      const cuda_extra &extra)
#endif

#define KERNEL_ALONE(name) KERNEL_FUNCTION(name, name, false, (CUDA_BLOCK))
#define KERNEL_TOGETHER(name) KERNEL_FUNCTION(name, name, true, (CUDA_BLOCK))
/* Kernels that would spill with as few registers as the compiler takes by itself: up to 40 a thread, or up to 64. */
#define KERNEL_TOGETHER_MIDDLE(name) KERNEL_FUNCTION(name, name, true, (CUDA_BLOCK, 6))
#define KERNEL_ALONE_WIDE(name) KERNEL_FUNCTION(name, name, false, (CUDA_BLOCK, 4))
#define KERNEL_TOGETHER_WIDE(name) KERNEL_FUNCTION(name, name, true, (CUDA_BLOCK, 4))
/* A function of its own that is one of the steps of a kernel. */
#define KERNEL_STEP_ALONE(name, kernel) KERNEL_FUNCTION(name, kernel, false, (CUDA_BLOCK))
#define KERNEL_STEP_ALONE_WIDE(name, kernel) KERNEL_FUNCTION(name, kernel, false, (CUDA_BLOCK, 4))
#define KERNEL_STEP_TOGETHER(name, kernel) KERNEL_FUNCTION(name, kernel, true, (CUDA_BLOCK))
#define KERNEL_STEP_TOGETHER_WIDE(name, kernel) KERNEL_FUNCTION(name, kernel, true, (CUDA_BLOCK, 4))
/* Blocks of a warp, with up to 80. */
#define KERNEL_WARP(name) KERNEL_FUNCTION(name, name, true, (CUDA_WARP, 24))
#define KERNEL_STEP_WARP(name, kernel) KERNEL_FUNCTION(name, kernel, true, (CUDA_WARP, 24))
/* Up to 80, for those that have several numbers of 64 bits under way. */
#define KERNEL_TOGETHER_WIDER(name) KERNEL_FUNCTION(name, name, true, (CUDA_BLOCK, 3))
#define KERNEL_STEP_TOGETHER_WIDER(name, kernel) KERNEL_FUNCTION(name, kernel, true, (CUDA_BLOCK, 3))
/* Up to 128, for those that hold several rows a thread, or kinds of pages. */
#define KERNEL_STEP_TOGETHER_WIDEST(name, kernel) KERNEL_FUNCTION(name, kernel, true, (CUDA_BLOCK, 2))

#define ALL_LANES 0xffffffffu
#define DEVICE static __device__ __forceinline__

typedef unsigned long long word64; /* what atomics take */

/* Has what is there brought near, if the device does such a thing: so many bytes. */
#define PREFETCH_BYTES 128u
DEVICE void kernel_prefetch(const void *at)
{
#ifdef PISTACHIO_CUDA_EMULATED
    (void)at;
#else
    asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#endif
}

/* ---- rows ---- */

DEVICE uint64_t kernel_count(dev_count count)
{
    return count.actual && *count.actual < count.bound ? *count.actual : count.bound;
}

/* The thread's number in the launch: its row. */
DEVICE uint64_t kernel_row()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE unsigned kernel_lane()
{
    return threadIdx.x & 31u;
}

DEVICE unsigned kernel_warp()
{
    return threadIdx.x / 32u;
}

DEVICE bool kernel_bit(const uint64_t *bits, uint64_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

DEVICE bool kernel_is_valid(const uint64_t *validity, uint64_t i)
{
    return !validity || kernel_bit(validity, i);
}

/* The bits of word `word` that belong to `count` rows. */
DEVICE uint64_t kernel_word_mask(uint64_t count, uint64_t word)
{
    uint64_t left = count - word * 64;
    return left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

/* Word `word` of an operand; without bits: ones; a constant's first bit fills it. */
DEVICE uint64_t kernel_operand_word(const uint64_t *bits, uint8_t stride, uint64_t word)
{
    if (!bits)
        return ~(uint64_t)0;
    return stride ? bits[word] : 0 - (bits[0] & 1);
}

/* Each thread of the block comes with its row i and the row's bit; out gets whole words, zero behind
 * the count. Blocks are of whole words. */
DEVICE void kernel_write_bit(uint64_t *out, uint64_t i, uint64_t count, bool bit)
{
    unsigned bits = __ballot_sync(ALL_LANES, i < count && bit);
    if (kernel_lane() == 0 && i < (count + 63) / 64 * 64)
        ((uint32_t *)out)[i / 32] = bits;
}

DEVICE void kernel_set_bit(uint64_t *bits, uint64_t i)
{
    atomicOr((unsigned *)bits + i / 32, 1u << (i % 32));
}

/* ---- several rows a thread ----
 * Memory is read at full speed only while each multiprocessor awaits some 25 KB (bandwidth by latency, of an
 * H200), which is more than a value of 4 or 8 bytes of each thread. So where little is done to a row, a thread
 * of shape rows() has CUDA_ROWS of them, and reads them all before it writes: row k is first + k * CUDA_WARP,
 * and the lanes' rows lie side by side. */

DEVICE uint64_t kernel_first_row()
{
    return (kernel_row() - kernel_lane()) * CUDA_ROWS + kernel_lane();
}

/* How many rows there are from the thread's first one on, as far as it matters: row k is there if k * CUDA_WARP is
 * less. */
DEVICE unsigned kernel_rows_left(uint64_t first, uint64_t count)
{
    uint64_t left = first < count ? count - first : 0;
    return left < CUDA_ROWS * CUDA_WARP ? (unsigned)left : CUDA_ROWS * CUDA_WARP;
}

/* As kernel_write_bit, of the thread's rows: bit k is row k's. All lanes come. */
DEVICE void kernel_write_bits(uint64_t *out, uint64_t first, uint64_t count, unsigned bits)
{
    unsigned word = 0, rows = kernel_rows_left(first, count);
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        bool bit = k * CUDA_WARP < rows && (bits >> k & 1);
        unsigned of_rows = __ballot_sync(ALL_LANES, bit);
        word = kernel_lane() == k ? of_rows : word;
    }
    uint64_t at = (first - kernel_lane()) / 32 + kernel_lane();
    if (kernel_lane() < CUDA_ROWS && at * 32 < (count + 63) / 64 * 64)
        ((uint32_t *)out)[at] = word;
}

/* Bit k: row k is there and valid. The bits of the lanes' rows k are one word. */
DEVICE unsigned kernel_valid_rows(const uint64_t *validity, uint64_t first, uint64_t count)
{
    const uint32_t *words = (const uint32_t *)validity;
    unsigned rows = kernel_rows_left(first, count), bits = 0, of_rows[CUDA_ROWS];
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        of_rows[k] = words && k * CUDA_WARP < rows ? words[first / CUDA_WARP + k] : ~0u;
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        bits |= (k * CUDA_WARP < rows ? of_rows[k] >> kernel_lane() & 1 : 0) << k;
    return bits;
}

/* ---- errors ---- */

/* Which of several rows is reported is not said. */
DEVICE void kernel_fail(dev_error *error, dev_error_code code, uint32_t location, uint64_t detail)
{
    if (*(const volatile unsigned *)&error->code) /* else millions of rows would swap one word */
        return;
    if (atomicCAS((unsigned *)&error->code, (unsigned)DEV_ERROR_NONE, (unsigned)code) ==
        DEV_ERROR_NONE) {
        error->location = location;
        error->detail = detail;
    }
}

/* ---- strings ----
 * A string_view as two words, which threads load whole: the first has the bytes' number and the first
 * four of them. */
typedef struct kernel_view {
    uint64_t head, tail;
} kernel_view;

DEVICE uint32_t kernel_view_bytes(const kernel_view *view)
{
    return (uint32_t)view->head;
}

DEVICE bool kernel_view_is_long(const kernel_view *view)
{
    return kernel_view_bytes(view) > STRING_INLINE_BYTES;
}

/* Returns a text's bytes. A short one's are in the view, which must stay. */
DEVICE const char *kernel_view_data(const kernel_view *view)
{
    return kernel_view_is_long(view) ? (const char *)view->tail : (const char *)view + 4;
}

DEVICE kernel_view kernel_view_make(const char *data, uint32_t bytes)
{
    kernel_view view = {bytes, 0};
    unsigned prefix = bytes < 4 ? bytes : 4;
    for (unsigned i = 0; i < prefix; i++)
        view.head |= (uint64_t)(uint8_t)data[i] << (32 + 8 * i);
    if (bytes > STRING_INLINE_BYTES)
        view.tail = (uint64_t)data;
    else
        for (unsigned i = 4; i < bytes; i++)
            view.tail |= (uint64_t)(uint8_t)data[i] << (8 * (i - 4));
    return view;
}

DEVICE bool kernel_view_equal(const kernel_view *x, const kernel_view *y)
{
    if (x->head != y->head)
        return false;
    if (x->tail == y->tail)
        return true;
    if (!kernel_view_is_long(x))
        return false;
    const char *left = kernel_view_data(x), *right = kernel_view_data(y);
    for (uint32_t i = 4; i < kernel_view_bytes(x); i++)
        if (left[i] != right[i])
            return false;
    return true;
}

/* Below 0, 0, above 0: by bytes. */
DEVICE int kernel_view_compare(const kernel_view *x, const kernel_view *y)
{
    const char *left = kernel_view_data(x), *right = kernel_view_data(y);
    uint32_t left_bytes = kernel_view_bytes(x), right_bytes = kernel_view_bytes(y);
    uint32_t shorter = left_bytes < right_bytes ? left_bytes : right_bytes;
    for (uint32_t i = 0; i < shorter; i++)
        if (left[i] != right[i])
            return (uint8_t)left[i] < (uint8_t)right[i] ? -1 : 1;
    return left_bytes == right_bytes ? 0 : left_bytes < right_bytes ? -1 : 1;
}

/* ---- numbers ---- */

/* Mixes 64 bits: as on the CPU (device/cpu/kernel.h), or hashes would differ. */
DEVICE uint64_t kernel_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* As in src/device/cpu/kernel.h. */
DEVICE uint32_t kernel_rank_of(uint64_t hash, uint32_t ranks)
{
    uint64_t mixed = hash * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * ranks >> 32);
}

DEVICE uint64_t kernel_slot_of(uint64_t hash, uint64_t slot_count)
{
    return (uint64_t)((uint128)hash * slot_count >> 64);
}

DEVICE int128 kernel_interval_weight(const interval_value *interval)
{
    return ((int128)interval->months * 30 + interval->days) * 86400000000 + interval->microseconds;
}

DEVICE uint64_t kernel_atomic_add(uint64_t *at, uint64_t number)
{
    return atomicAdd((word64 *)at, (word64)number);
}

/* Adds to a number of 128 bits that others add to as well, low half first. True: the sum left the
 * range, in whatever order the additions came. */
DEVICE bool kernel_atomic_add_128(void *at, int128 number)
{
    word64 *halves = (word64 *)at;
    word64 low = (word64)(uint128)number;
    word64 old = atomicAdd(&halves[0], low);
    int64_t high = (int64_t)(number >> 64), carry = old + low < old;
    bool has_overflow = carry && high == INT64_MAX;
    high = (int64_t)((uint64_t)high + (uint64_t)carry);
    int64_t before = (int64_t)atomicAdd(&halves[1], (word64)high);
    int64_t after = (int64_t)((uint64_t)before + (uint64_t)high);
    return has_overflow || ((before ^ after) & (high ^ after)) < 0;
}

/* ---- a block ---- */

DEVICE uint64_t kernel_warp_sum(uint64_t value)
{
    for (unsigned step = 16; step; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step);
    return value; /* lane 0's is the sum */
}

/* The sums of what the threads before have, and of all. `sums`: a shared word for each warp. Can be
 * called again with the same words after a barrier. */
DEVICE uint64_t kernel_block_scan(uint64_t value, uint64_t *sums, uint64_t *out_total)
{
    uint64_t inclusive = value;
    for (unsigned step = 1; step < 32; step *= 2) {
        uint64_t before = __shfl_up_sync(ALL_LANES, inclusive, step);
        if (kernel_lane() >= step)
            inclusive += before;
    }
    if (kernel_lane() == 31)
        sums[kernel_warp()] = inclusive;
    __syncthreads();
    uint64_t base = 0, total = 0;
    for (unsigned warp = 0; warp < blockDim.x / 32; warp++) {
        if (warp < kernel_warp())
            base += sums[warp];
        total += sums[warp];
    }
    *out_total = total;
    return base + inclusive - value;
}

/* Returns a number of its own to each thread that takes one, from *next on, by one addition for the block. The numbers
 * of the block's threads follow each other, so that what they write lies side by side. All threads come. */
DEVICE uint64_t kernel_take_number(bool takes, uint64_t *next)
{
    __shared__ uint32_t before[CUDA_BLOCK / 32];
    __shared__ uint64_t first;
    unsigned takers = __ballot_sync(ALL_LANES, takes);
    if (kernel_lane() == 0)
        before[kernel_warp()] = (uint32_t)__popc(takers);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t total = 0;
        for (unsigned warp = 0; warp < blockDim.x / 32; warp++) {
            uint32_t of_warp = before[warp];
            before[warp] = total;
            total += of_warp;
        }
        first = total ? kernel_atomic_add(next, total) : 0;
    }
    __syncthreads();
    return first + before[kernel_warp()] + (uint32_t)__popc(takers & ((1u << kernel_lane()) - 1));
}

/* Adds what the block's threads have to *total, by one addition: thousands of them to one word wait for each
 * other, as long as a kernel reads a million rows. All threads come. */
DEVICE void kernel_add_total(uint64_t value, uint64_t *total)
{
    __shared__ word64 sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    value = kernel_warp_sum(value);
    if (kernel_lane() == 0 && value)
        atomicAdd(&sum, (word64)value);
    __syncthreads();
    if (threadIdx.x == 0 && sum)
        kernel_atomic_add(total, sum);
}

/* Joins the bounds of the block's threads to the bounds in memory. Most blocks find that theirs lie between them, and
 * leave them alone: what they read is at worst an older bound, which is not further out. All threads come. */
DEVICE void kernel_add_bounds(int64_t least, int64_t most, int64_t *low, int64_t *high)
{
    __shared__ long long block_least, block_most;
    if (threadIdx.x == 0) {
        block_least = INT64_MAX;
        block_most = INT64_MIN;
    }
    for (unsigned step = 16; step; step /= 2) {
        int64_t other_least = __shfl_xor_sync(ALL_LANES, least, step);
        int64_t other_most = __shfl_xor_sync(ALL_LANES, most, step);
        least = other_least < least ? other_least : least;
        most = other_most > most ? other_most : most;
    }
    __syncthreads();
    if (kernel_lane() == 0) {
        atomicMin(&block_least, (long long)least);
        atomicMax(&block_most, (long long)most);
    }
    __syncthreads();
    if (threadIdx.x == 0 && block_least < *(const volatile int64_t *)low)
        atomicMin((long long *)low, block_least);
    if (threadIdx.x == 0 && block_most > *(const volatile int64_t *)high)
        atomicMax((long long *)high, block_most);
}

/* ---- the scan over all blocks, in one pass ----
 * Scratch: word 0 numbers the tiles in the order in which blocks begin, so that no tile waits for one
 * that has not begun; then a word for each tile: what it adds (flag 1), later the sum up to and with
 * it (flag 2). (D. Merrill, M. Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * 2016) */
#define SCAN_FLAG_OWN ((word64)1 << 62)
#define SCAN_FLAG_ALL ((word64)2 << 62)
#define SCAN_NUMBER (((word64)1 << 62) - 1)

/* The tile that this block does. `shared`: a shared word. */
DEVICE uint64_t kernel_take_tile(uint64_t *scratch, uint64_t *shared)
{
    if (threadIdx.x == 0)
        *shared = atomicAdd((word64 *)scratch, (word64)1);
    __syncthreads();
    return *shared;
}

/* Reads what a tile says, once it says something: past the first-level cache, because another block writes it. */
DEVICE word64 kernel_tile_word(const word64 *at)
{
    word64 found;
    do
        found = *(const volatile word64 *)at;
    while (!(found & ~SCAN_NUMBER));
    return found;
}

#define SCAN_LOOKS 4u /* times a warp of tiles that are looked at together */

/* The sum of all tiles before this one, which adds `total`. The first warp looks at SCAN_LOOKS times 32 of them at a
 * time, from the nearest on: sums come to tiles that begin together no faster than so many in the time of one look.
 * `shared`: a shared word. */
DEVICE uint64_t kernel_tile_base(uint64_t *scratch, uint64_t tile, uint64_t total, uint64_t *shared)
{
    if (kernel_warp() == 0) {
        word64 *chain = (word64 *)scratch + 1, found[SCAN_LOOKS], base = 0;
        unsigned end = (unsigned)tile; /* launches have fewer than 2^31 blocks */
        if (kernel_lane() == 0 && tile)
            atomicExch(&chain[tile], SCAN_FLAG_OWN | total);
        for (bool is_all = !tile; !is_all; end -= SCAN_LOOKS * CUDA_WARP) {
            for (unsigned k = 0; k < SCAN_LOOKS; k++) {
                unsigned before = k * CUDA_WARP + kernel_lane(); /* 0: the nearest */
                found[k] = SCAN_FLAG_ALL; /* before the first tile there is nothing */
                if (before < end)
                    found[k] = *(const volatile word64 *)&chain[end - 1 - before];
            }
            for (unsigned k = 0; k < SCAN_LOOKS; k++) {
                if (!(found[k] & ~SCAN_NUMBER))
                    found[k] = kernel_tile_word(&chain[end - 1 - k * CUDA_WARP - kernel_lane()]);
                unsigned all = __ballot_sync(ALL_LANES, (found[k] & SCAN_FLAG_ALL) != 0);
                bool counts = !is_all && (!all || kernel_lane() < (unsigned)__ffs((int)all));
                base += counts ? found[k] & SCAN_NUMBER : 0;
                is_all = is_all || all;
            }
        }
        base = kernel_warp_sum(base);
        if (kernel_lane() == 0) {
            atomicExch(&chain[tile], SCAN_FLAG_ALL | (base + total));
            *shared = base;
        }
    }
    __syncthreads();
    return *shared;
}

/* ---- rows numbered by marks ----
 * put(i, before, is_marked) of each row of the block's tile: `before` says how many rows in front of it
 * are marked. The lanes of a warp take rows side by side, so that what they write lies side by side, too.
 * The number of all marks goes to *out_total, unless NULL. Shapes tiles() and bit_tiles(); `shared`:
 * MARKS_SHARED_WORDS words. */
#define MARKS_SHARED_WORDS 10

/* Turn k of the warp's TURNS, from row `first` on, is the 32 rows of lane k's bits. All warps take all turns: where
 * some might leave, the compiler would have lanes wait for each other at each shuffle. */
template <unsigned TURNS, class PUT>
DEVICE void kernel_put_marks(const cuda_extra &extra, uint64_t count, uint64_t tile, uint64_t first,
                             unsigned bits, uint64_t *shared, uint64_t *out_total, PUT put)
{
    uint64_t total, left = first < count ? count - first : 0;
    unsigned before = (unsigned)kernel_block_scan((uint64_t)__popc(bits), shared, &total);
    uint64_t base = kernel_tile_base(extra.scratch, tile, total, &shared[9]);
    unsigned rows = left < TURNS * CUDA_WARP ? (unsigned)left : TURNS * CUDA_WARP;
    unsigned own_bit = 1u << kernel_lane(), lower_bits = own_bit - 1;
    KERNEL_UNROLLED_BY(4)
    for (unsigned turn = 0; turn < TURNS; turn++) {
        unsigned i = turn * CUDA_WARP + kernel_lane();
        unsigned word = __shfl_sync(ALL_LANES, bits, (int)turn);
        unsigned own = __shfl_sync(ALL_LANES, before, (int)turn) + (unsigned)__popc(word & lower_bits);
        if (i < rows)
            put(first + i, base + own, (word & own_bit) != 0);
    }
    if (out_total && threadIdx.x == 0 && tile + 1 == extra.blocks)
        *out_total = base + total;
}

/* The marks are what is_marked(i) says. */
template <class MARK, class PUT>
DEVICE void kernel_number_rows(const cuda_extra &extra, uint64_t count, uint64_t *shared,
                               uint64_t *out_total, MARK is_marked, PUT put)
{
    const unsigned turns = CUDA_TILE_ROWS / CUDA_BLOCK;
    uint64_t tile = kernel_take_tile(extra.scratch, &shared[8]);
    uint64_t first = tile * CUDA_TILE_ROWS + kernel_warp() * turns * CUDA_WARP;
    unsigned bits = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        uint64_t i = first + turn * CUDA_WARP + kernel_lane();
        unsigned word = __ballot_sync(ALL_LANES, i < count && is_marked(i));
        bits = kernel_lane() == turn ? word : bits;
    }
    kernel_put_marks<turns>(extra, count, tile, first, bits, shared, out_total, put);
}

/* The marks are bits that are there: word_of(w) has those of rows 32 * w on. */
template <class WORD, class PUT>
DEVICE void kernel_number_bits(const cuda_extra &extra, uint64_t count, uint64_t *shared,
                               uint64_t *out_total, WORD word_of, PUT put)
{
    uint64_t tile = kernel_take_tile(extra.scratch, &shared[8]);
    uint64_t word = tile * CUDA_BLOCK + threadIdx.x;
    unsigned bits = 0;
    if (word * 32 < count)
        bits = word_of(word) & (unsigned)kernel_word_mask(count - word * 32, 0);
    kernel_put_marks<CUDA_WARP>(extra, count, tile, (word - kernel_lane()) * 32, bits, shared,
                                out_total, put);
}

#endif
