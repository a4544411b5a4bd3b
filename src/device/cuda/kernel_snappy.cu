/* kernel_snappy.cu - snappy, a warp a page: all lanes read the tags, and copy bytes together.
 *
 * (Google: snappy/format_description.txt) */
#include "device/cuda/pages.cuh"

typedef struct snappy_element {
    bool is_literal;
    uint64_t bytes, offset;
} snappy_element;

/* The element at *at, which moves behind its tag; of a literal its bytes follow. False: damaged. */
DEVICE bool next_element(const uint8_t **at, const uint8_t *end, snappy_element *out)
{
    if (*at >= end)
        return false;
    uint8_t tag = *(*at)++;
    uint64_t left = (uint64_t)(end - *at);
    unsigned more = tag & 3 ? (tag & 3) == 3 ? 4 : tag & 3 : tag >> 2 < 60 ? 0 : (tag >> 2) - 59;
    if (more > left)
        return false;
    uint64_t number = load_bytes(*at, more);
    *at += more;
    out->is_literal = !(tag & 3);
    out->offset = number;
    if (out->is_literal)
        out->bytes = (more ? number : tag >> 2) + 1;
    else if ((tag & 3) == 1) {
        out->bytes = (tag >> 2 & 7) + 4;
        out->offset = (uint64_t)(tag >> 5) << 8 | number;
    } else {
        out->bytes = (tag >> 2) + 1;
    }
    return true;
}

DEVICE void parquet_decompress_page(const parquet_decompress_arguments &a)
{
    const uint8_t *at = a.source, *end = a.source + a.source_bytes;
    uint64_t done = 0, seen = 0, expected; /* bytes before `seen` all lanes see */
    bool is_right = read_varint(&at, end, &expected) && expected == a.target_bytes;
    while (is_right && at < end) {
        snappy_element e;
        is_right = next_element(&at, end, &e) && e.bytes <= a.target_bytes - done &&
                   (e.is_literal ? e.bytes <= (uint64_t)(end - at) : e.offset && e.offset <= done);
        if (!is_right)
            break;
        const uint8_t *from = e.is_literal ? at : a.target + done - e.offset;
        uint64_t period = e.is_literal ? e.bytes : e.offset;
        uint64_t read_end = done - (e.is_literal ? done : e.offset) +
                            (e.bytes < period ? e.bytes : period);
        if (!e.is_literal && read_end > seen) {
            __syncwarp();
            seen = done;
        }
        bool repeats = period < e.bytes; /* what is copied is short then: a division of 32 bits will do */
        for (uint64_t i = threadIdx.x; i < e.bytes; i += CUDA_WARP)
            a.target[done + i] = from[repeats ? (uint32_t)i % (uint32_t)period : i];
        at += e.is_literal ? e.bytes : 0;
        done += e.bytes;
    }
    if (!is_right || done != a.target_bytes) {
        __syncwarp();
        for (uint64_t i = threadIdx.x; i < a.target_bytes; i += CUDA_WARP)
            a.target[i] = 0;
        if (threadIdx.x == 0)
            kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, 0);
    }
}

KERNEL_TOGETHER(parquet_decompress)
{
    parquet_decompress_page(a);
}
