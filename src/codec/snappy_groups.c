/* snappy_groups.c - snappy's tags by groups, with AVX-512.
 *
 * Where a tag lies is known only when the one before it has been looked at. So that this is not
 * done one by one, it is done for all places at once: of each of 64 bytes of input, as if it were a
 * tag, where the next tag would be; looking that up in itself gives the tag after the next one, the
 * fourth, the eighth. The tags from the first byte on are then picked out of these 64 answers, and
 * all their lengths and offsets are found at once. Ways from there:
 *
 * - values: eight pairs of a literal and a copy that make eight bytes each, as numbers compress to,
 *   become eight values of a register: their earlier values are gathered from the output, or from
 *   the register where they are among the eight. 2.3 to 2.8 ns a value where one by one takes 5.
 * - tags: sixteen tags of any kind; the sums of their lengths say where each one writes. What is
 *   left is sixteen moves of 32 bytes without a branch. 3 ns for 8 bytes of text instead of 6.2.
 *
 * - runs, for what is neither: one by one, but a value and its repetitions in one step.
 *
 * A group ends before the first tag that does not fit; that one is taken by itself. If most do not
 * fit, the next stretch goes another way. (Figures: one core of a Xeon at 2.45 GHz, TPC-H.) */
#include "codec/snappy_step.h"

#if defined __x86_64__
#include <immintrin.h>

#define GROUPS_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,bmi")))

/* Bytes that a group may touch: 64 bytes of input and a literal after their last tag; 16 moves. */
#define INPUT_MARGIN 128
#define OUTPUT_MARGIN 640

#define VALUES 8         /* of a group */
#define TAGS 16          /* of a group */
#define MOVE_BYTES 32    /* what a tag may copy */
#define LITERAL_BYTES 16 /* and a literal's */
#define OFFSET_MAX 65535 /* of a copy in a group */
#define POOR_VALUES 3    /* groups of less ... */
#define POOR_TAGS 6      /* ... are not worth it ... */
#define POOR_GROUPS 8    /* ... if so many come one after another */
#define STRETCH_GROUPS 8 /* before another way is tried again; then twice as many, up to ... */
#define STRETCH_GROUPS_MAX 4096
#define WORTH_BYTES 4096 /* of values: then the next ones may not be far */

