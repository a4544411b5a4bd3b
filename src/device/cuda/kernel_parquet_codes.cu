/* kernel_parquet_codes.cu - dictionary codes of all pages of a column, by several blocks a page.
 *
 * A page's values are divided among the warps of its blocks. A block first finds the run in which each warp's values
 * begin:
 *
 *     runs          |  packed  | r |      packed      |  r  |        where a run begins, and with which value
 *     values        |......:......:......:......:......:....|
 *     warps            0      1      2      3      4      5          each goes from its run on to its last value
 *
 * Runs that are alike and follow each other, as writers make them of packed codes, are found at once: each thread looks
 * whether there is one of them where it would be. Others are followed as a chain (chain.cuh). */
#include "device/cuda/chain.cuh"
#include "device/cuda/parts.cuh"

#define CODES_UNIT 256u      /* values of a warp are a multiple of this */
#define CODES_TURN 4u        /* values of a lane that are loaded before one is written */
#define CODES_ALIKE_BYTES 1024u /* of runs that are alike: fewer are followed with those behind them */
#define CODES_NONE UINT64_MAX

/* An entry of a warp: the byte where its first run begins, and that run's first value. */
DEVICE uint64_t codes_entry(uint64_t value, uint32_t at)
{
    return value << 32 | at;
}

/* Warps that share the values of a page. */
DEVICE uint32_t codes_warps(const cuda_extra &extra)
{
    return (uint32_t)extra.step * (CUDA_BLOCK / CUDA_WARP);
}

/* Finds the runs of a page; false: there are none that can be read. */
DEVICE bool codes_open(const parquet_batch_codes_arguments &a, const parquet_page *p, code_runs *runs)
{
    uint64_t words[] = {p->valid_count, p->values_at};
    const uint8_t *at, *end;
    if (!page_values(PAGE_OF(a, p), p->unpacked_bytes, words, &at, &end) || at >= end || *at > 32 ||
        end - at >= CHAIN_BYTES_MAX)
        return false;
    *runs = {at + 1, (uint32_t)(end - at) - 1, *at, 0};
    return true;
}

typedef struct find_shared {
    chain_shared chain;
    uint32_t alike[CUDA_BLOCK / CUDA_WARP]; /* of each warp, a bit for each lane */
} find_shared;

/* The entries of warps, `size` values each. */
typedef struct codes_finder {
    uint64_t *entries, size, count; /* count: of the page's values */
} codes_finder;

/* Returns how many runs from `at` on are alike, one after another: at least one, and at most one for each thread. All
 * threads come. */
DEVICE uint32_t codes_alike(const code_runs &runs, uint32_t at, const hybrid_run &first, uint32_t bytes,
                            uint32_t *alike)
{
    uint64_t mine = at + (uint64_t)threadIdx.x * bytes;
    bool is_alike = threadIdx.x == 0;
    if (threadIdx.x && first.is_packed && mine < runs.end) {
        hybrid_run run;
        is_alike = runs.run((uint32_t)mine, &run) == mine + bytes && run.is_packed && run.count == first.count;
    }
    unsigned different = ~__ballot_sync(ALL_LANES, is_alike);
    __syncthreads();
    if (kernel_lane() == 0)
        alike[kernel_warp()] = different;
    __syncthreads();
    return chain_first(alike);
}

/* Sets the entries of warps whose first values are in `runs` runs of `values` values and `bytes` bytes each, the first
 * of which has value `done`: thread `thread` of so many. */
DEVICE void codes_enter(const codes_finder &f, uint64_t done, uint64_t values, uint32_t at, uint32_t bytes,
                        uint64_t end, uint32_t thread, uint32_t threads)
{
    end = end < f.count ? end : f.count;
    for (uint64_t i = (done + f.size - 1) / f.size + thread; i * f.size < end; i += threads) {
        uint64_t run = (i * f.size - done) / values;
        f.entries[i] = codes_entry(done + run * values, at + (uint32_t)run * bytes);
    }
}

/* Follows the runs of a window from `at` on, of which the first has value `done`, and returns where those behind it
 * begin. All threads come. */
DEVICE uint32_t codes_follow(const codes_finder &f, code_runs &runs, uint32_t at, uint64_t *done,
                             chain_shared *shared)
{
    chain_span s;
    uint64_t total;
    runs.learn(at);
    uint32_t behind = chain_window(runs, at, CODES_SPAN, shared, &s);
    uint64_t place = *done + kernel_block_scan(s.sum, shared->sums, &total);
    uint32_t from = s.entry;
    for (uint32_t k = 0; k < s.count && place < f.count; k++) {
        hybrid_run run;
        uint32_t next = runs.run(from, &run);
        codes_enter(f, place, run.count, from, 0, place + run.count, 0, 1);
        place += run.count;
        from = next;
    }
    *done += total;
    __syncthreads();
    return behind;
}

/* Finds all entries; false: the page has fewer values. All threads come. */
DEVICE bool codes_find(const codes_finder &f, code_runs &runs, find_shared *shared, uint64_t *out_done)
{
    uint64_t done = 0;
    for (uint32_t at = 0; done < f.count && at < runs.end;) {
        hybrid_run run;
        uint32_t behind = runs.run(at, &run);
        if (behind == CHAIN_CUT)
            break;
        uint32_t bytes = behind - at, alike = codes_alike(runs, at, run, bytes, shared->alike);
        uint64_t values = run.count * alike;
        if (done + values < f.count && (uint64_t)bytes * alike < CODES_ALIKE_BYTES) {
            at = codes_follow(f, runs, at, &done, &shared->chain);
            continue;
        }
        codes_enter(f, done, run.count, at, bytes, done + values, threadIdx.x, blockDim.x);
        done += values;
        at += bytes * alike;
    }
    *out_done = done;
    return done >= f.count;
}

