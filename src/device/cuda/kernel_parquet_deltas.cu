/* kernel_parquet_deltas.cu - DELTA_BINARY_PACKED integers of all pages of a column, by several blocks a page.
 *
 * Where a header is follows from the one before it. So a thread goes from header to header, over bytes that its block
 * brings to shared memory, and notes for each 128 values where their header is: in the place of the first of them, which
 * has no value yet. Then a warp takes 128 values, twice: parts add up their differences, and once it is known what the
 * parts before have together, values are put. */
#include "device/cuda/parts.cuh"

#define DELTA_CHUNK 128u /* values of a warp */
#define DELTA_LANE_VALUES (DELTA_CHUNK / CUDA_WARP)
#define DELTA_WARPS (CUDA_BLOCK / CUDA_WARP)
#define DELTA_WINDOW 16384u       /* bytes in shared memory */
#define DELTA_MINIBLOCKS 32u      /* at most, one a lane */
#define DELTA_BLOCK_VALUES 65536u /* at most */
#define DELTA_HEADER_BYTES (10u + DELTA_MINIBLOCKS)

/* The values of a page, from the header of all on. */
typedef struct page_deltas {
    const uint8_t *page, *at, *end; /* at: after the header */
    uint64_t first;                        /* value */
    uint32_t block_values, miniblocks, values; /* values: of a miniblock */
    uint32_t count, chunks;
    bool is_for_one_block; /* blocks are of a kind that no known writer makes */
} page_deltas;

/* False: damaged. A page without values may have no header either. */
DEVICE bool deltas_open(const parquet_batch_delta_arguments &a, const parquet_page *p, page_deltas *d)
{
    uint64_t words[] = {p->valid_count, a.is_second ? p->second_at : p->values_at};
    d->page = PAGE_OF(a, p);
    d->count = p->valid_count;
    d->chunks = d->count > 1 ? (d->count - 2) / DELTA_CHUNK + 1 : 0;
    d->is_for_one_block = false;
    delta_header h;
    if (!page_values(d->page, p->unpacked_bytes, words, &d->at, &d->end))
        return false;
    if (!d->count && d->at == d->end)
        return true;
    if (!read_delta_header(&d->at, d->end, &h) || h.count != d->count)
        return false;
    d->first = (uint64_t)h.first;
    d->block_values = (uint32_t)h.block_values;
    d->miniblocks = (uint32_t)h.miniblocks;
    d->values = d->block_values / d->miniblocks;
    d->is_for_one_block = d->miniblocks > DELTA_MINIBLOCKS || d->block_values > DELTA_BLOCK_VALUES ||
                          d->block_values % DELTA_CHUNK != 0;
    return true;
}

typedef struct delta_window {
    uint64_t words[DELTA_WINDOW / 8];
    uint32_t at, done; /* the next header, and the values before it */
    bool is_wrong;
} delta_window;

/* Goes from header to header while they are in the window: so many bytes of the page, from byte `first` on. One thread. */
DEVICE void deltas_hop(const page_deltas &d, uint8_t width, void *out, delta_window *w, uint32_t first, uint32_t bytes)
{
    uint32_t page_end = (uint32_t)(d.end - d.page);
    const uint8_t *window = (const uint8_t *)w->words, *end = window + bytes;
    uint32_t here = w->at, done = w->done;
    bool is_last = first + bytes == page_end, is_wrong = false;
    while (done < d.count && !is_wrong && here - first <= bytes) {
        const uint8_t *at = window + (here - first);
        int64_t least;
        if (!is_last && end - at < (int64_t)DELTA_HEADER_BYTES)
            break;
        is_wrong = !read_zigzag(&at, end, &least) || (uint64_t)(end - at) < d.miniblocks;
        for (uint32_t i = done; i < done + d.block_values && i < d.count; i += DELTA_CHUNK)
            store_delta(width, out, i, here);
        here = first + (uint32_t)(at - window) + d.miniblocks;
        for (uint32_t m = 0; m < d.miniblocks && done < d.count && !is_wrong; m++) {
            uint32_t left = page_end - here, more = d.count - done < d.values ? d.count - done : d.values;
            uint32_t wanted = d.values / 8 * at[m];
            /* The last miniblock's padding may be missing. */
            is_wrong = at[m] > 64 || (more * at[m] + 7) / 8 > left;
            here += wanted < left ? wanted : left;
            done += more;
        }
    }
    w->at = here;
    w->done = done;
    w->is_wrong = is_wrong;
}

