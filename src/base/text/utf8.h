/* utf8.h - whether bytes are UTF-8, and U+FFFD in the place of those that are not.
 *
 * Of bytes that are not UTF-8 each longest beginning of a character, or else each byte, becomes one U+FFFD: what the
 * Unicode standard recommends, and what Python and Rust do. */
#ifndef PISTACHIO_BASE_TEXT_UTF8_H
#define PISTACHIO_BASE_TEXT_UTF8_H

#include "base/type/portable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UTF8_REPLACEMENT_BYTES 3
#define UTF8_REPLACED_MOST INT32_MAX /* bytes of a text after replacement */

/* Bytes that a character with this first byte has; 0: it begins none. */
PORTABLE unsigned utf8_length(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether this can be the second byte: neither a surrogate, nor what a shorter form could say, nor beyond U+10FFFF. */
PORTABLE bool utf8_is_second(uint8_t first, uint8_t second)
{
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

/* Bytes of the character that begins the text, which is not empty. Not *is_character: of the longest beginning of one,
 * at least a byte. */
PORTABLE unsigned utf8_part(const char *text, uint64_t bytes, bool *is_character)
{
    uint8_t first = (uint8_t)text[0];
    unsigned length = utf8_length(first), at = 1;
    while (at < length && at < bytes &&
           (at == 1 ? utf8_is_second(first, (uint8_t)text[1]) : ((uint8_t)text[at] & 0xc0) == 0x80))
        at++;
    *is_character = at == length;
    return at;
}

/* Returns the offset of the first byte that is not UTF-8, or `bytes` if there is none. */
PORTABLE uint64_t utf8_valid_bytes(const char *text, uint64_t bytes)
{
    uint64_t at = 0;
    while (at < bytes) {
        uint64_t word;
        bool is_character = true;
        if (bytes - at >= sizeof word) {
            memcpy(&word, text + at, sizeof word);
            if (!(word & 0x8080808080808080u)) {
                at += sizeof word;
                continue;
            }
        }
        unsigned part =
            (uint8_t)text[at] < 0x80 ? 1 : utf8_part(text + at, bytes - at, &is_character);
        if (!is_character)
            return at;
        at += part;
    }
    return bytes;
}

/* Bytes that the text has after replacement. */
PORTABLE uint64_t utf8_replaced_bytes(const char *text, uint64_t bytes)
{
    uint64_t at = 0, all = 0;
    while (at < bytes) {
        bool is_character;
        unsigned part = utf8_part(text + at, bytes - at, &is_character);
        all += is_character ? part : UTF8_REPLACEMENT_BYTES;
        at += part;
    }
    return all;
}

/* Writes the text after replacement: utf8_replaced_bytes(). */
PORTABLE void utf8_replace(const char *text, uint64_t bytes, char *out)
{
    uint64_t at = 0;
    while (at < bytes) {
        bool is_character;
        unsigned part = utf8_part(text + at, bytes - at, &is_character);
        if (is_character) {
            for (unsigned i = 0; i < part; i++)
                *out++ = text[at + i];
        } else {
            *out++ = (char)0xef;
            *out++ = (char)0xbf;
            *out++ = (char)0xbd;
        }
        at += part;
    }
}

#endif
