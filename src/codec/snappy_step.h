/* snappy_step.h - what both ways of decompressing snappy share: a step from one tag to the next. */
#ifndef PISTACHIO_CODEC_SNAPPY_STEP_H
#define PISTACHIO_CODEC_SNAPPY_STEP_H

#include "codec/snappy.h"

#include <stdbool.h>
#include <string.h>

/* Input and output that a fast loop may touch beyond a tag: it stops that far from both ends. */
#define SNAPPY_INPUT_MARGIN 80
#define SNAPPY_OUTPUT_MARGIN 96

/* By kind of tag, the bits of the offset that lie behind the tag; by tag, a copy's length and, from
 * bit 8 on, the bits of the offset that lie in the tag. */
static const uint32_t snappy_masks[4] = {0, 0xff, 0xffff, 0};
static const uint32_t snappy_copies[256] = {
    0, 4,      1,  0, 0, 5,      2,  0, 0, 6,      3,  0, 0, 7,      4,  0, 0, 8,      5,  0,
    0, 9,      6,  0, 0, 10,     7,  0, 0, 11,     8,  0, 0, 65540,  9,  0, 0, 65541,  10, 0,
    0, 65542,  11, 0, 0, 65543,  12, 0, 0, 65544,  13, 0, 0, 65545,  14, 0, 0, 65546,  15, 0,
    0, 65547,  16, 0, 0, 131076, 17, 0, 0, 131077, 18, 0, 0, 131078, 19, 0, 0, 131079, 20, 0,
    0, 131080, 21, 0, 0, 131081, 22, 0, 0, 131082, 23, 0, 0, 131083, 24, 0, 0, 196612, 25, 0,
    0, 196613, 26, 0, 0, 196614, 27, 0, 0, 196615, 28, 0, 0, 196616, 29, 0, 0, 196617, 30, 0,
    0, 196618, 31, 0, 0, 196619, 32, 0, 0, 262148, 33, 0, 0, 262149, 34, 0, 0, 262150, 35, 0,
    0, 262151, 36, 0, 0, 262152, 37, 0, 0, 262153, 38, 0, 0, 262154, 39, 0, 0, 262155, 40, 0,
    0, 327684, 41, 0, 0, 327685, 42, 0, 0, 327686, 43, 0, 0, 327687, 44, 0, 0, 327688, 45, 0,
    0, 327689, 46, 0, 0, 327690, 47, 0, 0, 327691, 48, 0, 0, 393220, 49, 0, 0, 393221, 50, 0,
    0, 393222, 51, 0, 0, 393223, 52, 0, 0, 393224, 53, 0, 0, 393225, 54, 0, 0, 393226, 55, 0,
    0, 393227, 56, 0, 0, 458756, 57, 0, 0, 458757, 58, 0, 0, 458758, 59, 0, 0, 458759, 60, 0,
    0, 458760, 61, 0, 0, 458761, 62, 0, 0, 458762, 63, 0, 0, 458763, 64, 0};

