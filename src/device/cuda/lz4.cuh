/* lz4.cuh - inside the kernels that decompress: LZ4, a warp a page. All lanes read the tokens, and copy bytes together.
 *
 *     block    token | more of the literals' length | literals | offset | more of the copy's length | token ...
 *     Hadoop's frames    plain bytes | packed bytes | block | plain bytes ...
 *
 * What is damaged the library on the host says (codec/codec.c), and so do these. Both refuse blocks that do not end
 * as the format wants it: a block's last five bytes are literals, and a copy begins twelve bytes before its end or
 * earlier. These refuse a copy of bytes at a distance of 0 as well, of which the library makes anything.
 * (Y. Collet: lz4/doc/lz4_Block_format.md) */
#ifndef PISTACHIO_DEVICE_CUDA_LZ4_CUH
#define PISTACHIO_DEVICE_CUDA_LZ4_CUH

#include "device/cuda/pages.cuh"
#include "device/cuda/lz.cuh"

#define LZ4_LENGTH_GOES_ON 15
#define LZ4_COPY_BYTES_MIN 4
#define LZ4_END_LITERALS 5
#define LZ4_END_BYTES 12 /* in which no copy begins */
#define LZ4_FRAME_HEADER_BYTES 8

/* A length goes on with bytes up to and with the first that is not 255, and is the sum of all: each lane looks at one.
 * False: the bytes end before. */
DEVICE bool lz4_add_length(const uint8_t **at, const uint8_t *end, uint64_t *length)
{
    for (;;) {
        uint64_t left = (uint64_t)(end - *at);
        unsigned byte = threadIdx.x < left ? (*at)[threadIdx.x] : 0;
        unsigned others = __ballot_sync(ALL_LANES, byte != 255);
        unsigned count = others ? (unsigned)__ffs((int)others) - 1 : CUDA_WARP;
        if (count >= left)
            return false;
        *length += 255 * (uint64_t)count;
        *at += count;
        if (others) {
            *length += *(*at)++;
            return true;
        }
    }
}

/* A copy, whose offset is at *at. False: damaged. */
DEVICE bool lz4_copy(lz_output *o, const uint8_t **at, const uint8_t *end, uint64_t length)
{
    uint64_t left = o->bytes - o->done;
    if (end - *at < 2 || left < LZ4_END_BYTES)
        return false;
    uint64_t offset = load_bytes(*at, 2);
    *at += 2;
    if (length == LZ4_LENGTH_GOES_ON && !lz4_add_length(at, end, &length))
        return false;
    length += LZ4_COPY_BYTES_MIN;
    if (!offset || offset > o->done || length > left - LZ4_END_LITERALS)
        return false;
    lz_copy(o, offset, length);
    return true;
}

/* False: damaged, or not so many bytes. */
DEVICE bool lz4_block(const uint8_t *at, const uint8_t *end, uint8_t *target, uint64_t bytes)
{
    lz_output o = {target, bytes, 0, 0};
    while (at < end) {
        unsigned token = *at++;
        uint64_t literals = token >> 4;
        if (literals == LZ4_LENGTH_GOES_ON && !lz4_add_length(&at, end, &literals))
            return false;
        if (literals > (uint64_t)(end - at) || literals > bytes - o.done)
            return false;
        lz_literal(&o, at, literals);
        at += literals;
        if (at == end)
            return o.done == bytes;
        if (!lz4_copy(&o, &at, end, token & 15))
            return false;
    }
    return false;
}

DEVICE uint64_t lz4_big_endian_32(const uint8_t *at)
{
    return (uint64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* One block; or frames with one each. */
DEVICE bool lz4_blocks(bool is_framed, const uint8_t *source, uint64_t source_bytes, uint8_t *target, uint64_t bytes)
{
    const uint8_t *at = source, *end = source + source_bytes;
    uint64_t done = 0;
    do {
        uint64_t plain = bytes, packed = source_bytes;
        if (is_framed) {
            if (end - at < LZ4_FRAME_HEADER_BYTES)
                return false;
            plain = lz4_big_endian_32(at);
            packed = lz4_big_endian_32(at + 4);
            at += LZ4_FRAME_HEADER_BYTES;
        }
        if (packed > (uint64_t)(end - at) || plain > bytes - done ||
            !lz4_block(at, at + packed, target + done, plain))
            return false;
        at += packed;
        done += plain;
    } while (at < end);
    return done == bytes;
}

/* Where frames may be, a block without one is taken, too: some writers put it there. False: damaged, or not so many
 * bytes. */
DEVICE bool lz4_decode(bool may_be_framed, const uint8_t *source, uint64_t source_bytes, uint8_t *target,
                       uint64_t bytes)
{
    for (bool is_framed = may_be_framed;; is_framed = false) {
        if (lz4_blocks(is_framed, source, source_bytes, target, bytes))
            return true;
        if (!is_framed)
            return false;
        __syncwarp(); /* another lane may have written the same bytes */
    }
}

#endif
