/* snappy.cuh - inside the kernels that decompress: snappy, by a block of threads that looks through the stream, and warps
 * that write the bytes.
 *
 *     stream    bytes of the output, a varint | element | element ...
 *     element   tag | more of the length | bytes of a literal, or tag | offset of a copy
 *
 * Compressors begin anew each 65,536 bytes of the output: no element goes over a multiple of them, and no copy reaches
 * back over one. Where that is so each such part is one warp's, else one has all of it. The look through the stream finds
 * where parts begin, and all that may be damaged: who writes need not look again.
 *
 * (Google: snappy/format_description.txt) */
#ifndef PISTACHIO_DEVICE_CUDA_SNAPPY_CUH
#define PISTACHIO_DEVICE_CUDA_SNAPPY_CUH

#include "device/cuda/jump.cuh"
#include "device/cuda/lz.cuh"
#include "device/cuda/pages.cuh"

static_assert(JUMP_SPAN / 2 * CUDA_WARP <= LZ_ELEMENTS, "an element has two bytes or more");

#define SNAPPY_TILE_BYTES PARQUET_TILE_BYTES /* of the stream: a block's */
static_assert(SNAPPY_TILE_BYTES == CUDA_BLOCK * JUMP_SPAN, "a window");

template <unsigned THREADS> struct snappy_shared {
    jump_shared<THREADS> window;
    uint64_t sums[THREADS / CUDA_WARP];
};

/* The worst that was found counts. */
typedef enum snappy_verdict {
    SNAPPY_PARTS,
    SNAPPY_WHOLE, /* a copy goes over the beginning of a part */
    SNAPPY_DAMAGED
} snappy_verdict;

typedef struct snappy_element {
    bool is_literal;
    uint32_t head;  /* its bytes in the stream, without those of a literal: 0: it ends behind the stream */
    uint32_t bytes; /* of the output */
} snappy_element;

struct snappy_stream {
    const uint8_t *source;
    uint32_t end;

    static CHAIN_MEMBER uint32_t size(uint64_t first)
    {
        uint32_t tag = (uint32_t)first & 0xff, length = tag >> 2;
        if (tag & 3)
            return (tag & 3) == 3 ? 5 : 1 + (tag & 3);
        if (length < 60)
            return 2 + length;
        uint32_t more = length - 59;
        length = (uint32_t)(first >> 8) & 0xffffffffu >> (32 - 8 * more);
        return length < JUMP_SIZE_MAX - 8 ? 2 + more + length : JUMP_SIZE_MAX;
    }

    /* There is a byte. */
    CHAIN_MEMBER snappy_element element(uint32_t at) const
    {
        uint32_t tag = source[at], left = end - at - 1, more, length;
        snappy_element e = {!(tag & 3), 0, 0};
        if (!e.is_literal) {
            more = (tag & 3) == 3 ? 4 : tag & 3;
            e.head = more <= left ? 1 + more : 0;
            e.bytes = (tag & 3) == 1 ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
            return e;
        }
        length = tag >> 2;
        more = length < 60 ? 0 : length - 59;
        if (more > left)
            return e;
        if (more)
            length = (uint32_t)load_bytes(source + at + 1, more);
        if (length >= left - more)
            return e;
        e.head = 1 + more;
        e.bytes = length + 1;
        return e;
    }

    CHAIN_MEMBER uint32_t behind(uint32_t at, const snappy_element &e) const
    {
        return e.head ? at + e.head + (e.is_literal ? e.bytes : 0) : CHAIN_CUT;
    }

    CHAIN_MEMBER uint32_t next(uint32_t at, uint64_t *bytes) const
    {
        snappy_element e = element(at);
        *bytes = e.bytes;
        return behind(at, e);
    }

    /* Returns the offset of a copy. */
    CHAIN_MEMBER uint32_t offset(uint32_t at, const snappy_element &e) const
    {
        uint32_t number = (uint32_t)load_bytes(source + at + 1, e.head - 1);
        return e.head == 2 ? (uint32_t)(source[at] >> 5) << 8 | number : number;
    }
};

