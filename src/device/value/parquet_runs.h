/* parquet_runs.h - how pages write numbers: LEB128, runs of the RLE / bit-packing hybrid, the header of
 * DELTA_BINARY_PACKED. Bytes are hostile. Kernels of every device: C, C++ and CUDA. */
#ifndef PISTACHIO_DEVICE_VALUE_PARQUET_RUNS_H
#define PISTACHIO_DEVICE_VALUE_PARQUET_RUNS_H

#include "base/type/portable.h"

/* Unsigned LEB128 of up to 64 bits; false: it breaks off or is longer. */
PORTABLE bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *out = number;
            return shift < 63 || byte <= 1;
        }
    }
    return false;
}

/* The hybrid: runs with a varint header; lowest bit 0: header >> 1 copies of one value, 1:
 * (header >> 1) * 8 values of bit_width bits, packed from the least significant bit. */
typedef struct hybrid {
    const uint8_t *at, *end;
    unsigned bit_width; /* at most 32 */
} hybrid;

typedef struct hybrid_run {
    bool is_packed;
    uint64_t count;
    uint32_t value;        /* repeated */
    const uint8_t *packed; /* bit-packed */
    uint64_t packed_bytes;
} hybrid_run;

/* False: no run, or a damaged one. */
PORTABLE bool next_run(hybrid *h, hybrid_run *run)
{
    uint64_t header, bytes;
    if (!read_varint(&h->at, h->end, &header) || header > (uint64_t)UINT32_MAX * 2 + 1)
        return false;
    uint64_t left = (uint64_t)(h->end - h->at);
    run->is_packed = header & 1;
    if (run->is_packed) {
        bytes = (header >> 1) * h->bit_width;
        run->count = (header >> 1) * 8;
        /* Some writers leave out the padding of the last run. */
        if (bytes > left) {
            bytes = left;
            run->count = left * 8 / h->bit_width;
        }
        run->packed = h->at;
        run->packed_bytes = bytes;
    } else {
        bytes = (h->bit_width + 7) / 8;
        if (bytes > left)
            return false;
        run->count = header >> 1;
        run->value = 0;
        for (unsigned i = 0; i < bytes; i++)
            run->value |= (uint32_t)h->at[i] << (8 * i);
    }
    h->at += bytes;
    return run->count > 0;
}

/* ---- DELTA_BINARY_PACKED ---- */

typedef struct delta_header {
    uint64_t block_values, miniblocks, count;
    int64_t first;
} delta_header;

PORTABLE bool read_zigzag(const uint8_t **at, const uint8_t *end, int64_t *out)
{
    uint64_t number;
    if (!read_varint(at, end, &number))
        return false;
    *out = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
    return true;
}

PORTABLE bool read_delta_header(const uint8_t **at, const uint8_t *end, delta_header *h)
{
    return read_varint(at, end, &h->block_values) && read_varint(at, end, &h->miniblocks) &&
           read_varint(at, end, &h->count) && read_zigzag(at, end, &h->first) &&
           h->block_values <= (1u << 30) && h->miniblocks && h->miniblocks <= 1 << 16 &&
           h->block_values % h->miniblocks == 0 && h->block_values / h->miniblocks % 8 == 0 &&
           h->block_values;
}

#endif
