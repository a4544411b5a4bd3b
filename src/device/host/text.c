/* text.c - functions of texts: parts between delimiters, padding, translating, characters by number,
 * digests and encodings as text. Positions and lengths count characters. */
#include "device/host/digest.h"
#include "device/host/host.h"
#include "device/value/text_part.h"

#include <ctype.h>

#define HEX_DIGITS "0123456789abcdef"

/* ---- split_part ---- */

/* Returns where the delimiter is next from `from` on, or the text's end. */
static size_t text_find(const string_view *text, const string_view *delimiter, size_t from)
{
    const char *start = string_data(text);
    const char *found =
        memmem(start + from, text->bytes - from, string_data(delimiter), delimiter->bytes);
    return found ? (size_t)(found - start) : text->bytes;
}

/* How many parts there are. */
static int64_t text_count_parts(const string_view *text, const string_view *delimiter)
{
    int64_t count = 1;
    for (size_t at = text_find(text, delimiter, 0); at < text->bytes; count++)
        at = text_find(text, delimiter, at + delimiter->bytes);
    /* A delimiter at the very end has an empty part behind it. */
    return count;
}

status host_split_part(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row), *delimiter = host_text(c, 1, row);
    int64_t number = host_integer(c, 2, row);
    size_t start = 0, end;
    if (number == 0)
        return status_new(STATUS_KIND_DATA,
                          "split_part counts parts from 1, or from the end from -1");
    if (!delimiter->bytes || !text->bytes) {
        if (number == 1 || number == -1)
            host_put_part(c, row, string_data(text), text->bytes);
        return STATUS_OK;
    }
    if (number < 0) {
        number += text_count_parts(text, delimiter) + 1;
        if (number <= 0)
            return STATUS_OK;
    }
    end = text_find(text, delimiter, 0);
    while (--number > 0) {
        if (end + delimiter->bytes > text->bytes)
            return STATUS_OK;
        start = end + delimiter->bytes;
        end = text_find(text, delimiter, start);
    }
    host_put_part(c, row, string_data(text) + start, end - start);
    return STATUS_OK;
}

/* ---- ends_with ---- */

status host_ends_with(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row), *with = host_text(c, 1, row);
    host_put_boolean(
        c, row,
        with->bytes <= text->bytes &&
            !memcmp(string_data(text) + text->bytes - with->bytes, string_data(with), with->bytes));
    return STATUS_OK;
}

/* ---- padding ---- */

/* `characters` characters of the fill, again and again. */
static void text_fill(char *to, size_t bytes, const char *with, size_t with_bytes)
{
    for (size_t at = 0; at < bytes; at += with_bytes)
        memcpy(to + at, with, bytes - at < with_bytes ? bytes - at : with_bytes);
}

static status pad(host_call *c, uint64_t row, bool at_left)
{
    const string_view *view = host_text(c, 0, row);
    const char *text = string_data(view), *with = " ";
    size_t with_bytes = 1;
    int64_t wanted = host_integer(c, 1, row);
    uint64_t length = wanted > 0 ? (uint64_t)wanted : 0;
    uint64_t has = text_characters(text, view->bytes);
    if (c->arg_count > 2) {
        const string_view *fill_view = host_text(c, 2, row);
        with = string_data(fill_view);
        with_bytes = fill_view->bytes;
    }
    if (has >= length || !with_bytes) {
        host_put_part(c, row, text, text_skip(text, view->bytes, length));
        return STATUS_OK;
    }
    uint64_t missing = length - has, per_fill = text_characters(with, with_bytes);
    if (missing > HOST_TEXT_MAX)
        return status_new(STATUS_KIND_DATA, "a text would have %llu characters; the limit is %llu",
                          (unsigned long long)length, (unsigned long long)HOST_TEXT_MAX);
    uint64_t bytes =
        missing / per_fill * with_bytes + text_skip(with, with_bytes, missing % per_fill);
    char *room;
    TRY(host_put_room(c, bytes + view->bytes, &room));
    text_fill(at_left ? room : room + view->bytes, bytes, with, with_bytes);
    memcpy(at_left ? room + bytes : room, text, view->bytes);
    host_put_filled(c, row, bytes + view->bytes);
    return STATUS_OK;
}

status host_lpad(host_call *c, uint64_t row)
{
    return pad(c, row, true);
}

