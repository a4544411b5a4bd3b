/* like_text.h - LIKE: pieces of text in a given order, and the general matcher: what the kernels of every
 * device do with a row. Who includes it has said how it searches:
 *
 *   TEXT_SEARCH(text, bytes, part, part_bytes)   where the part occurs first, or LIKE_NOWHERE
 *   TEXT_DIFFERS(left, right, bytes)             are the bytes not the same?
 *   TEXT_IS_UNWANTED(step)                       asked at each step: may the answer be any?
 *
 * and may say, for texts that nearly match at many places:
 *
 *   LIKE_VAIN_MAX(bytes)                         how many bytes may be compared in vain
 *   LIKE_FIND_PIECE(text, bytes, piece, piece_bytes, end)   what to do after that: a like_match; LIKE_UNDECIDED: go on */
#ifndef PISTACHIO_DEVICE_VALUE_LIKE_TEXT_H
#define PISTACHIO_DEVICE_VALUE_LIKE_TEXT_H

#include "device/value/text_part.h"

#define LIKE_NOWHERE SIZE_MAX

typedef enum like_match { LIKE_NO, LIKE_YES, LIKE_INVALID, LIKE_UNDECIDED } like_match;

#ifndef LIKE_VAIN_MAX
#define LIKE_VAIN_MAX(bytes) SIZE_MAX
#define LIKE_FIND_PIECE(text, bytes, piece, piece_bytes, end) LIKE_UNDECIDED
#endif

/* The contents of a dev_pattern. */
typedef struct like_pattern {
    const char *bytes;
    const uint32_t *ends;
    uint32_t count, total_bytes;
    bool at_start, at_end;
} like_pattern;

PORTABLE like_pattern like_pattern_of(const uint8_t *pattern, const dev_pattern *header)
{
    like_pattern p = {(const char *)pattern + sizeof *header +
                          header->piece_count * sizeof(uint32_t),
                      (const uint32_t *)(pattern + sizeof *header),
                      header->piece_count,
                      header->piece_bytes,
                      header->at_start != 0,
                      header->at_end != 0};
    return p;
}

PORTABLE const char *like_piece(const like_pattern *p, uint32_t k, size_t *bytes)
{
    uint32_t start = k ? p->ends[k - 1] : 0;
    *bytes = p->ends[k] - start;
    return p->bytes + start;
}

/* ---- without wildcards ---- */

PORTABLE bool like_matches_plain(const like_pattern *p, const char *text, size_t bytes)
{
    size_t piece_bytes;
    uint32_t k = 0, end = p->count;
    if (bytes < p->total_bytes)
        return false;
    if (!p->count)
        return !p->at_start || !bytes;
    if (p->at_start) {
        const char *piece = like_piece(p, k++, &piece_bytes);
        if (TEXT_DIFFERS(text, piece, piece_bytes))
            return false;
        text += piece_bytes;
        bytes -= piece_bytes;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = like_piece(p, --end, &piece_bytes);
        if (bytes < piece_bytes || TEXT_DIFFERS(text + bytes - piece_bytes, piece, piece_bytes))
            return false;
        bytes -= piece_bytes;
    }
    for (; k < end; k++) {
        const char *piece = like_piece(p, k, &piece_bytes);
        size_t found = TEXT_SEARCH(text, bytes, piece, piece_bytes);
        if (found == LIKE_NOWHERE)
            return false;
        text += found + piece_bytes;
        bytes -= found + piece_bytes;
    }
    return true;
}

/* ---- with wildcards: a piece's length in bytes depends on the text ---- */

PORTABLE size_t like_character_bytes(const char *text, size_t bytes)
{
    size_t length = 1;
    while (length < bytes && text_is_continuation(text[length]))
        length++;
    return length;
}

/* Bytes of text that the piece takes at its start, or LIKE_NOWHERE. Adds to *compared those of the piece that were. */
PORTABLE size_t like_match_here(const char *text, size_t bytes, const char *piece,
                                size_t piece_bytes, size_t *compared)
{
    size_t at = 0;
    for (size_t i = 0; i < piece_bytes; i++, ++*compared) {
        if (at >= bytes)
            return LIKE_NOWHERE;
        if ((unsigned char)piece[i] == DEV_PATTERN_ANY_BYTE)
            at += like_character_bytes(text + at, bytes - at);
        else if (text[at++] != piece[i])
            return LIKE_NOWHERE;
    }
    return at;
}

/* Bytes of text that the piece takes at its end, or LIKE_NOWHERE. Adds to *compared those of the piece that were. */
PORTABLE size_t like_match_last(const char *text, size_t bytes, const char *piece,
                                size_t piece_bytes, size_t *compared)
{
    size_t at = bytes;
    for (; piece_bytes-- > 0; ++*compared) {
        if (!at)
            return LIKE_NOWHERE;
        at--;
        if ((unsigned char)piece[piece_bytes] == DEV_PATTERN_ANY_BYTE) {
            while (at > 0 && text_is_continuation(text[at]))
                at--;
        } else if (text[at] != piece[piece_bytes]) {
            return LIKE_NOWHERE;
        }
    }
    return bytes - at;
}

/* The longest part of a piece between its wildcards: where it begins, and its bytes; 0: there is none. */
PORTABLE size_t like_longest_run(const char *piece, size_t bytes, size_t *start)
{
    size_t longest = 0, begin = 0;
    for (size_t i = 0; i <= bytes; i++) {
        if (i < bytes && (unsigned char)piece[i] != DEV_PATTERN_ANY_BYTE)
            continue;
        if (i - begin > longest) {
            longest = i - begin;
            *start = begin;
        }
        begin = i + 1;
    }
    return longest;
}

/* Finds the leftmost occurrence, and where it ends. The piece's longest run is searched for; what is before and after
 * that is compared where it occurs. */