/* Notes where the header of each chunk is. False: damaged. All threads come. */
DEVICE bool deltas_find(const page_deltas &d, uint8_t width, void *out, delta_window *w)
{
    uint32_t page_end = (uint32_t)(d.end - d.page);
    if (threadIdx.x == 0) {
        w->at = (uint32_t)(d.at - d.page);
        w->done = 1;
        w->is_wrong = false;
    }
    __syncthreads();
    while (w->done < d.count && !w->is_wrong) {
        uint32_t first = w->at, bytes = page_end - first < DELTA_WINDOW ? page_end - first : DELTA_WINDOW;
        for (uint32_t i = threadIdx.x * 8; i < bytes; i += CUDA_BLOCK * 8)
            w->words[i / 8] = unpack(d.page + first, bytes, (uint64_t)i * 8, bytes - i < 8 ? (bytes - i) * 8 : 64);
        __syncthreads();
        if (threadIdx.x == 0)
            deltas_hop(d, width, out, w, first, bytes);
        __syncthreads();
    }
    return !w->is_wrong;
}

/* By page, after the sums of parts: whether parts have nothing to do with its values. */
enum { DELTAS_FOUND, DELTAS_DONE, DELTAS_WRONG };
DEVICE uint64_t *deltas_state(const parquet_batch_delta_arguments &a, const cuda_extra &extra, uint32_t page)
{
    return extra.scratch + a.page_count * extra.step + page;
}

DEVICE uint8_t *deltas_out(const parquet_batch_delta_arguments &a, const parquet_page *p)
{
    return (uint8_t *)a.out + p->first_row * a.width;
}

/* Decodes a page whose blocks only this block can take. All threads come. */
DEVICE void deltas_by_block(const parquet_batch_delta_arguments &a, const parquet_page *p, uint64_t *out_end)
{
    uint64_t words[] = {p->valid_count, a.is_second ? p->second_at : p->values_at};
    parquet_delta_arguments one = {};
    one.page = PAGE_OF(a, p);
    one.page_bytes = p->unpacked_bytes;
    one.words = words;
    one.width = a.width;
    one.out = deltas_out(a, p);
    one.out_end = out_end;
    one.error = a.error;
    one.location = p->location;
    parquet_delta_page(one);
}

/* A block a page: where headers are. */
KERNEL_STEP_TOGETHER_WIDEST(parquet_batch_delta_find, parquet_batch_delta)
{
    __shared__ delta_window window;
    parquet_page *p = &a.pages[blockIdx.x];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint64_t *out_end = a.is_second || p->kind != PARQUET_PAGE_PREFIXES ? &p->tail_at : &p->second_at;
    uint64_t *state = deltas_state(a, extra, blockIdx.x), end = 0;
    page_deltas d;
    bool is_right = deltas_open(a, p, &d);
    if (is_right && d.is_for_one_block) {
        deltas_by_block(a, p, out_end);
        if (threadIdx.x == 0)
            *state = DELTAS_DONE;
        return;
    }
    end = is_right ? (uint64_t)(d.at - d.page) : 0;
    if (is_right && d.chunks) {
        is_right = deltas_find(d, a.width, deltas_out(a, p), &window);
        end = window.at;
    }
    if (threadIdx.x)
        return;
    *state = is_right ? DELTAS_FOUND : DELTAS_WRONG;
    *out_end = is_right ? end : p->unpacked_bytes;
    if (!is_right)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, p->location, a.is_second ? p->second_at : p->values_at);
}