static const uint8_t places[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                   32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                   48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
/* By a tag's low six bits, the bytes from it to the next one. A literal of more than 16 bytes has
 * more: it is never part of a group. */
static const uint8_t tag_bytes[64] = {2,  2, 3, 5, 3,  2, 3, 5, 4,  2, 3, 5, 5,  2, 3, 5,
                                      6,  2, 3, 5, 7,  2, 3, 5, 8,  2, 3, 5, 9,  2, 3, 5,
                                      10, 2, 3, 5, 11, 2, 3, 5, 12, 2, 3, 5, 13, 2, 3, 5,
                                      14, 2, 3, 5, 15, 2, 3, 5, 16, 2, 3, 5, 17, 2, 3, 5};
/* Bytes of near and far copies only: what a pair takes after its literal. */
static const uint8_t copy_bytes[64] = {
    0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0,
    0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, 2, 3, 0};

static inline bool is_far_from_ends(const snappy_state *s)
{
    return s->in_end - s->in > INPUT_MARGIN && s->out < s->groups_stop;
}

/* The offset of a near (kind 1) or far copy, of the lanes that hold a tag and what follows it. */
GROUPS_TARGET static inline __m512i offsets_64(__m512i words, __mmask8 is_near)
{
    __m512i behind = _mm512_srli_epi64(words, 8), high = _mm512_slli_epi64(words, 3);
    __m512i near = _mm512_ternarylogic_epi64(high, _mm512_set1_epi64(0x700),
                                             _mm512_and_si512(behind, _mm512_set1_epi64(0xff)),
                                             0xea); /* high & 0x700 | low */
    __m512i far = _mm512_and_si512(behind, _mm512_set1_epi64(OFFSET_MAX));
    return _mm512_mask_mov_epi64(far, is_near, near);
}

GROUPS_TARGET static inline __m512i offsets_32(__m512i words, __mmask16 is_near)
{
    __m512i behind = _mm512_srli_epi32(words, 8), high = _mm512_slli_epi32(words, 3);
    __m512i near = _mm512_ternarylogic_epi32(
        high, _mm512_set1_epi32(0x700), _mm512_and_si512(behind, _mm512_set1_epi32(0xff)), 0xea);
    __m512i far = _mm512_and_si512(behind, _mm512_set1_epi32(OFFSET_MAX));
    return _mm512_mask_mov_epi32(far, is_near, near);
}

/* Puts together, in values, those that have their high bytes (`missing`) from one of lane `from`.
 * A value that hangs on itself through others stays in the mask that is returned. */
GROUPS_TARGET static inline __mmask8 join_within(__m512i *values, __m512i missing, __m512i from)
{
    __mmask8 left;
    for (int round = 0;; round++) {
        __m512i theirs = _mm512_permutexvar_epi64(from, *values);
        *values =
            _mm512_ternarylogic_epi64(*values, theirs, missing, 0xf8); /* | theirs & missing */
        missing = _mm512_and_si512(missing, _mm512_permutexvar_epi64(from, missing));
        left = _mm512_test_epi64_mask(missing, missing);
        if (__builtin_expect(!left, 1) || round == 2)
            return left;
        from = _mm512_permutexvar_epi64(from, from);
    }
}

/* Pairs that make 8 bytes each, until they become rare. */
GROUPS_TARGET static bool take_values(snappy_state *state)
{
    snappy_state s = *state; /* in registers */
    const __m512i place = _mm512_loadu_si512(places), tags = _mm512_loadu_si512(tag_bytes);
    const __m512i copies = _mm512_loadu_si512(copy_bytes);
    const __m512i byte_of_lane = _mm512_set1_epi64(0x0706050403020100);
    const __m512i lanes = _mm512_setr_epi64(0, 8, 16, 24, 32, 40, 48, 56);
    bool is_good = true;
    for (unsigned poor = 0; is_far_from_ends(&s) && is_good && poor < POOR_GROUPS;) {
        __m512i window = _mm512_loadu_si512(s.in);
        /* The place after a tag, or after a short literal and the copy that follows; by place. */
        __m512i next = _mm512_add_epi8(place, _mm512_permutexvar_epi8(window, tags));
        __m512i more = _mm512_permutexvar_epi8(next, _mm512_permutexvar_epi8(window, copies));
        next = _mm512_mask_add_epi8(
            next, _mm512_testn_epi8_mask(window, _mm512_set1_epi8((char)0xf3)), next, more);
        __m512i next_2 = _mm512_permutexvar_epi8(next, next);
        __m512i next_4 = _mm512_permutexvar_epi8(next_2, next_2);
        __m512i next_8 = _mm512_permutexvar_epi8(next_4, next_4);
        /* The place of the lane's pair, in each of its bytes: places of 64 and more wrap around,
         * but the first one of them is seen. */
        __m512i at =
            _mm512_maskz_permutexvar_epi8(0xff00ff00ff00ff00, _mm512_setzero_si512(), next);
        at = _mm512_mask_permutexvar_epi8(at, 0xffff0000ffff0000, at, next_2);
        at = _mm512_mask_permutexvar_epi8(at, 0xffffffff00000000, at, next_4);
        __mmask8 is_inside = _mm512_cmple_epu64_mask(at, _mm512_set1_epi8(56));
        __m512i words = _mm512_permutexvar_epi8(_mm512_add_epi8(at, byte_of_lane), window);

        /* Four times the literal's length, less four; what follows it; both lengths are eight. */
        __mmask8 has_literal = _mm512_testn_epi64_mask(words, _mm512_set1_epi64(0xf3));
        __m512i literal_4 = _mm512_mask_and_epi64(_mm512_set1_epi64(-4), has_literal, words,
                                                  _mm512_set1_epi64(0xfc));
        __m512i literal_bits =
            _mm512_add_epi64(_mm512_add_epi64(literal_4, literal_4), _mm512_set1_epi64(8));
        __m512i copy = _mm512_srlv_epi64(
            words, _mm512_maskz_add_epi64(has_literal, literal_bits, _mm512_set1_epi64(8)));
        __m512i both = _mm512_add_epi64(copy, literal_4);
        __mmask8 is_near = _mm512_mask_testn_epi64_mask(
            is_inside, _mm512_xor_si512(both, _mm512_set1_epi64(3 << 2 | 1)),
            _mm512_set1_epi64(0x1f));
        __mmask8 is_far = _mm512_mask_testn_epi64_mask(
            is_inside, _mm512_xor_si512(both, _mm512_set1_epi64(6 << 2 | 2)),
            _mm512_set1_epi64(0xff));
        __mmask8 is_pair = is_near | is_far;

        /* The earlier values, from the first output of this group: behind it, or a lane of it. */
        __m512i from = _mm512_sub_epi64(lanes, offsets_64(copy, is_near));
        if (__builtin_expect(s.out - s.out_start < OFFSET_MAX, 0))
            is_pair &= _mm512_cmpge_epi64_mask(from, _mm512_set1_epi64(s.out_start - s.out));
        __mmask8 is_behind = _mm512_mask_cmple_epi64_mask(is_pair, from, _mm512_set1_epi64(-8));
        __mmask8 is_lane =
            _mm512_mask_testn_epi64_mask(is_pair & ~is_behind, from, _mm512_set1_epi64(7));
        __m512i missing = _mm512_sllv_epi64(_mm512_set1_epi64(-1), literal_bits);
        __m512i values =
            _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), is_behind, from, s.out, 1);
        values = _mm512_ternarylogic_epi64(missing, values, _mm512_srli_epi64(words, 8), 0xca);
        __mmask8 is_cyclic = join_within(&values, _mm512_maskz_mov_epi64(is_lane, missing),
                                         _mm512_srli_epi64(from, 3));
        _mm512_storeu_si512(s.out, values);
        uint32_t fit = (uint32_t)(is_behind | is_lane) & ~(uint32_t)is_cyclic;
        if (__builtin_expect(fit == 255, 1)) {
            s.out += 8 * VALUES;
            s.in += (uint8_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(next_8));
            poor -= poor > 0;
            continue;
        }

        uint32_t count = (uint32_t)__builtin_ctz(~fit);
        uint8_t ats[64];
        _mm512_storeu_si512(ats, at);
        s.in += ats[(size_t)8 * count];
        s.out += (size_t)8 * count;
        poor = count < POOR_VALUES ? poor + 1 : poor - (poor > 0);
        if (!(is_inside >> count & 1))
            continue; /* only the window ended */
        /* One that is longer or shorter; mostly its neighbour makes up for it. */
        const uint8_t *phase = s.out;
        do
            is_good = snappy_take_pair(&s);
        while (is_good && (s.out - phase) % 8 && is_far_from_ends(&s));
    }
    *state = s;
    return is_good;
}

