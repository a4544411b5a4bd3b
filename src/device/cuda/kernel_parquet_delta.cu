/* kernel_parquet_delta.cu - DELTA_BINARY_PACKED integers, and byte arrays of known lengths. */
#include "device/cuda/pages.cuh"

DEVICE void store_delta(uint8_t width, void *out, uint64_t i, uint64_t number)
{
    if (width == 4)
        ((uint32_t *)out)[i] = (uint32_t)number;
    else
        ((uint64_t *)out)[i] = number;
}

/* A miniblock's sums, a block of threads at a time; gives the last. */
DEVICE uint64_t add_miniblock(const uint8_t *packed, uint64_t bytes, unsigned width, uint64_t count,
                              uint64_t least, uint64_t last, uint8_t out_width, void *out,
                              uint64_t done, uint64_t *sums)
{
    for (uint64_t first = 0; first < count; first += blockDim.x) {
        uint64_t i = first + threadIdx.x, delta = 0, total;
        if (i < count)
            delta = least + unpack(packed, bytes, i * width, width);
        uint64_t before = kernel_block_scan(delta, sums, &total);
        if (i < count)
            store_delta(out_width, out, done + i, last + before + delta);
        last += total;
        __syncthreads();
    }
    return last;
}

/* Decodes exactly `count` values; *at moves behind them. False: damaged. */
DEVICE bool read_deltas(const uint8_t **at, const uint8_t *end, uint64_t count, uint8_t width,
                        void *out, uint64_t *sums)
{
    delta_header h;
    if (!read_delta_header(at, end, &h) || h.count != count)
        return false;
    if (!count)
        return true;
    uint64_t done = 1, last = (uint64_t)h.first, per_miniblock = h.block_values / h.miniblocks;
    if (threadIdx.x == 0)
        store_delta(width, out, 0, last);
    while (done < count) {
        int64_t least;
        if (!read_zigzag(at, end, &least) || (uint64_t)(end - *at) < h.miniblocks)
            return false;
        const uint8_t *widths = *at;
        *at += h.miniblocks;
        for (uint64_t m = 0; m < h.miniblocks && done < count; m++) {
            uint64_t bytes = per_miniblock / 8 * widths[m], left = (uint64_t)(end - *at);
            uint64_t more = count - done < per_miniblock ? count - done : per_miniblock;
            /* The last miniblock's padding may be missing. */
            if (widths[m] > 64 || (more * widths[m] + 7) / 8 > left)
                return false;
            last = add_miniblock(*at, left, widths[m], more, (uint64_t)least, last, width, out, done,
                                 sums);
            done += more;
            *at += bytes < left ? bytes : left;
        }
    }
    return true;
}

DEVICE void parquet_delta_page(const parquet_delta_arguments &a)
{
    __shared__ uint64_t sums[8];
    uint64_t count = a.words[0];
    const uint8_t *at, *end;
    /* A page without values may have no header either. */
    bool is_right = page_values(a.page, a.page_bytes, a.words, &at, &end) &&
                    ((!count && at == end) || read_deltas(&at, end, count, a.width, a.out, sums));
    __syncthreads();
    if (!is_right) {
        block_zero(a.out, count * a.width);
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, a.words[1]);
    }
    if (a.out_end && threadIdx.x == 0)
        *a.out_end = is_right ? (uint64_t)(at - a.page) : a.page_bytes;
}

KERNEL_TOGETHER(parquet_delta)
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

/* A value begins with bytes of the one before, so they come in order; the bytes of each are copied
 * by the warp together. */
DEVICE void parquet_prefix_copy_page(const parquet_prefix_copy_arguments &a)
{
    uint64_t count = a.words[0];
    const uint8_t *suffix = a.page + *a.start, *before = a.out;
    uint8_t *out = a.out;
    bool is_empty = !*a.bytes;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t prefix = is_empty ? 0 : (uint32_t)a.prefixes[i];
        uint32_t more = is_empty ? 0 : (uint32_t)a.lengths[i];
        __syncwarp(); /* all have the length, and the value before is written */
        for (uint32_t k = threadIdx.x; k < prefix + more; k += blockDim.x)
            out[k] = k < prefix ? before[k] : suffix[k - prefix];
        if (threadIdx.x == 0)
            a.lengths[i] = (int32_t)(prefix + more);
        before = out;
        out += prefix + more;
        suffix += more;
    }
}

KERNEL_TOGETHER(parquet_prefix_copy)
{
    parquet_prefix_copy_page(a);
}