PORTABLE bool like_match_anywhere(const char *text, size_t bytes, const char *piece,
                                  size_t piece_bytes, size_t *end)
{
    size_t start = 0, step = 0, vain = 0, run = like_longest_run(piece, piece_bytes, &start);
    for (size_t at = 0; at <= bytes && !TEXT_IS_UNWANTED(step); at++, step++) {
        size_t found = run ? TEXT_SEARCH(text + at, bytes - at, piece + start, run) : 0, after;
        if (found == LIKE_NOWHERE)
            return false;
        if (vain > LIKE_VAIN_MAX(bytes)) {
            like_match match = LIKE_FIND_PIECE(text, bytes, piece, piece_bytes, end);
            if (match != LIKE_UNDECIDED)
                return match == LIKE_YES;
            vain = 0;
        }
        at += found;
        if (at > 0 && at < bytes && text_is_continuation(text[at]))
            continue;
        if (like_match_last(text, at, piece, start, &vain) == LIKE_NOWHERE)
            continue;
        after = like_match_here(text + at + run, bytes - at - run, piece + start + run,
                                piece_bytes - start - run, &vain);
        if (after != LIKE_NOWHERE) {
            *end = at + run + after;
            return true;
        }
    }
    return false;
}

PORTABLE bool like_matches_wild(const like_pattern *p, const char *text, size_t bytes)
{
    size_t piece_bytes, length, compared = 0;
    uint32_t k = 0, end = p->count;
    if (p->at_start) {
        const char *piece = like_piece(p, k++, &piece_bytes);
        length = like_match_here(text, bytes, piece, piece_bytes, &compared);
        if (length == LIKE_NOWHERE)
            return false;
        text += length;
        bytes -= length;
        if (k == end)
            return !p->at_end || !bytes;
    }
    if (p->at_end) {
        const char *piece = like_piece(p, --end, &piece_bytes);
        length = like_match_last(text, bytes, piece, piece_bytes, &compared);
        if (length == LIKE_NOWHERE)
            return false;
        bytes -= length;
    }
    for (; k < end; k++) {
        const char *piece = like_piece(p, k, &piece_bytes);
        if (!like_match_anywhere(text, bytes, piece, piece_bytes, &length))
            return false;
        text += length;
        bytes -= length;
    }
    return true;
}

/* ---- a pattern per row ---- */

/* Bytes of the pattern from `at` on that stand for themselves. */
PORTABLE size_t like_literal_bytes(const char *pattern, size_t bytes, size_t at, int escape)
{
    size_t end = at;
    while (end < bytes && pattern[end] != '%' && pattern[end] != '_' &&
           !(escape >= 0 && (unsigned char)pattern[end] == (unsigned)escape))
        end++;
    return end - at;
}

/* Matches what follows a %: the first place, from *at on, where its literal occurs; at the end of the pattern that is the text's
 * end. False: nowhere. Between % signs alone the first place is the only one that has to be tried: linear time. */
PORTABLE bool like_find_literal(const char *text, size_t bytes, const char *literal,
                                size_t literal_bytes, bool is_last, size_t *at)
{
    size_t found;
    if (!literal_bytes)
        return true;
    if (is_last) {
        bool fits = bytes - *at >= literal_bytes &&
                    !TEXT_DIFFERS(text + bytes - literal_bytes, literal, literal_bytes);
        *at = fits ? bytes - literal_bytes : *at;
        return fits;
    }
    found = TEXT_SEARCH(text + *at, bytes - *at, literal, literal_bytes);
    if (found == LIKE_NOWHERE)
        return false;
    *at += found;
    return true;
}

/* Goes back to the last % where the text does not go on as the pattern does. LIKE_UNDECIDED: it has gone back after
 * vain_max steps. */
PORTABLE like_match like_matches(const char *text, size_t bytes, const char *pattern,
                                 size_t pattern_bytes, int escape, size_t vain_max)
{
    size_t t = 0, p = 0, retry_text = 0, retry_pattern = LIKE_NOWHERE, literal = 0, step = 0;
    for (size_t vain = 0; t < bytes || p < pattern_bytes; vain++) {
        bool is_escaped = false;
        char c = 0;
        if (p < pattern_bytes) {
            c = pattern[p];
            is_escaped = escape >= 0 && (unsigned char)c == (unsigned)escape;
            if (is_escaped && p + 1 == pattern_bytes)
                return LIKE_INVALID;
        }
        if (p < pattern_bytes && !is_escaped && c == '%') {
            retry_pattern = ++p;
            retry_text = t;
            literal = like_literal_bytes(pattern, pattern_bytes, p, escape);
            if (p == pattern_bytes)
                return LIKE_YES;
            if (!like_find_literal(text, bytes, pattern + p, literal, p + literal == pattern_bytes,
                                   &retry_text))
                return LIKE_NO;
            t = retry_text;
            continue;
        }
        if (p < pattern_bytes && t < bytes) {
            if (!is_escaped && c == '_') {
                t += like_character_bytes(text + t, bytes - t);
                p++;
                continue;
            }
            if (text[t] == pattern[p + is_escaped]) {
                t++;
                p += 1 + is_escaped;
                continue;
            }
        }
        if (retry_pattern == LIKE_NOWHERE || retry_text >= bytes || TEXT_IS_UNWANTED(step++))
            return LIKE_NO;
        if (vain > vain_max)
            return LIKE_UNDECIDED;
        retry_text += like_character_bytes(text + retry_text, bytes - retry_text);
        if (!like_find_literal(text, bytes, pattern + retry_pattern, literal, false, &retry_text))
            return LIKE_NO;
        t = retry_text;
        p = retry_pattern;
    }
    return LIKE_YES;
}

#endif
