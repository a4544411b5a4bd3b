/* kernel_parquet_delta.cu - DELTA_BINARY_PACKED integers, and byte arrays of known lengths. */
#include "device/cuda/pages.cuh"

DEVICE void store_delta(uint8_t width, void *out, uint64_t i, uint64_t number)
{
    if (width == 4)
        ((uint32_t *)out)[i] = (uint32_t)number;
    else
        ((uint64_t *)out)[i] = number;
}

/* Numbers of so many miniblocks are added up at a time, by threads with a few that follow each other. */
#define DELTA_THREAD_VALUES 4u
#define DELTA_TILE (DELTA_THREAD_VALUES * CUDA_BLOCK)

typedef struct delta_miniblock {
    uint64_t least;
    const uint8_t *packed;
    uint32_t bytes, width; /* bytes: of the page, from there on */
} delta_miniblock;

typedef struct delta_shared {
    uint64_t sums[CUDA_BLOCK / 32];
    delta_miniblock list[DELTA_TILE / 8]; /* a miniblock has eight values or more */
} delta_shared;

/* The sums of `count` deltas, which lie in miniblocks of `per_miniblock` values; gives the last. */
DEVICE uint64_t add_deltas(const delta_shared *shared, uint32_t count, uint32_t per_miniblock,
                           uint64_t last, uint8_t width, void *out, uint64_t done, uint64_t *sums)
{
    uint64_t deltas[DELTA_THREAD_VALUES], sum = 0, total;
    uint32_t first = threadIdx.x * DELTA_THREAD_VALUES;
    for (uint32_t k = 0; k < DELTA_THREAD_VALUES; k++) {
        deltas[k] = 0;
        if (first + k < count) {
            const delta_miniblock *m = &shared->list[(first + k) / per_miniblock];
            uint64_t bit = (uint64_t)((first + k) % per_miniblock) * m->width;
            deltas[k] = m->least + unpack(m->packed, m->bytes, bit, m->width);
        }
        sum += deltas[k];
    }
    uint64_t number = last + kernel_block_scan(sum, sums, &total);
    for (uint32_t k = 0; k < DELTA_THREAD_VALUES && first + k < count; k++) {
        number += deltas[k];
        store_delta(width, out, done + first + k, number);
    }
    return last + total;
}

/* Adds a miniblock that may have any number of values, a block of threads at a time. */
DEVICE uint64_t add_miniblock(const delta_miniblock *m, uint64_t count, uint64_t last, uint8_t width,
                              void *out, uint64_t done, uint64_t *sums)
{
    for (uint64_t first = 0; first < count; first += blockDim.x) {
        uint64_t i = first + threadIdx.x, delta = 0, total;
        if (i < count)
            delta = m->least + unpack(m->packed, m->bytes, i * m->width, m->width);
        uint64_t before = kernel_block_scan(delta, sums, &total);
        if (i < count)
            store_delta(width, out, done + i, last + before + delta);
        last += total;
        __syncthreads();
    }
    return last;
}

/* Decodes exactly `count` values; *at moves behind them. False: damaged. Threads read all headers; what they are about
 * to read is asked for before, by all of them at once. */