status host_rpad(host_call *c, uint64_t row)
{
    return pad(c, row, false);
}

status host_repeat(host_call *c, uint64_t row)
{
    const string_view *text = host_text(c, 0, row);
    int64_t times = host_integer(c, 1, row);
    char *room;
    if (times <= 0 || !text->bytes)
        return STATUS_OK;
    uint64_t bytes;
    if (__builtin_mul_overflow(text->bytes, (uint64_t)times, &bytes))
        bytes = UINT64_MAX;
    TRY(host_put_room(c, bytes, &room));
    text_fill(room, bytes, string_data(text), text->bytes);
    host_put_filled(c, row, bytes);
    return STATUS_OK;
}

/* ---- translate, initcap ---- */

/* The character of `to` that stands where this one does in `from`; its bytes are 0 where `from` is
 * longer. False: it is not in `from`. */
static bool find_translation(const char *character, size_t bytes, const string_view *from,
                             const string_view *to, const char **out, size_t *out_bytes)
{
    const char *source = string_data(from), *target = string_data(to);
    size_t target_at = 0;
    for (size_t at = 0; at < from->bytes;) {
        size_t end = text_character_end(source, from->bytes, at);
        size_t target_end =
            target_at < to->bytes ? text_character_end(target, to->bytes, target_at) : target_at;
        if (end - at == bytes && !memcmp(source + at, character, bytes)) {
            *out = target + target_at;
            *out_bytes = target_end - target_at;
            return true;
        }
        at = end;
        target_at = target_end;
    }
    return false;
}

status host_translate(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const string_view *from = host_text(c, 1, row), *to = host_text(c, 2, row);
    const char *text = string_data(view), *with;
    size_t length = 0, with_bytes;
    char *room;
    /* A character of one byte may become one of four. */
    TRY(host_put_room(c, (uint64_t)view->bytes * 4, &room));
    for (size_t at = 0; at < view->bytes;) {
        size_t end = text_character_end(text, view->bytes, at);
        if (!find_translation(text + at, end - at, from, to, &with, &with_bytes)) {
            with = text + at;
            with_bytes = end - at;
        }
        memcpy(room + length, with, with_bytes);
        length += with_bytes;
        at = end;
    }
    host_put_filled(c, row, length);
    return STATUS_OK;
}

/* The first letter of each word in upper case, the others in lower; in as many bytes. */
/* Takes those characters beyond ASCII for letters or digits that no block of marks and symbols has. */
static bool text_is_of_word(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } marks[] = {{0x80, 0xa9},     {0xab, 0xb4},      {0xb6, 0xb9},     {0xbb, 0xbf},
                 {0xd7, 0xd7},     {0xf7, 0xf7},      {0x2000, 0x206f}, {0x20a0, 0x20cf},
                 {0x2190, 0x2bff}, {0x3000, 0x3004},  {0x3008, 0x3020}, {0xe000, 0xf8ff},
                 {0xfe00, 0xfe0f}, {0x1f000, 0x1faff}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (character >= marks[i].first && character <= marks[i].last)
            return false;
    return true;
}

/* The character of three or four bytes that begins here. */
static uint32_t long_character(const char *text, size_t bytes)
{
    uint32_t character = (unsigned char)*text & (bytes == 3 ? 0x0f : 0x07);
    for (size_t i = 1; i < bytes; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3f);
    return character;
}

status host_initcap(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const char *text = string_data(view);
    bool in_word = false;
    char *room;
    TRY(host_put_room(c, view->bytes, &room));
    for (size_t at = 0; at < view->bytes; at++) {
        unsigned char byte = (unsigned char)text[at];
        if (byte < 0x80) {
            room[at] = (char)(in_word ? tolower(byte) : toupper(byte));
            in_word = isalnum(byte);
        } else if ((byte & 0xe0) == 0xc0 && at + 1 < view->bytes &&
                   text_is_continuation(text[at + 1])) {
            uint32_t letter = (uint32_t)(byte & 0x1f) << 6 | ((unsigned char)text[at + 1] & 0x3f);
            letter = letter_case(letter, !in_word);
            room[at++] = (char)(0xc0 | letter >> 6);
            room[at] = (char)(0x80 | (letter & 0x3f));
            in_word = text_is_of_word(letter);
        } else {
            size_t end = text_character_end(text, view->bytes, at);
            in_word = end - at < 3 || text_is_of_word(long_character(text + at, end - at));
            memcpy(room + at, text + at, end - at);
            at = end - 1;
        }
    }
    host_put_filled(c, row, view->bytes);
    return STATUS_OK;
}