static inline void snappy_groups_move(uint8_t *to, const uint8_t *from)
{
    uint8_t block[MOVE_BYTES];
    memcpy(block, from, sizeof block);
    memcpy(to, block, sizeof block);
}

/* Tags of any kind, at most `groups` groups, or until those that fit become rare (out_is_poor). */
GROUPS_TARGET static bool take_tags(snappy_state *state, size_t groups, bool *out_is_poor)
{
    snappy_state s = *state;
    const __m512i place = _mm512_loadu_si512(places), tags = _mm512_loadu_si512(tag_bytes);
    const __m512i zero = _mm512_setzero_si512(), kind = _mm512_set1_epi32(3);
    bool is_good = true;
    unsigned poor = 0;
    for (; groups && poor < POOR_GROUPS && is_far_from_ends(&s) && is_good; groups--) {
        __m512i window = _mm512_loadu_si512(s.in);
        __m512i next = _mm512_add_epi8(place, _mm512_permutexvar_epi8(window, tags));
        __m512i next_2 = _mm512_permutexvar_epi8(next, next);
        __m512i next_4 = _mm512_permutexvar_epi8(next_2, next_2);
        __m512i next_8 = _mm512_permutexvar_epi8(next_4, next_4);
        __m512i next_16 = _mm512_permutexvar_epi8(next_8, next_8);
        __m512i at = _mm512_maskz_permutexvar_epi8(0xf0f0f0f0f0f0f0f0, zero, next);
        at = _mm512_mask_permutexvar_epi8(at, 0xff00ff00ff00ff00, at, next_2);
        at = _mm512_mask_permutexvar_epi8(at, 0xffff0000ffff0000, at, next_4);
        at = _mm512_mask_permutexvar_epi8(at, 0xffffffff00000000, at, next_8);
        __mmask16 is_inside = _mm512_cmple_epu32_mask(at, _mm512_set1_epi8(60));
        __m512i words =
            _mm512_permutexvar_epi8(_mm512_add_epi8(at, _mm512_set1_epi32(0x03020100)), window);

        __mmask16 is_literal = _mm512_testn_epi32_mask(words, kind);
        __mmask16 is_near =
            _mm512_testn_epi32_mask(_mm512_xor_si512(words, _mm512_set1_epi32(1)), kind);
        __mmask16 is_farthest = _mm512_testn_epi32_mask(_mm512_xor_si512(words, kind), kind);
        __m512i field = _mm512_srli_epi32(words, 2);
        __m512i length =
            _mm512_add_epi32(_mm512_and_si512(field, _mm512_set1_epi32(63)), _mm512_set1_epi32(1));
        length = _mm512_mask_add_epi32(
            length, is_near, _mm512_and_si512(field, _mm512_set1_epi32(7)), _mm512_set1_epi32(4));
        __m512i offset = offsets_32(words, is_near);
        /* No copy of what it writes itself. */
        __m512i bound =
            _mm512_mask_mov_epi32(_mm512_min_epi32(offset, _mm512_set1_epi32(MOVE_BYTES)),
                                  is_literal, _mm512_set1_epi32(LITERAL_BYTES));
        __mmask16 is_fit = _mm512_mask_cmple_epi32_mask(is_inside & ~is_farthest, length, bound);

        /* Places that each one writes and reads: from the output's place, or a literal from the input's. */
        __m512i sum = _mm512_add_epi32(length, _mm512_alignr_epi32(length, zero, 15));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 14));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 12));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 8));
        __m512i to = _mm512_sub_epi32(sum, length), from = _mm512_sub_epi32(to, offset);
        if (__builtin_expect(s.out - s.out_start < OFFSET_MAX, 0))
            is_fit &= is_literal |
                      _mm512_cmpge_epi32_mask(from, _mm512_set1_epi32((int)(s.out_start - s.out)));
        from = _mm512_mask_add_epi32(from, is_literal, _mm512_and_si512(at, _mm512_set1_epi32(63)),
                                     _mm512_set1_epi32(1));
        int32_t tos[TAGS];
        const uint8_t *froms[TAGS];
        __m512i in = _mm512_set1_epi64((int64_t)s.in), out = _mm512_set1_epi64((int64_t)s.out);
        for (unsigned i = 0; i < TAGS; i += 8) {
            __m256i half = i ? _mm512_extracti64x4_epi64(from, 1) : _mm512_castsi512_si256(from);
            __m512i base = _mm512_mask_mov_epi64(out, (__mmask8)(is_literal >> i), in);
            _mm512_storeu_si512(froms + i, _mm512_add_epi64(base, _mm512_cvtepi32_epi64(half)));
        }
        _mm512_storeu_si512(tos, to);
        if (__builtin_expect(is_fit == 0xffff, 1)) {
#pragma GCC unroll 16
            for (unsigned i = 0; i < TAGS; i++)
                snappy_groups_move(s.out + tos[i], froms[i]);
            s.out += _mm_extract_epi32(_mm512_extracti32x4_epi32(sum, 3), 3);
            s.in += (uint8_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(next_16));
            poor -= poor > 0;
            continue;
        }

        uint32_t count = (uint32_t)__builtin_ctz(~(uint32_t)is_fit);
        for (unsigned i = 0; i < count; i++)
            snappy_groups_move(s.out + tos[i], froms[i]);
        uint8_t ats[64];
        _mm512_storeu_si512(ats, at);
        s.in += ats[(size_t)4 * count];
        s.out += tos[count];
        poor = count < POOR_TAGS ? poor + 1 : poor - (poor > 0);
        if (is_inside >> count & 1)
            is_good = snappy_take_pair(&s);
    }
    *out_is_poor = poor == POOR_GROUPS;
    *state = s;
    return is_good;
}