DEVICE bool read_deltas(const uint8_t **at, const uint8_t *end, uint64_t count, uint8_t width,
                        void *out, delta_shared *shared)
{
    delta_header h;
    if (!read_delta_header(at, end, &h) || h.count != count)
        return false;
    if (!count)
        return true;
    uint64_t done = 1, last = (uint64_t)h.first, per_miniblock = h.block_values / h.miniblocks;
    uint32_t waiting = 0, listed = 0; /* values and miniblocks of the list */
    bool is_large = h.block_values > DELTA_TILE;
    if (threadIdx.x == 0)
        store_delta(width, out, 0, last);
    while (done + waiting < count) {
        int64_t least;
        if (!waiting && !is_large && threadIdx.x * PREFETCH_BYTES < (uint64_t)(end - *at))
            kernel_prefetch(*at + threadIdx.x * PREFETCH_BYTES);
        if (!read_zigzag(at, end, &least) || (uint64_t)(end - *at) < h.miniblocks)
            return false;
        const uint8_t *widths = *at;
        *at += h.miniblocks;
        for (uint64_t m = 0; m < h.miniblocks && done + waiting < count; m++) {
            uint64_t bytes = per_miniblock / 8 * widths[m], left = (uint64_t)(end - *at);
            uint64_t wanted = count - done - waiting;
            uint64_t more = wanted < per_miniblock ? wanted : per_miniblock;
            delta_miniblock miniblock = {(uint64_t)least, *at, (uint32_t)left, widths[m]};
            /* The last miniblock's padding may be missing. */
            if (widths[m] > 64 || (more * widths[m] + 7) / 8 > left)
                return false;
            *at += bytes < left ? bytes : left;
            if (is_large) {
                last = add_miniblock(&miniblock, more, last, width, out, done, shared->sums);
                done += more;
            } else {
                if (threadIdx.x == 0)
                    shared->list[listed] = miniblock;
                listed++;
                waiting += (uint32_t)more;
            }
        }
        if (is_large || (done + waiting < count && waiting + h.block_values <= DELTA_TILE))
            continue;
        __syncthreads();
        last = add_deltas(shared, waiting, (uint32_t)per_miniblock, last, width, out, done, shared->sums);
        __syncthreads();
        done += waiting;
        waiting = listed = 0;
    }
    return true;
}

DEVICE void parquet_delta_page(const parquet_delta_arguments &a)
{
    __shared__ delta_shared shared;
    uint64_t count = a.words[0];
    const uint8_t *at, *end;
    /* A page without values may have no header either. */
    bool is_right = page_values(a.page, a.page_bytes, a.words, &at, &end) &&
                    ((!count && at == end) || read_deltas(&at, end, count, a.width, a.out, &shared));
    __syncthreads();
    if (!is_right) {
        block_zero(a.out, count * a.width);
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
    if (a.out_end && threadIdx.x == 0)
        *a.out_end = is_right ? (uint64_t)(at - a.page) : a.page_bytes;
}

KERNEL_STEP_TOGETHER_WIDEST(parquet_delta, parquet_delta)
{
    parquet_delta_page(a);
}

/* Each value's place is the sum of the lengths before it. */
DEVICE void parquet_strings_page(const parquet_strings_arguments &a)
{
    __shared__ uint64_t sums[8];
    __shared__ uint32_t flag;
    uint64_t count = a.words[0], bytes = a.source_bytes ? *a.source_bytes : a.page_bytes;
    uint64_t next = a.start ? *a.start : 0;
    byte_sink sink = {a.conversion, a.type.width, a.out};
    bool is_wrong = next > bytes;
    for (uint64_t first = 0; first < count; first += blockDim.x) {
        uint64_t i = first + threadIdx.x, total;
        int64_t length = i < count ? a.lengths[i] : 0;
        is_wrong |= length < 0;
        length = length < 0 ? 0 : length;
        uint64_t at = next + kernel_block_scan((uint64_t)length, sums, &total);
        if (i < count && !is_wrong)
            is_wrong = at > bytes || (uint64_t)length > bytes - at ||
                       (a.type_length && (uint64_t)length != a.type_length) ||
                       !byte_sink_store(&sink, i, a.source + at, (uint32_t)length);
        next += total;
        __syncthreads();
    }
    if (block_any(is_wrong, &flag)) {
        block_zero(a.out, count * a.type.width);
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, next);
    }
}

KERNEL_TOGETHER(parquet_strings)
{
    parquet_strings_page(a);
}