/* ---- characters by number ---- */

static size_t encode_character(uint32_t number, char *out)
{
    if (number < 0x80) {
        out[0] = (char)number;
        return 1;
    }
    size_t bytes = number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; number >>= 6)
        out[i] = (char)(0x80 | (number & 0x3f));
    out[0] = (char)(marks[bytes] | number);
    return bytes;
}

status host_chr(host_call *c, uint64_t row)
{
    int64_t number = host_integer(c, 0, row);
    char text[4];
    if (number <= 0 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000))
        return status_new(STATUS_KIND_DATA, "%lld is the number of no character",
                          (long long)number);
    host_put_part(c, row, text, encode_character((uint32_t)number, text));
    return STATUS_OK;
}

status host_ascii(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    const unsigned char *text = (const unsigned char *)string_data(view);
    if (!view->bytes)
        return STATUS_OK;
    size_t bytes = text_character_end((const char *)text, view->bytes, 0);
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t number = text[0] & masks[bytes < 5 ? bytes : 4];
    for (size_t i = 1; i < bytes && i < 4; i++)
        number = number << 6 | (text[i] & 0x3f);
    host_put_integer(c, row, number);
    return STATUS_OK;
}

status host_unicode(host_call *c, uint64_t row)
{
    if (host_text(c, 0, row)->bytes)
        return host_ascii(c, row);
    host_put_integer(c, row, -1);
    return STATUS_OK;
}

/* ---- concat_ws ---- */

status host_concat_ws(host_call *c, uint64_t row)
{
    if (host_is_null(c, 0, row)) {
        host_put_null(c, row);
        return STATUS_OK;
    }
    const string_view *separator = host_text(c, 0, row);
    uint64_t bytes = 0, count = 0;
    for (uint32_t i = 1; i < c->arg_count; i++)
        if (!host_is_null(c, i, row)) {
            bytes += host_text(c, i, row)->bytes + (count ? separator->bytes : 0);
            count++;
        }
    char *room;
    TRY(host_put_room(c, bytes, &room));
    size_t at = 0;
    count = 0;
    for (uint32_t i = 1; i < c->arg_count; i++) {
        if (host_is_null(c, i, row))
            continue;
        const string_view *text = host_text(c, i, row);
        if (count++) {
            memcpy(room + at, string_data(separator), separator->bytes);
            at += separator->bytes;
        }
        memcpy(room + at, string_data(text), text->bytes);
        at += text->bytes;
    }
    host_put_filled(c, row, bytes);
    return STATUS_OK;
}

/* ---- hexadecimal, digests ---- */

static void put_hex(const unsigned char *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = HEX_DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = HEX_DIGITS[bytes[i] & 15];
    }
}

/* Writes at most eight digits of an int32. */
status host_to_hex(host_call *c, uint64_t row)
{
    const host_operand *x = &c->args[0];
    bool is_narrow = x->type.width == 4;
    uint64_t number = is_narrow ? ((const uint32_t *)x->values)[row * x->stride]
                                : (uint64_t)host_integer(c, 0, row);
    char text[16];
    size_t at = sizeof text;
    do
        text[--at] = HEX_DIGITS[number & 15];
    while (number >>= 4);
    return host_put_text(c, row, text + at, sizeof text - at);
}

status host_md5(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    unsigned char digest[MD5_BYTES];
    char text[2 * MD5_BYTES];
    digest_md5(string_data(view), view->bytes, digest);
    put_hex(digest, sizeof digest, text);
    return host_put_text(c, row, text, sizeof text);
}

status host_sha256(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row);
    unsigned char digest[SHA256_BYTES];
    char text[2 * SHA256_BYTES];
    digest_sha256(string_data(view), view->bytes, digest);
    if (c->type.id == TYPE_BLOB)
        return host_put_text(c, row, (const char *)digest, sizeof digest);
    put_hex(digest, sizeof digest, text);
    return host_put_text(c, row, text, sizeof text);
}
