/* like_states.h - LIKE on hosts for texts that nearly match at many places: a piece with wildcards is found in time
 * that grows with the text's bytes, whatever was compared in vain before (Baeza-Yates and Gonnet, "A new approach to
 * text searching", 1992).
 *
 *   states   a bit for each of the piece's bytes: the piece up to there has matched what ends at this byte of the text
 *   masks    for each byte value that the piece has: where it has it
 *
 * At a byte that begins a character all states move on by one place, where the piece has that byte or a wildcard. A byte
 * that continues a character moves on those where the piece has it, and leaves those that are at a wildcard.
 *
 * Included in place of like_text.h, by files that have said how to search. */
#ifndef PISTACHIO_DEVICE_VALUE_LIKE_STATES_H
#define PISTACHIO_DEVICE_VALUE_LIKE_STATES_H

#include "base/mem.h"
#include "base/type/type.h"

static int like_find_long(const char *text, size_t bytes, const char *piece, size_t piece_bytes,
                          size_t *end);

#define LIKE_VAIN_MAX(bytes) (8 * (bytes) + 4096)
#define LIKE_FIND_PIECE(text, bytes, piece, piece_bytes, end)                                      \
    ((like_match)like_find_long(text, bytes, piece, piece_bytes, end))

#include "device/value/like_split.h"
#include "device/value/like_text.h"

#define LIKE_FEW_WORDS 256

typedef struct like_states {
    size_t words;        /* of 64 states */
    size_t top;          /* words that may have states, and one more */
    uint64_t *states;    /* words of them; then: */
    uint64_t *wildcards; /* where the piece has one */
    uint64_t *masks;     /* words of each class of bytes; class 0 is in no place */
    uint8_t classes[256];
} like_states;

/* Numbers the byte values that the piece has. Returns how many classes there are. */
static size_t like_number_bytes(like_states *s, const char *piece, size_t piece_bytes)
{
    size_t count = 1;
    memset(s->classes, 0, sizeof s->classes);
    for (size_t i = 0; i < piece_bytes; i++) {
        unsigned char c = (unsigned char)piece[i];
        if (c != DEV_PATTERN_ANY_BYTE && !s->classes[c])
            s->classes[c] = (uint8_t)count++;
    }
    return count;
}

static void like_set_masks(like_states *s, uint64_t *memory, const char *piece, size_t piece_bytes)
{
    s->states = memory;
    s->wildcards = memory + s->words;
    s->masks = s->wildcards + s->words;
    for (size_t i = 0; i < piece_bytes; i++) {
        unsigned char c = (unsigned char)piece[i];
        uint64_t *of =
            c == DEV_PATTERN_ANY_BYTE ? s->wildcards : s->masks + s->classes[c] * s->words;
        of[i / 64] |= (uint64_t)1 << i % 64;
    }
    s->top = 1;
}

/* Moves the states on by a byte of the text. */
static inline void like_move_states(like_states *s, unsigned char c)
{
    bool begins = !text_is_continuation((char)c);
    const uint64_t *mask = s->masks + s->classes[c] * s->words;
    uint64_t carry = begins, any = 0;
    size_t top = 0;
    for (size_t w = 0; w < s->top; w++) {
        uint64_t before = s->states[w], moved = before << 1 | carry;
        carry = before >> 63;
        any = begins ? moved & (mask[w] | s->wildcards[w])
                     : (moved & mask[w]) | (before & s->wildcards[w]);
        s->states[w] = any;
        top = any ? w : top;
    }
    s->top = top + 2 < s->words ? top + 2 : s->words;
}

static like_match like_run_states(like_states *s, const char *text, size_t bytes, size_t last,
                                  bool ends_with_wildcard, size_t *end)
{
    for (size_t at = 0; at < bytes && !TEXT_IS_UNWANTED(at); at++) {
        like_move_states(s, (unsigned char)text[at]);
        if (s->states[last / 64] >> last % 64 & 1) {
            *end = ends_with_wildcard ? text_character_end(text, bytes, at) : at + 1;
            return LIKE_YES;
        }
    }
    return LIKE_NO;
}

/* Finds the leftmost occurrence of the piece. LIKE_UNDECIDED: there is no memory for that. */
static int like_find_long(const char *text, size_t bytes, const char *piece, size_t piece_bytes,
                          size_t *end)
{
    uint64_t few[LIKE_FEW_WORDS];
    like_states s = {.words = (piece_bytes + 63) / 64};
    size_t words = s.words * (2 + like_number_bytes(&s, piece, piece_bytes));
    uint64_t *memory = few;
    if (words > LIKE_FEW_WORDS)
        memory = mem_new_array(words, sizeof *memory);
    else
        memset(few, 0, words * sizeof *few);
    if (!memory)
        return LIKE_UNDECIDED;
    like_set_masks(&s, memory, piece, piece_bytes);
    like_match match =
        like_run_states(&s, text, bytes, piece_bytes - 1,
                        (unsigned char)piece[piece_bytes - 1] == DEV_PATTERN_ANY_BYTE, end);
    if (memory != few)
        mem_free(memory);
    return match;
}

/* Matches by the pattern's pieces. A pattern that ends with its escape is invalid where the text goes on as the rest. */
static like_match like_match_pieces(const char *text, size_t bytes, const char *pattern,
                                    size_t pattern_bytes, int escape, like_pieces *p)
{
    bool is_whole = like_split(pattern, pattern_bytes, escape, p);
    like_pattern split = {.bytes = (const char *)p->bytes,
                          .ends = p->ends,
                          .count = p->header.piece_count,
                          .total_bytes = p->header.piece_bytes,
                          .at_start = p->header.at_start != 0,
                          .at_end = p->header.at_end && is_whole};
    bool matches = p->header.has_wildcards ? like_matches_wild(&split, text, bytes)
                                           : like_matches_plain(&split, text, bytes);
    return !matches ? LIKE_NO : is_whole ? LIKE_YES : LIKE_INVALID;
}

/* Matches as like_matches does, and takes the pattern apart instead of going back many times. */
static like_match like_matches_long(const char *text, size_t bytes, const char *pattern,
                                    size_t pattern_bytes, int escape)
{
    like_match match = like_matches(text, bytes, pattern, pattern_bytes, escape,
                                    LIKE_VAIN_MAX(bytes + pattern_bytes));
    if (match != LIKE_UNDECIDED)
        return match;
    like_pieces pieces = {.ends = mem_new_array(pattern_bytes + 1, sizeof(uint32_t)),
                          .bytes = mem_new_array(pattern_bytes + 1, 1)};
    if (pieces.ends && pieces.bytes)
        match = like_match_pieces(text, bytes, pattern, pattern_bytes, escape, &pieces);
    else
        match = like_matches(text, bytes, pattern, pattern_bytes, escape, SIZE_MAX);
    mem_free(pieces.ends);
    mem_free(pieces.bytes);
    return match;
}

#endif