/* Finds where the elements begin. False: damaged, or not so many bytes; or more than a page may have. */
DEVICE bool snappy_begin(const uint8_t *source, uint32_t source_bytes, uint32_t bytes, uint32_t *out)
{
    const uint8_t *at = source;
    uint64_t expected;
    bool is_right = read_varint(&at, source + source_bytes, &expected) && expected == bytes;
    *out = (uint32_t)(at - source);
    return is_right && source_bytes < CHAIN_BYTES_MAX && bytes < CHAIN_BYTES_MAX;
}

/* The elements of the thread, of which the first makes byte `place` of the output. starts: where each part begins in the
 * stream, but the first; or NULL. */
DEVICE snappy_verdict snappy_check_span(const snappy_stream &stream, const chain_span &s, uint64_t place, uint32_t bytes,
                                        uint64_t *starts)
{
    snappy_verdict verdict = SNAPPY_PARTS;
    for (uint32_t at = s.entry; at < s.limit;) {
        snappy_element e = stream.element(at);
        uint32_t of_part = (uint32_t)place % PARQUET_PART_BYTES, offset;
        if (!e.head || e.bytes > bytes - place)
            return SNAPPY_DAMAGED;
        if (!e.is_literal) {
            offset = stream.offset(at, e);
            if (!offset || offset > place)
                return SNAPPY_DAMAGED;
            if (offset > of_part)
                verdict = SNAPPY_WHOLE;
        }
        if (of_part + (uint64_t)e.bytes > PARQUET_PART_BYTES)
            verdict = SNAPPY_WHOLE;
        if (starts && !of_part && place)
            starts[place / PARQUET_PART_BYTES] = at;
        place += e.bytes;
        at = stream.behind(at, e);
    }
    return verdict;
}

/* Looks through a stream: a block that is a warp. */
DEVICE snappy_verdict snappy_check(const uint8_t *source, uint32_t source_bytes, uint32_t bytes,
                                   snappy_shared<CUDA_WARP> *shared)
{
    snappy_stream stream = {source, source_bytes};
    snappy_verdict verdict = SNAPPY_PARTS;
    uint64_t done = 0, total;
    uint32_t at;
    if (!snappy_begin(source, source_bytes, bytes, &at))
        return SNAPPY_DAMAGED;
    while (at < source_bytes && done <= bytes) {
        chain_span s;
        at = jump_window(stream, at, &shared->window, &s);
        uint64_t place = done + kernel_block_scan(s.sum, shared->sums, &total);
        if (place <= bytes) {
            snappy_verdict mine = snappy_check_span(stream, s, place, bytes, NULL);
            verdict = mine > verdict ? mine : verdict;
        }
        done += total;
    }
    bool is_damaged = at != source_bytes || done != bytes || __ballot_sync(ALL_LANES, verdict == SNAPPY_DAMAGED);
    return is_damaged ? SNAPPY_DAMAGED : verdict;
}

/* Words in memory by which the tiles of a stream tell each other, and those who write it, what they found; all 0 at first. */
typedef struct snappy_words {
    uint64_t *starts;  /* of each part: where it begins in the stream */
    uint64_t *verdict; /* a snappy_verdict */
    uint64_t *exits;   /* of each tile: the first element that begins after it, with SCAN_FLAG_ALL */
    uint64_t *places;  /* of each tile, as of the tiles of a scan: bytes that it makes */
} snappy_words;

/* Finds where the first element of a tile begins, or CHAIN_CUT, once the tile before it says so, and tells the next tile
 * where its own one does, unless the exits do not say. One thread. */