static inline uint64_t snappy_load8(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static inline void snappy_copy16(uint8_t *to, const uint8_t *from)
{
    uint8_t block[16];
    memcpy(block, from, 16);
    memcpy(to, block, 16);
}

/* A copy of 1 to 64 bytes from `offset` behind; may write up to 64 bytes whatever the length. */
static inline void snappy_copy_back(uint8_t *out, size_t offset, size_t length)
{
    const uint8_t *from = out - offset;
    if (__builtin_expect(offset >= 16, 1)) {
        snappy_copy16(out, from);
        for (size_t i = 16; i < length; i += 16)
            snappy_copy16(out + i, from + i);
        return;
    }
    if (offset == 8) { /* a number that repeats: no loop whose end has to be guessed */
        uint64_t twice[2] = {snappy_load8(from), snappy_load8(from)};
        for (size_t i = 0; i < 64; i += 16)
            memcpy(out + i, twice, 16);
        return;
    }
    /* The pattern grows until it is long enough to be copied in words. */
    size_t done = 0, period = offset;
    while (period < 8 && done < length) {
        for (size_t i = 0; i < offset; i++)
            out[done + i] = from[i];
        done += offset;
        period += offset;
    }
    for (; done < length; done += 8) {
        uint64_t word = snappy_load8(out + done - period);
        memcpy(out + done, &word, 8);
    }
}

/* A literal of at most 4 bytes and what lies behind it: the copy too, if both make at most 8 bytes.
 * `word` is what lies at s->in. */
static inline void snappy_take_short_literal(snappy_state *s, uint64_t word, uint32_t literal)
{
    /* Eight times the literal's length and the tag's; in this form three instructions from `word`
     * to `next`, which decides where the step after this one begins. */
    uint32_t bits = ((uint32_t)word & 0xfc) * 2 + 16;
    uint32_t next = (uint32_t)(word >> bits); /* at least a near or far copy's 3 bytes */
    uint64_t value = word >> 8, mask = ~(uint64_t)0 << (bits - 8);
    uint32_t kind = next & 3, entry = snappy_copies[next & 0xff], length = entry & 0xff;
    uint32_t offset = (next >> 8 & snappy_masks[kind]) + (entry >> 8);
    if (__builtin_expect(kind - 1 < 2 && literal + length <= 8 && offset >= 8 &&
                             offset <= (size_t)(s->out - s->out_start),
                         1)) {
        value = (value & ~mask) | (snappy_load8(s->out - offset) & mask);
        memcpy(s->out, &value, 8);
        s->out += literal + length;
        s->in += literal + 2 + kind;
    } else {
        memcpy(s->out, &value, 8);
        s->out += literal;
        s->in += literal + 1;
    }
}

/* A literal of any length; false: it is longer than the input or the output. */
static inline bool snappy_take_literal(snappy_state *s, uint64_t word, uint32_t literal)
{
    size_t length = literal, head = 1;
    if (literal <= 16) {
        snappy_copy16(s->out, s->in + 1);
        s->out += literal;
        s->in += literal + 1;
        return true;
    }
    if (literal > 60) { /* the length lies in 1 to 4 bytes behind the tag */
        uint32_t bytes = literal - 60;
        length = (size_t)(word >> 8 & (((uint64_t)1 << bytes * 8) - 1)) + 1;
        head = 1 + bytes;
    }
    if (length > (size_t)(s->in_end - s->in) - head || length > (size_t)(s->out_end - s->out))
        return false;
    memcpy(s->out, s->in + head, length);
    s->out += length;
    s->in += head + length;
    return true;
}

static inline bool snappy_take_copy(snappy_state *s, uint64_t word, uint32_t kind)
{
    uint32_t entry = snappy_copies[word & 0xff];
    size_t length = entry & 0xff, offset = (word >> 8 & snappy_masks[kind]) + (entry >> 8);
    size_t bytes = kind + 1;
    if (__builtin_expect(kind == 3, 0)) {
        length = (word >> 2 & 63) + 1;
        offset = (uint32_t)(word >> 8);
        bytes = 5;
    }
    if (__builtin_expect(offset - 1 >= (size_t)(s->out - s->out_start), 0))
        return false;
    snappy_copy_back(s->out, offset, length);
    s->out += length;
    s->in += bytes;
    return true;
}

/* A literal with the copy behind it, if it is short; or the literal or the copy alone. */
static inline bool snappy_take_pair(snappy_state *s)
{
    uint64_t word = snappy_load8(s->in);
    uint32_t literal = (uint32_t)(word >> 2 & 63) + 1;
    if ((word & 3) == 0) {
        if (__builtin_expect(literal > 4, 0))
            return snappy_take_literal(s, word, literal);
        uint64_t value = word >> 8;
        memcpy(s->out, &value, 8);
        s->out += literal;
        s->in += literal + 1;
        word >>= literal * 8 + 8; /* 3 bytes at least: not all of a farthest copy */
        if ((word & 3) == 0 || (word & 3) == 3)
            return true;
    }
    return snappy_take_copy(s, word, word & 3);
}

/* Takes the next tag or pair, far from both ends. False: damaged. */
static inline bool snappy_take_next(snappy_state *s)
{
    uint64_t word = snappy_load8(s->in);
    uint32_t kind = word & 3, literal = (uint32_t)(word >> 2 & 63) + 1;
    if (kind)
        return snappy_take_copy(s, word, kind);
    if (__builtin_expect(literal > 4, 0))
        return snappy_take_literal(s, word, literal);
    snappy_take_short_literal(s, word, literal);
    return true;
}

/* Takes tags by groups while far from both ends (farther than the margins above). False: damaged.
 * Only where the machine has CPU_ISA_AVX512. */
bool snappy_decode_groups(snappy_state *state);

#endif
