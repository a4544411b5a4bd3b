/* text_part.h - characters of UTF-8, parts of a text, its case and its reverse: what the kernels of every
 * device do with a row. */
#ifndef PISTACHIO_DEVICE_VALUE_TEXT_PART_H
#define PISTACHIO_DEVICE_VALUE_TEXT_PART_H

#include "base/type/portable.h"
#include "device/kernels/kernel_ops.h"
#include "device/value/letter_case.h"

#include <string.h>

/* ---- characters ---- */

PORTABLE bool text_is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the end of the character at `at`, which is before the text's end. */
PORTABLE size_t text_character_end(const char *text, size_t bytes, size_t at)
{
    for (at++; at < bytes && text_is_continuation(text[at]);)
        at++;
    return at;
}

/* Characters: bytes that do not continue one. */
PORTABLE size_t text_characters(const char *text, size_t bytes)
{
    size_t characters = 0;
    for (size_t i = 0; i < bytes; i++)
        characters += !text_is_continuation(text[i]);
    return characters;
}

/* Bytes of the first `characters` characters, at most `bytes`. */
PORTABLE size_t text_skip(const char *text, size_t bytes, uint64_t characters)
{
    size_t at = 0;
    if (characters >= bytes)
        return bytes;
    for (; characters > 0 && at < bytes; characters--)
        at = text_character_end(text, bytes, at);
    return at;
}

/* Returns where the last `characters` characters begin. */
PORTABLE size_t text_skip_from_end(const char *text, size_t bytes, uint64_t characters)
{
    size_t at = bytes;
    for (; characters > 0 && at > 0; characters--) {
        at--;
        while (at > 0 && text_is_continuation(text[at]))
            at--;
    }
    return at;
}

/* ---- parts ---- */

/* Characters [first, first + length), counted from 1. */
PORTABLE void text_substring(const char *text, size_t bytes, int64_t first, int64_t length,
                             size_t *out_from, size_t *out_to)
{
    int64_t end;
    if (add_overflows_64(first, length, &end))
        end = INT64_MAX;
    if (first < 1)
        first = 1;
    if (end < first)
        end = first;
    *out_from = text_skip(text, bytes, (uint64_t)(first - 1));
    *out_to = *out_from + text_skip(text + *out_from, bytes - *out_from, (uint64_t)(end - first));
}

PORTABLE void text_slice(dev_slice_op op, const char *text, size_t bytes, int64_t first,
                         int64_t second, size_t *from, size_t *to)
{
    uint64_t size = first < 0 ? 0 - (uint64_t)first : (uint64_t)first;
    *from = 0;
    *to = bytes;
    switch (op) {
    case DEV_SLICE_SUBSTRING:
        text_substring(text, bytes, first, second, from, to);
        break;
    case DEV_SLICE_FROM:
        *from = first <= 1 ? 0 : text_skip(text, bytes, size - 1);
        break;
    case DEV_SLICE_LEFT:
        *to = first < 0 ? text_skip_from_end(text, bytes, size) : text_skip(text, bytes, size);
        break;
    case DEV_SLICE_RIGHT:
        *from = first < 0 ? text_skip(text, bytes, size) : text_skip_from_end(text, bytes, size);
        break;
    }
}

/* ---- case: ASCII, and the letters of two bytes whose other case has two bytes too ---- */

/* As many bytes as the text has. */
PORTABLE void text_change_case(const char *text, size_t bytes, bool to_upper, char *out)
{
    char first = to_upper ? 'a' : 'A';
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80) {
            out[i] = (unsigned char)(c - first) < 26 ? (char)(c ^ 0x20) : (char)c;
        } else if ((c & 0xe0) == 0xc0 && i + 1 < bytes && text_is_continuation(text[i + 1])) {
            uint32_t letter = (uint32_t)(c & 0x1f) << 6 | ((unsigned char)text[i + 1] & 0x3f);
            letter = letter_case(letter, to_upper);
            out[i++] = (char)(0xc0 | letter >> 6);
            out[i] = (char)(0x80 | (letter & 0x3f));
        } else {
            out[i] = (char)c;
        }
    }
}

/* Character after character, each with its bytes in order. */
PORTABLE void text_reverse(const char *text, size_t bytes, char *out)
{
    for (size_t first = 0, end; first < bytes; first = end) {
        end = text_character_end(text, bytes, first);
        memcpy(out + bytes - end, text + first, end - first);
    }
}

/* Rewrites one text by an operation that keeps its number of bytes; false: the operation does not. */
PORTABLE bool text_rewrite(dev_build_op op, const char *text, size_t bytes, char *out)
{
    switch (op) {
    case DEV_BUILD_UPPER:
    case DEV_BUILD_LOWER:
        text_change_case(text, bytes, op == DEV_BUILD_UPPER, out);
        return true;
    case DEV_BUILD_REVERSE:
        text_reverse(text, bytes, out);
        return true;
    default:
        return false;
    }
}

#endif