/* A far copy from eight bytes behind: three bytes of input. A near one: two bytes. */
static inline bool is_far_run(uint64_t word)
{
    return (word & 0xffff03) == 0x000802;
}

static inline bool is_near_run(uint64_t word)
{
    return (word & 0xffe3) == 0x0801;
}

/* Ascending keys that repeat: a byte and a copy of the other seven, then a copy of the value as
 * often as it comes again; or the byte and one copy for all. By branches on the whole shape, since
 * the next place then hangs on nothing that was read. Anything else goes one by one; at most
 * `steps`. */
GROUPS_TARGET static bool take_runs(snappy_state *state, size_t steps)
{
    snappy_state s = *state;
    uint64_t value = 0; /* the latest one, and how many bytes of it there are */
    size_t span = 0;
    bool is_good = true;
    for (; steps && is_far_from_ends(&s) && is_good; steps--) {
        uint64_t word = snappy_load8(s.in), copy = word >> 16, behind = word >> 32;
        size_t length = (copy >> 2 & 63) + 1;
        bool is_all = !(word & 0xff) && is_far_run(copy) && length % 8 == 7;
        size_t offset = is_all ? 8 : copy >> 8 & 0xff;
        if (__builtin_expect(!is_all && ((word & 0xff00ff) != 0x0d0000 || offset < 8), 0)) {
            snappy_state apart = s; /* so that s may stay in registers */
            is_good = snappy_take_next(&apart);
            s = apart;
            span = 0;
            continue;
        }
        if (__builtin_expect(offset > span || offset % 8, 0)) {
            is_good = offset <= (size_t)(s.out - s.out_start);
            value = is_good ? snappy_load8(s.out - offset) : 0;
        }
        value = (value & ~(uint64_t)0xff) | (word >> 8 & 0xff);
        __m512i values = _mm512_set1_epi64((int64_t)value);
        _mm512_storeu_si512(s.out, values);
        span = 8;
        if (is_all) {
            span = length + 1;
            s.in += 5;
        } else if (is_far_run(behind)) {
            _mm512_storeu_si512(s.out + 8, values);
            span += (behind >> 2 & 63) + 1;
            s.in += 7;
        } else if (is_near_run(behind)) {
            span += (behind >> 2 & 7) + 4;
            s.in += 6;
        } else {
            s.in += 4;
        }
        s.out += span;
        span = span % 8 ? 0 : span;
    }
    *state = s;
    return is_good;
}

bool snappy_decode_groups(snappy_state *s)
{
    size_t stretch = s->stretch ? s->stretch : STRETCH_GROUPS;
    uint8_t *stop = s->out_end - s->out > OUTPUT_MARGIN ? s->out_end - OUTPUT_MARGIN : s->out;
    s->groups_stop = s->out_stop < stop ? s->out_stop : stop;
    while (is_far_from_ends(s)) {
        uint8_t *before = s->out;
        if (!take_values(s))
            return false;
        if (s->out - before > WORTH_BYTES)
            stretch = STRETCH_GROUPS;
        bool is_poor;
        if (!take_tags(s, stretch, &is_poor) || (is_poor && !take_runs(s, stretch * TAGS)))
            return false;
        stretch = stretch < STRETCH_GROUPS_MAX ? stretch * 2 : stretch;
    }
    s->stretch = stretch;
    return true;
}
#else
bool snappy_decode_groups(snappy_state *state)
{
    (void)state;
    return true;
}
#endif