DEVICE void parquet_prefix_bytes_page(const parquet_prefix_bytes_arguments &a)
{
    __shared__ uint64_t sums[8];
    __shared__ uint32_t flag;
    uint64_t count = a.words[0], total = 0, suffixes = 0;
    bool is_wrong = *a.start > a.page_bytes;
    for (uint64_t i = threadIdx.x; i < count; i += blockDim.x) {
        int64_t prefix = a.prefixes[i], suffix = a.suffixes[i];
        int64_t before = i ? (int64_t)a.prefixes[i - 1] + a.suffixes[i - 1] : 0;
        if (prefix < 0 || suffix < 0 || prefix > before || prefix + suffix > INT32_MAX) {
            is_wrong = true;
            continue;
        }
        total += (uint64_t)(prefix + suffix);
        suffixes += (uint64_t)suffix;
    }
    kernel_block_scan(suffixes, sums, &suffixes);
    __syncthreads();
    kernel_block_scan(total, sums, &total);
    is_wrong = is_wrong || suffixes > a.page_bytes - *a.start;
    is_wrong = block_any(is_wrong, &flag);
    if (threadIdx.x == 0) {
        if (is_wrong)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
        *a.out_bytes = is_wrong ? 0 : total;
    }
}

KERNEL_TOGETHER(parquet_prefix_bytes)
{
    parquet_prefix_bytes_page(a);
}

/* A value begins with bytes of the one before. Of a block's values each byte is looked for where it is new: behind the
 * prefix of the last value before that has a shorter one, or in the value before all of them, which is written. */
#define PREFIX_LONG 96u /* bytes of a value that a warp copies, not a thread */

typedef struct prefix_shared {
    uint64_t sums[CUDA_BLOCK / 32];
    uint32_t prefixes[CUDA_BLOCK];
    uint64_t suffixes[CUDA_BLOCK], places[CUDA_BLOCK]; /* in the page; in the output */
} prefix_shared;

/* Value `number` of the block, which has so many bytes: those from `lane` on, each `step` bytes apart. */
DEVICE void put_prefixed(const prefix_shared *shared, const uint8_t *page, const uint8_t *before, uint8_t *out,
                         unsigned number, uint32_t bytes, unsigned lane, unsigned step)
{
    uint32_t end = bytes;
    out += shared->places[number];
    for (unsigned i = number + 1; i && end; i--) {
        uint32_t prefix = shared->prefixes[i - 1];
        for (uint32_t k = prefix + lane; k < end; k += step)
            out[k] = page[shared->suffixes[i - 1] + (k - prefix)];
        end = prefix < end ? prefix : end;
    }
    for (uint32_t k = lane; k < end; k += step)
        out[k] = before[k];
}

DEVICE void parquet_prefix_copy_page(const parquet_prefix_copy_arguments &a)
{
    __shared__ prefix_shared shared;
    uint64_t count = a.words[0], suffix = *a.start, place = 0, total;
    const uint8_t *before = a.out;
    bool is_empty = !*a.bytes;
    for (uint64_t first = 0; first < count; first += blockDim.x) {
        uint64_t i = first + threadIdx.x;
        bool is_one = i < count && !is_empty;
        uint32_t prefix = is_one ? (uint32_t)a.prefixes[i] : 0, more = is_one ? (uint32_t)a.lengths[i] : 0;
        uint32_t bytes = prefix + more;
        shared.prefixes[threadIdx.x] = prefix;
        shared.suffixes[threadIdx.x] = suffix + kernel_block_scan(more, shared.sums, &total);
        suffix += total;
        __syncthreads();
        shared.places[threadIdx.x] = place + kernel_block_scan(bytes, shared.sums, &total);
        place += total;
        __syncthreads();
        if (bytes <= PREFIX_LONG)
            put_prefixed(&shared, a.page, before, a.out, threadIdx.x, bytes, 0, 1);
        unsigned lanes = __ballot_sync(ALL_LANES, bytes > PREFIX_LONG);
        for (; lanes; lanes &= lanes - 1) {
            unsigned lane = (unsigned)__ffs((int)lanes) - 1;
            put_prefixed(&shared, a.page, before, a.out, threadIdx.x - kernel_lane() + lane,
                         __shfl_sync(ALL_LANES, bytes, (int)lane), kernel_lane(), CUDA_WARP);
        }
        if (i < count)
            a.lengths[i] = (int32_t)bytes;
        before = a.out + shared.places[CUDA_BLOCK - 1];
        __syncthreads();
    }
}

KERNEL_TOGETHER_WIDE(parquet_prefix_copy)
{
    parquet_prefix_copy_page(a);
}