KERNEL_STEP_TOGETHER(parquet_batch_codes_find, parquet_batch_codes)
{
    __shared__ find_shared shared;
    const parquet_page *p = &a.pages[blockIdx.x];
    if (p->kind != PARQUET_PAGE_CODES || !p->valid_count)
        return;
    uint32_t warps = codes_warps(extra);
    codes_finder f = {extra.scratch + (uint64_t)blockIdx.x * warps, part_size(p->valid_count, warps, CODES_UNIT),
                      p->valid_count};
    code_runs runs = {};
    uint64_t done = 0;
    if (codes_open(a, p, &runs) && codes_find(f, runs, &shared, &done))
        return;
    for (uint64_t i = (done + f.size - 1) / f.size + threadIdx.x; i < warps; i += blockDim.x)
        f.entries[i] = CODES_NONE;
    if (threadIdx.x == 0)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
}

/* The place where codes go, and what they are checked by. */
typedef struct codes_target {
    uint32_t *codes; /* of the page */
    uint32_t first;  /* is added to each */
    uint32_t last;   /* the largest code that there may be */
    bool is_wrong;
} codes_target;

DEVICE void put_code_checked(codes_target *out, uint32_t i, uint32_t code)
{
    bool is_wrong = code > out->last;
    out->is_wrong |= is_wrong;
    out->codes[i] = out->first + (is_wrong ? 0 : code);
}

/* Puts values [i, to) of a packed run, in steps of a warp's lanes, from value `place` of the page on. end: of the bytes
 * that may be read. 32 values are as many words as a value has bits, so that each of a lane's begins at the same bit of
 * its word. */
DEVICE void put_packed(codes_target *out, const hybrid_run &run, unsigned width, const uint8_t *end, uint32_t i,
                       uint32_t to, uint32_t place)
{
    uint64_t start = (uint64_t)(uintptr_t)run.packed * 8 + (uint64_t)i * width;
    const uint32_t *words = (const uint32_t *)(uintptr_t)(start / 32 * 4);
    const uint32_t *last = (const uint32_t *)(end - 8); /* where two words may be read */
    unsigned shift = start % 32;
    uint32_t mask = (uint32_t)(((uint64_t)1 << width) - 1);
    uint32_t step = CODES_TURN * CUDA_WARP;
    for (; i < to && to - i > step - CUDA_WARP && words + (CODES_TURN - 1) * width <= last; i += step, place += step) {
        uint64_t pairs[CODES_TURN];
        KERNEL_UNROLLED
        for (unsigned k = 0; k < CODES_TURN; k++)
            pairs[k] = words[k * width] | (uint64_t)words[k * width + 1] << 32;
        KERNEL_UNROLLED
        for (unsigned k = 0; k < CODES_TURN; k++)
            put_code_checked(out, place + k * CUDA_WARP, (uint32_t)(pairs[k] >> shift) & mask);
        words += CODES_TURN * width;
    }
    for (; i < to; i += CUDA_WARP, place += CUDA_WARP, words += width) {
        uint64_t pair = 0;
        if (words <= last)
            pair = (words[0] | (uint64_t)words[1] << 32) >> shift;
        else
            pair = unpack_bytes(run.packed, run.packed_bytes, (uint64_t)i * width, width);
        put_code_checked(out, place, (uint32_t)pair & mask);
    }
}

/* Values [from, to) of the page, by the lanes of a warp; the runs are read from the entry on. */
DEVICE void put_codes_from(codes_target *out, const code_runs &runs, uint64_t entry, uint32_t from, uint32_t to)
{
    uint32_t at = (uint32_t)entry, place = (uint32_t)(entry >> 32);
    while (place < to) {
        hybrid_run run;
        at = runs.run(at, &run);
        if (at == CHAIN_CUT)
            break;
        uint32_t low = place > from ? place : from;
        uint32_t high = run.count < to - place ? place + (uint32_t)run.count : to;
        if (run.is_packed && runs.width)
            put_packed(out, run, runs.width, runs.bytes + runs.end, low - place + kernel_lane(), high - place,
                       low + kernel_lane());
        else
            for (uint32_t i = low + kernel_lane(); i < high; i += CUDA_WARP)
                put_code_checked(out, i, run.is_packed ? 0 : run.value);
        place = high;
    }
    /* Damaged, and reported where that was found. */
    for (uint32_t i = (place > from ? place : from) + kernel_lane(); i < to; i += CUDA_WARP)
        out->codes[i] = out->first;
}

KERNEL_ALONE_WIDE(parquet_batch_codes)
{
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (p->kind != PARQUET_PAGE_CODES)
        return;
    page_part warp = {part.page, part.number * (CUDA_BLOCK / CUDA_WARP) + kernel_warp(), codes_warps(extra)};
    part_range range = part_items(p->valid_count, warp, CODES_UNIT);
    uint64_t rows = p->dictionary_rows, entry = CODES_NONE;
    codes_target out = {a.out + p->first_row, (uint32_t)p->dictionary_first,
                        rows > UINT32_MAX ? UINT32_MAX : (uint32_t)(rows - (rows > 0)), false};
    code_runs runs = {};
    if (range.from < range.to) {
        out.is_wrong = !rows;
        entry = extra.scratch[(uint64_t)part.page * warp.parts + warp.number];
    }
    if (entry == CODES_NONE || !codes_open(a, p, &runs)) {
        runs.end = 0;
        entry = 0;
    }
    put_codes_from(&out, runs, entry, (uint32_t)range.from, (uint32_t)range.to);
    if (out.is_wrong)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, p->values_at);
    part_zero(out.codes + p->valid_count, (uint64_t)(p->row_count - p->valid_count) * 4, part);
}
