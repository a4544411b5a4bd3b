/* encode_hybrid.c - the RLE and bit-packing hybrid of levels and dictionary codes.
 *
 * Equal values are stored as count and value where that saves enough; the values between such runs
 * are packed in groups of 8, so that a run gives up its first values to fill the group in front of
 * it. */
#include "parquet/write/encode_hybrid.h"

#include "base/type/type.h"

#define GROUP 8
/* Bytes that a run must save: going from packed values to a run and back costs a reader as long as
 * reading some bytes more, and narrow values are smaller packed than in short runs. */
#define RUN_SAVES 16

unsigned pq_code_width(uint64_t count)
{
    return count <= 2 ? 1 : 64 - (unsigned)__builtin_clzll(count - 1);
}

/* Whether `count` equal values, which groups would hold, are to be a run; counted are its header
 * and value, and the header of the packed values behind it. */
static bool run_pays(uint64_t count, unsigned width)
{
    unsigned header = 1;
    for (uint64_t rest = count >> 6; rest; rest >>= 7)
        header++;
    return count * width / 8 >= header + (width + 7) / 8 + 1 + RUN_SAVES;
}

static void encode_hybrid_add_run(uint64_t count, uint32_t value, unsigned width, pq_buffer *out)
{
    pq_buffer_add_varint(out, count << 1);
    pq_buffer_add(out, &value, (width + 7) / 8);
}

/* The last group is filled with zeros. */
static void add_packed(const uint32_t *codes, uint64_t count, unsigned width, pq_buffer *out)
{
    uint64_t groups = (count + GROUP - 1) / GROUP;
    if (!groups)
        return;
    pq_buffer_add_varint(out, groups << 1 | 1);
    uint8_t *target = pq_buffer_room(out, groups * width + 8);
    if (!target)
        return;
    uint64_t word = 0;
    unsigned used = 0; /* bits of the word; below 32 before each value */
    for (uint64_t i = 0; i < groups * GROUP; i++) {
        word |= (i < count ? (uint64_t)codes[i] : 0) << used;
        used += width;
        if (used >= 32) {
            memcpy(target, &word, 4);
            target += 4;
            word >>= 32;
            used -= 32;
        }
    }
    memcpy(target, &word, 4); /* whole bytes: a group has 8 * width bits */
    out->count += groups * width;
}

void pq_encode_hybrid(const uint32_t *codes, uint64_t count, unsigned width, pq_buffer *out)
{
    uint64_t packed = 0, at = 0; /* values [packed, at) wait to be packed */
    while (at < count) {
        uint32_t value = codes[at];
        uint64_t end = at + 1;
        while (end < count && codes[end] == value)
            end++;
        uint64_t fill = (GROUP - (at - packed) % GROUP) % GROUP;
        if (end - at < fill || !run_pays(end - at - fill, width)) {
            at = end;
            continue;
        }
        add_packed(codes + packed, at + fill - packed, width, out);
        encode_hybrid_add_run(end - at - fill, value, width, out);
        packed = at = end;
    }
    add_packed(codes + packed, count - packed, width, out);
}

/* 64 bits from `first` on; those beyond `end` are zero. */
static uint64_t bits_at(const uint64_t *bits, uint64_t first, uint64_t end)
{
    uint64_t word = bits[first / 64] >> first % 64;
    if (first % 64 && (first / 64 + 1) * 64 < end)
        word |= bits[first / 64 + 1] << (64 - first % 64);
    return end - first < 64 ? word & (((uint64_t)1 << (end - first)) - 1) : word;
}

/* Returns where the run of equal bits that begins at `at` ends. */
static uint64_t run_end(const uint64_t *bits, uint64_t at, uint64_t end)
{
    uint64_t flip = bits[at / 64] >> at % 64 & 1 ? ~(uint64_t)0 : 0;
    while (at < end) {
        uint64_t differing = bits_at(bits, at, end) ^ flip;
        unsigned same = differing ? (unsigned)__builtin_ctzll(differing) : 64;
        if (same >= end - at)
            return end;
        at += same;
        if (same < 64)
            return at;
    }
    return end;
}

static void add_packed_bits(const uint64_t *bits, uint64_t first, uint64_t count, pq_buffer *out)
{
    uint64_t groups = (count + GROUP - 1) / GROUP;
    if (!groups)
        return;
    pq_buffer_add_varint(out, groups << 1 | 1);
    uint8_t *target = pq_buffer_room(out, groups);
    if (!target)
        return;
    for (uint64_t g = 0; g < groups; g++)
        target[g] = (uint8_t)bits_at(bits, first + g * GROUP, first + count);
    out->count += groups;
}

void pq_encode_hybrid_bits(const uint64_t *bits, uint64_t first, uint64_t count, pq_buffer *out)
{
    uint64_t packed = first, at = first, end = first + count;
    while (at < end) {
        uint64_t next = run_end(bits, at, end);
        uint64_t fill = (GROUP - (at - packed) % GROUP) % GROUP;
        if (next - at >= fill && run_pays(next - at - fill, 1)) {
            add_packed_bits(bits, packed, at + fill - packed, out);
            encode_hybrid_add_run(next - at - fill, bits[at / 64] >> at % 64 & 1, 1, out);
            packed = next;
        }
        at = next;
    }
    add_packed_bits(bits, packed, end - packed, out);
}
