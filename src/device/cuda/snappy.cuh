/* snappy.cuh - inside the kernels that decompress: snappy, a warp a page. All lanes read the tags, and copy bytes
 * together.
 *
 * (Google: snappy/format_description.txt) */
#ifndef PISTACHIO_DEVICE_CUDA_SNAPPY_CUH
#define PISTACHIO_DEVICE_CUDA_SNAPPY_CUH

#include "device/cuda/pages.cuh"
#include "device/cuda/lz.cuh"

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

/* False: damaged, or not so many bytes. */
DEVICE bool snappy_decode(const uint8_t *source, uint64_t source_bytes, uint8_t *target, uint64_t bytes)
{
    const uint8_t *at = source, *end = source + source_bytes;
    lz_output o = {target, bytes, 0, 0};
    uint64_t expected;
    if (!read_varint(&at, end, &expected) || expected != bytes)
        return false;
    while (at < end) {
        snappy_element e;
        if (!next_element(&at, end, &e) || e.bytes > bytes - o.done)
            return false;
        if (e.is_literal ? e.bytes > (uint64_t)(end - at) : !e.offset || e.offset > o.done)
            return false;
        if (e.is_literal) {
            lz_literal(&o, at, e.bytes);
            at += e.bytes;
        } else {
            lz_copy(&o, e.offset, e.bytes);
        }
    }
    return o.done == bytes;
}

#endif
