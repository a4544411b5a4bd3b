/* uuid_text.h - UUIDs, and their text, as PostgreSQL reads and prints it. On every device.
 *
 * A UUID is the 128-bit number of its bytes, the first the highest, with the sign bit turned over: the order of these
 * signed numbers is that of the bytes, and what works for a decimal of 16 bytes works for it. */
#ifndef PISTACHIO_BASE_TEXT_UUID_TEXT_H
#define PISTACHIO_BASE_TEXT_UUID_TEXT_H

#include "base/type/portable.h"

#define UUID_SIGN ((uint128)1 << 127)

PORTABLE int128 uuid_of_bytes(const uint8_t *bytes)
{
    uint128 number = 0;
    for (int i = 0; i < UUID_BYTES; i++)
        number = number << 8 | bytes[i];
    return (int128)(number ^ UUID_SIGN);
}

PORTABLE void uuid_to_bytes(int128 uuid, uint8_t *bytes)
{
    uint128 number = (uint128)uuid ^ UUID_SIGN;
    for (int i = 0; i < UUID_BYTES; i++)
        bytes[i] = (uint8_t)(number >> (8 * (UUID_BYTES - 1 - i)));
}

/* Returns a hexadecimal digit's value; -1 for other characters. */
PORTABLE int uuid_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 32 digits of either case, a hyphen after any four of them, all in braces or not. */
PORTABLE bool uuid_parse_text(const char *text, size_t bytes, int128 *out)
{
    const char *at = text, *end = text + bytes;
    bool has_braces = bytes >= 2 && text[0] == '{' && text[bytes - 1] == '}';
    uint128 number = 0;
    if (has_braces) {
        at++;
        end--;
    }
    for (int digits = 0; digits < 2 * UUID_BYTES; digits++) {
        if (digits && digits % 4 == 0 && at < end && *at == '-')
            at++;
        int digit = at < end ? uuid_digit(*at++) : -1;
        if (digit < 0)
            return false;
        number = number << 4 | (unsigned)digit;
    }
    *out = (int128)(number ^ UUID_SIGN);
    return at == end;
}

/* UUID_TEXT_BYTES, without a closing NUL. */
PORTABLE size_t uuid_format_text(int128 uuid, char *text)
{
    uint128 number = (uint128)uuid ^ UUID_SIGN;
    size_t length = 0;
    for (int byte = 0; byte < UUID_BYTES; byte++) {
        unsigned two = (unsigned)(number >> (8 * (UUID_BYTES - 1 - byte))) & 255;
        unsigned high = two >> 4, low = two & 15;
        if (byte == 4 || byte == 6 || byte == 8 || byte == 10)
            text[length++] = '-';
        text[length++] = (char)(high < 10 ? '0' + high : 'a' + (high - 10));
        text[length++] = (char)(low < 10 ? '0' + low : 'a' + (low - 10));
    }
    return length;
}

#endif