DEVICE uint32_t snappy_enter_tile(const snappy_stream &stream, uint32_t bytes, uint32_t tile, snappy_words words,
                                  const snappy_shared<CUDA_BLOCK> *shared)
{
    uint32_t entry = CHAIN_CUT, exit;
    if (tile)
        entry = (uint32_t)(kernel_tile_word((word64 *)&words.exits[tile - 1]) & SCAN_NUMBER);
    else if (snappy_begin(stream.source, stream.end, bytes, &entry))
        words.starts[0] = entry;
    else
        entry = CHAIN_CUT;
    exit = jump_exit(&shared->window, tile * SNAPPY_TILE_BYTES, entry);
    if (exit != CHAIN_UNKNOWN)
        atomicExch((word64 *)&words.exits[tile], SCAN_FLAG_ALL | exit);
    return entry;
}

/* Looks through a tile of a stream: a block. Tiles before it must have begun. */
DEVICE void snappy_check_tile(const uint8_t *source, uint32_t source_bytes, uint32_t bytes, uint32_t tile,
                              snappy_words words, snappy_shared<CUDA_BLOCK> *shared)
{
    __shared__ uint64_t word;
    snappy_stream stream = {source, source_bytes};
    snappy_verdict verdict = SNAPPY_PARTS;
    uint32_t from = tile * SNAPPY_TILE_BYTES;
    chain_span s;
    uint64_t total;
    jump_prepare(stream, from, &shared->window);
    if (threadIdx.x == 0)
        word = snappy_enter_tile(stream, bytes, tile, words, shared);
    __syncthreads();
    uint32_t next = jump_enter(stream, from, (uint32_t)word, &shared->window, &s);
    if (threadIdx.x == 0)
        atomicExch((word64 *)&words.exits[tile], SCAN_FLAG_ALL | next);
    uint64_t before = kernel_block_scan(s.sum, shared->sums, &total);
    uint64_t base = kernel_tile_base(words.places - 1, tile, total, &word);
    if (s.entry < s.limit)
        verdict = base + before <= bytes ? snappy_check_span(stream, s, base + before, bytes, words.starts)
                                         : SNAPPY_DAMAGED;
    if (source_bytes - from <= SNAPPY_TILE_BYTES && (next != source_bytes || base + total != bytes))
        verdict = SNAPPY_DAMAGED;
    if (verdict != SNAPPY_PARTS)
        atomicMax((word64 *)words.verdict, (word64)verdict);
}

/* A block that is a warp: what bytes [at, end) of a stream make, from byte `place` of the output on. They are not
 * damaged. */
DEVICE void snappy_write(const uint8_t *source, uint32_t at, uint32_t end, uint8_t *target, uint32_t place,
                         snappy_shared<CUDA_WARP> *shared, lz_list *list)
{
    snappy_stream stream = {source, end};
    while (at < end) {
        chain_span s;
        at = jump_window(stream, at, &shared->window, &s);
        /* Bytes below, elements above. */
        uint64_t total, before = kernel_block_scan(s.sum | (uint64_t)s.count << 40, shared->sums, &total);
        uint32_t number = (uint32_t)(before >> 40), its_place = place + (uint32_t)before;
        for (uint32_t from = s.entry; from < s.limit; number++) {
            snappy_element e = stream.element(from);
            list->places[number] = its_place;
            list->sources[number] = e.is_literal ? LZ_LITERAL | (from + e.head) : stream.offset(from, e);
            its_place += e.bytes;
            from = stream.behind(from, e);
        }
        __syncwarp();
        lz_write(list, (uint32_t)(total >> 40), source, target, place, place + (uint32_t)total);
        place += (uint32_t)total;
    }
}

/* A block that is a warp. False: damaged, or not so many bytes. */
DEVICE bool snappy_decode(const uint8_t *source, uint32_t source_bytes, uint8_t *target, uint32_t bytes,
                          snappy_shared<CUDA_WARP> *shared, lz_list *list)
{
    uint32_t at;
    if (snappy_check(source, source_bytes, bytes, shared) == SNAPPY_DAMAGED)
        return false;
    snappy_begin(source, source_bytes, bytes, &at);
    snappy_write(source, at, source_bytes, target, 0, shared, list);
    return true;
}

#endif
