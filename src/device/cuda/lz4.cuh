/* lz4.cuh - inside the kernels that decompress: LZ4, a warp a page. Lanes follow sequences, each through bytes of its own,
 * and write the bytes together.
 *
 *     block    sequence | sequence ...
 *     sequence token | more of the literals' length | literals | offset | more of the copy's length
 *     Hadoop's frames    plain bytes | packed bytes | block | plain bytes ...
 *
 * What is damaged the library on the host says (codec/codec.c), and so do these. Both refuse blocks that do not end
 * as the format wants it: a block's last five bytes are literals, and a copy begins twelve bytes before its end or
 * earlier. These refuse a copy of bytes at a distance of 0 as well, of which the library makes anything.
 * (Y. Collet: lz4/doc/lz4_Block_format.md) */
#ifndef PISTACHIO_DEVICE_CUDA_LZ4_CUH
#define PISTACHIO_DEVICE_CUDA_LZ4_CUH

#include "device/cuda/chain.cuh"
#include "device/cuda/lz.cuh"
#include "device/cuda/pages.cuh"

#define LZ4_LENGTH_GOES_ON 15
#define LZ4_COPY_BYTES_MIN 4
#define LZ4_END_LITERALS 5
#define LZ4_END_BYTES 12 /* in which no copy begins */
#define LZ4_FRAME_HEADER_BYTES 8

#define LZ4_SPAN 12u /* bytes of the block that a lane looks at; a sequence has three or more, and two elements: */
static_assert(LZ4_SPAN / 3 * 2 * CUDA_WARP <= LZ_ELEMENTS, "the list has room for a window's");
/* Elements are counted above the bytes that they make. */
#define LZ4_ELEMENT ((uint64_t)1 << 40)

typedef struct lz4_sequence {
    uint32_t literals_at, literals;
    uint32_t copied, offset; /* copied 0: the block ends behind the literals */
} lz4_sequence;

struct lz4_stream {
    const uint8_t *source;
    uint32_t end;
    static constexpr bool merges = true;

    CHAIN_MEMBER uint32_t guess(uint32_t begin, uint32_t) const
    {
        return begin;
    }

    /* A length goes on with bytes up to and with the first that is not 255, and is the sum of all. */
    CHAIN_MEMBER bool add_length(uint32_t *at, uint32_t *length) const
    {
        unsigned byte = 255;
        if (*length != LZ4_LENGTH_GOES_ON)
            return true;
        while (byte == 255) {
            if (*at == end || *length >= CHAIN_BYTES_MAX)
                return false;
            byte = source[(*at)++];
            *length += byte;
        }
        return true;
    }

    /* The sequence, behind which `at` moves. False: it does not end in the block, or makes more than a page may have. */
    CHAIN_MEMBER bool sequence(uint32_t *at, lz4_sequence *out) const
    {
        unsigned token = source[(*at)++];
        *out = {0, token >> 4, 0, 0};
        if (!add_length(at, &out->literals) || out->literals > end - *at)
            return false;
        out->literals_at = *at;
        *at += out->literals;
        if (*at == end)
            return true;
        if (end - *at < 2)
            return false;
        out->offset = (uint32_t)load_bytes(source + *at, 2);
        *at += 2;
        out->copied = token & 15;
        if (!add_length(at, &out->copied))
            return false;
        out->copied += LZ4_COPY_BYTES_MIN;
        return true;
    }

    CHAIN_MEMBER uint32_t next(uint32_t at, uint64_t *sum) const
    {
        lz4_sequence q;
        if (!sequence(&at, &q))
            return CHAIN_CUT;
        *sum = (q.literals ? LZ4_ELEMENT : 0) + (q.copied ? LZ4_ELEMENT : 0) + q.literals + q.copied;
        return at;
    }
};

/* The sequence makes bytes from `place` on of so many: as the format wants it. */
DEVICE bool lz4_is_right(const lz4_sequence &q, uint64_t place, uint64_t bytes, bool is_last)
{
    if (place > bytes || q.literals > bytes - place)
        return false;
    place += q.literals;
    if (!q.copied)
        return place == bytes;
    uint64_t left = bytes - place;
    return !is_last && left >= LZ4_END_BYTES && q.offset && q.offset <= place && q.copied <= left - LZ4_END_LITERALS;
}

/* False: damaged, or not so many bytes; what is written then may be anything. */
DEVICE bool lz4_block(const uint8_t *source, uint64_t source_bytes, uint8_t *target, uint64_t bytes,
                      chain_shared *shared, lz_list *list)
{
    if (!source_bytes || source_bytes >= CHAIN_BYTES_MAX || bytes >= CHAIN_BYTES_MAX)
        return false;
    lz4_stream stream = {source, (uint32_t)source_bytes};
    uint32_t at = 0, place = 0;
    while (at < stream.end) {
        chain_span s;
        at = chain_window(stream, at, LZ4_SPAN, shared, &s);
        uint64_t total, before = kernel_block_scan(s.sum, shared->sums, &total);
        uint64_t its_place = place + before % LZ4_ELEMENT;
        uint32_t number = (uint32_t)(before / LZ4_ELEMENT), from = s.entry;
        bool is_right = true;
        for (uint32_t k = 0; k < s.count && is_right; k++) {
            lz4_sequence q;
            stream.sequence(&from, &q);
            is_right = lz4_is_right(q, its_place, bytes, from == stream.end);
            if (q.literals) {
                list->places[number] = (uint32_t)its_place;
                list->sources[number++] = LZ_LITERAL | q.literals_at;
            }
            its_place += q.literals;
            if (q.copied) {
                list->places[number] = (uint32_t)its_place;
                list->sources[number++] = q.offset;
            }
            its_place += q.copied;
        }
        __syncwarp();
        if (__ballot_sync(ALL_LANES, !is_right))
            return false;
        uint32_t end = place + (uint32_t)(total % LZ4_ELEMENT);
        lz_write(list, (uint32_t)(total / LZ4_ELEMENT), source, target, place, end);
        place = end;
    }
    return at == stream.end && place == bytes;
}

DEVICE uint64_t lz4_big_endian_32(const uint8_t *at)
{
    return (uint64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* One block; or frames with one each. */
DEVICE bool lz4_blocks(bool is_framed, const uint8_t *source, uint64_t source_bytes, uint8_t *target, uint64_t bytes,
                       chain_shared *shared, lz_list *list)
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
            !lz4_block(at, packed, target + done, plain, shared, list))
            return false;
        at += packed;
        done += plain;
    } while (at < end);
    return done == bytes;
}

/* Decodes a page. If frames may be there, a block without a frame is taken, too: some writers put it there. False:
 * damaged, or not so many bytes. */
DEVICE bool lz4_decode(bool may_be_framed, const uint8_t *source, uint64_t source_bytes, uint8_t *target,
                       uint64_t bytes, chain_shared *shared, lz_list *list)
{
    for (bool is_framed = may_be_framed;; is_framed = false) {
        if (lz4_blocks(is_framed, source, source_bytes, target, bytes, shared, list))
            return true;
        if (!is_framed)
            return false;
        __syncwarp(); /* another lane may have written the same bytes */
    }
}

#endif
