/* lz.cuh - inside the kernels that decompress: a warp makes bytes out of new ones and of those that are there already.
 *
 * A lane has every 32nd byte of a tile of the output. Those that are copies of bytes of the tile take them from the lane
 * that has them, when it has them.
 * (J. Ziv, A. Lempel: A Universal Algorithm for Sequential Data Compression, 1977) */
#ifndef PISTACHIO_DEVICE_CUDA_LZ_CUH
#define PISTACHIO_DEVICE_CUDA_LZ_CUH

#include "device/cuda/kernel.cuh"

#define LZ_ELEMENTS 256
#define LZ_LITERAL 0x80000000u
#define LZ_TILE (2 * CUDA_WARP)
/* Bytes left of a literal from which it is long. */
#define LZ_LONG 192
#define LZ_LONG_ROUNDS 2

typedef struct lz_list {
    uint32_t places[LZ_ELEMENTS];  /* where in the output each begins, ascending */
    uint32_t sources[LZ_ELEMENTS]; /* LZ_LITERAL and where it lies in the stream; or how far back it is copied from */
} lz_list;

/* Copies a long literal, by words where they lie at the target's addresses; words of the stream that reach before the
 * literal are read, but none that reach after it. */
DEVICE void lz_write_long(const uint8_t *from, uint8_t *to, uint32_t count)
{
    uint32_t head = (uint32_t)(0 - (uint64_t)to) % 8;
    unsigned shift = (unsigned)((uint64_t)(from + head) % 8) * 8;
    const uint64_t *words = (const uint64_t *)(from + head - shift / 8);
    uint64_t *out = (uint64_t *)(to + head);
    uint32_t whole = (count - head) / 8 - 1, at = kernel_lane();
    if (at < head)
        to[at] = from[at];
    for (; at < whole; at += LZ_LONG_ROUNDS * CUDA_WARP) {
        uint64_t low[LZ_LONG_ROUNDS], high[LZ_LONG_ROUNDS];
        KERNEL_UNROLLED
        for (unsigned i = 0; i < LZ_LONG_ROUNDS; i++) {
            uint32_t word = at + i * CUDA_WARP < whole ? at + i * CUDA_WARP : at;
            low[i] = words[word];
            high[i] = words[word + 1];
        }
        KERNEL_UNROLLED
        for (unsigned i = 0; i < LZ_LONG_ROUNDS; i++)
            if (at + i * CUDA_WARP < whole)
                out[at + i * CUDA_WARP] = shift ? low[i] >> shift | high[i] << (64 - shift) : low[i];
    }
    for (at = head + whole * 8 + kernel_lane(); at < count; at += CUDA_WARP)
        to[at] = from[at];
}

/* A lane's byte: where it comes from. */
typedef struct lz_byte {
    uint32_t from; /* a place of the output; or of the stream, with LZ_LITERAL */
    unsigned value;
} lz_byte;

/* started: a bit for each byte of the round at which an element begins; *elements: of the list, those before it. Of no
 * place in the tile the byte is read. */
DEVICE lz_byte lz_find(const lz_list *list, uint32_t *elements, unsigned started, const uint8_t *source,
                       const uint8_t *target, uint32_t tile, uint32_t place, uint32_t end)
{
    lz_byte byte = {LZ_LITERAL, 0};
    uint32_t element = *elements + (uint32_t)__popc((int)(started & ((2u << kernel_lane()) - 1))) - 1;
    *elements += (uint32_t)__popc((int)started);
    if (place >= end)
        return byte;
    uint32_t from = list->sources[element];
    byte.from = from & LZ_LITERAL ? from + (place - list->places[element]) : place - from;
    const uint8_t *at = byte.from & LZ_LITERAL ? source + (byte.from & ~LZ_LITERAL) : target + byte.from;
    if (byte.from & LZ_LITERAL || byte.from < tile)
        byte.value = *at;
    return byte;
}

/* Values of those bytes whose source is in the round too, which begins at `round`. */
DEVICE unsigned lz_resolve(lz_byte byte, uint32_t round)
{
    bool is_here = !(byte.from & LZ_LITERAL) && byte.from >= round;
    if (!__ballot_sync(ALL_LANES, is_here))
        return byte.value;
    unsigned lane = is_here ? byte.from - round : kernel_lane(), further;
    do {
        further = lane;
        lane = __shfl_sync(ALL_LANES, lane, (int)further);
    } while (__ballot_sync(ALL_LANES, lane != further));
    return __shfl_sync(ALL_LANES, byte.value, (int)lane);
}

/* The list's elements make bytes [place, end) of the output. */
DEVICE void lz_write(const lz_list *list, uint32_t count, const uint8_t *source, uint8_t *target, uint32_t place,
                     uint32_t end)
{
    uint32_t begun = 0; /* elements that begin before `place` */
    while (place < end) {
        uint32_t next = begun < count ? list->places[begun] : end;
        if (begun && next - place >= LZ_LONG && list->sources[begun - 1] & LZ_LITERAL) {
            uint32_t from = (list->sources[begun - 1] & ~LZ_LITERAL) + (place - list->places[begun - 1]);
            lz_write_long(source + from, target + place, next - place);
            place = next;
            __syncwarp();
            continue;
        }
        unsigned started[2] = {0, 0};
        for (unsigned i = begun + kernel_lane(), k = 0; k < 2; i += CUDA_WARP, k++) {
            uint32_t behind = i < count ? list->places[i] - place : LZ_TILE;
            if (behind < CUDA_WARP)
                started[0] |= 1u << behind;
            else if (behind < LZ_TILE)
                started[1] |= 1u << (behind - CUDA_WARP);
        }
        started[0] = __reduce_or_sync(ALL_LANES, started[0]);
        started[1] = __reduce_or_sync(ALL_LANES, started[1]);
        uint32_t mine = place + kernel_lane(), second = place + CUDA_WARP;
        lz_byte low = lz_find(list, &begun, started[0], source, target, place, mine, end);
        lz_byte high = lz_find(list, &begun, started[1], source, target, place, mine + CUDA_WARP, end);
        low.value = lz_resolve(low, place);
        bool is_of_low = !(high.from & LZ_LITERAL) && high.from >= place && high.from < second;
        unsigned other = __shfl_sync(ALL_LANES, low.value, (int)((high.from - place) % CUDA_WARP));
        high.value = is_of_low ? other : high.value;
        high.value = lz_resolve(high, second);
        if (mine < end)
            target[mine] = (uint8_t)low.value;
        if (mine + CUDA_WARP < end)
            target[mine + CUDA_WARP] = (uint8_t)high.value;
        place += LZ_TILE;
        __syncwarp();
    }
}

#endif