/* The differences of the lane's values of a chunk, 0 after the last. All lanes come. */
DEVICE void chunk_deltas(const page_deltas &d, uint8_t width, const void *out, uint32_t chunk, uint64_t *deltas)
{
    uint32_t first = 1 + chunk * DELTA_CHUNK;
    uint32_t header = width == 4 ? ((const uint32_t *)out)[first] : (uint32_t)((const uint64_t *)out)[first];
    const uint8_t *at = d.page + header;
    int64_t least = 0;
    __syncwarp(); /* the place gets its value */
    read_zigzag(&at, d.end, &least);
    unsigned bits = kernel_lane() < d.miniblocks ? at[kernel_lane()] : 0, before = bits * (d.values / 8);
    for (unsigned step = 1; step < CUDA_WARP; step *= 2) {
        unsigned other = __shfl_up_sync(ALL_LANES, before, step);
        before += kernel_lane() >= step ? other : 0;
    }
    before -= bits * (d.values / 8);
    uint32_t i = chunk * DELTA_CHUNK % d.block_values + kernel_lane() * DELTA_LANE_VALUES;
    bits = __shfl_sync(ALL_LANES, bits, (int)(i / d.values));
    before = __shfl_sync(ALL_LANES, before, (int)(i / d.values));
    const uint8_t *packed = at + d.miniblocks + before;
    uint64_t left = packed < d.end ? (uint64_t)(d.end - packed) : 0;
    i %= d.values;
    first += kernel_lane() * DELTA_LANE_VALUES;
    KERNEL_UNROLLED
    for (uint32_t k = 0; k < DELTA_LANE_VALUES; k++)
        deltas[k] = first + k < d.count ? (uint64_t)least + unpack(packed, left, (i + k) * bits, bits) : 0;
}

DEVICE uint64_t deltas_sum(const uint64_t *deltas)
{
    uint64_t sum = 0;
    KERNEL_UNROLLED
    for (uint32_t k = 0; k < DELTA_LANE_VALUES; k++)
        sum += deltas[k];
    return sum;
}

KERNEL_STEP_TOGETHER_WIDER(parquet_batch_delta_sum, parquet_batch_delta)
{
    __shared__ uint64_t sums[DELTA_WARPS];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    page_deltas d;
    if (!IS_ONE_OF(p, a.kinds) || *deltas_state(a, extra, part.page) != DELTAS_FOUND || !deltas_open(a, p, &d))
        return;
    part_range range = part_items(d.chunks, part, DELTA_WARPS);
    uint64_t deltas[DELTA_LANE_VALUES], sum = 0, total;
    for (uint64_t chunk = range.from + kernel_warp(); chunk < range.to; chunk += DELTA_WARPS) {
        chunk_deltas(d, a.width, deltas_out(a, p), (uint32_t)chunk, deltas);
        sum += deltas_sum(deltas);
    }
    kernel_block_scan(sum, sums, &total);
    if (threadIdx.x == 0)
        extra.scratch[blockIdx.x] = total;
}

/* Puts the values of a part's chunks, the first after `last`. All threads come. */
DEVICE void deltas_put(const page_deltas &d, uint8_t width, void *out, const part_range &range, uint64_t last,
                       uint64_t *sums)
{
    for (uint64_t base = range.from; base < range.to; base += DELTA_WARPS) {
        uint64_t chunk = base + kernel_warp(), deltas[DELTA_LANE_VALUES] = {}, total;
        if (chunk < range.to)
            chunk_deltas(d, width, out, (uint32_t)chunk, deltas);
        uint64_t number = last + kernel_block_scan(deltas_sum(deltas), sums, &total);
        uint64_t i = 1 + chunk * DELTA_CHUNK + kernel_lane() * DELTA_LANE_VALUES;
        KERNEL_UNROLLED
        for (uint32_t k = 0; k < DELTA_LANE_VALUES; k++) {
            number += deltas[k];
            if (i + k < d.count)
                store_delta(width, out, i + k, number);
        }
        last += total;
        __syncthreads();
    }
}

KERNEL_TOGETHER_WIDER(parquet_batch_delta)
{
    __shared__ uint64_t sums[DELTA_WARPS];
    page_part part = part_of_block(extra);
    const parquet_page *p = &a.pages[part.page];
    if (!IS_ONE_OF(p, a.kinds))
        return;
    uint64_t state = *deltas_state(a, extra, part.page), count = state == DELTAS_WRONG ? 0 : p->valid_count;
    uint8_t *out = deltas_out(a, p);
    page_deltas d;
    if (state == DELTAS_FOUND && count && deltas_open(a, p, &d)) {
        uint64_t last = d.first, before = sum_of_parts(extra, part, sums);
        if (part.number == 0 && threadIdx.x == 0)
            store_delta(a.width, out, 0, last);
        deltas_put(d, a.width, out, part_items(d.chunks, part, DELTA_WARPS), last + before, sums);
    }
    part_zero(out + count * a.width, (p->row_count - count) * a.width, part);
}
