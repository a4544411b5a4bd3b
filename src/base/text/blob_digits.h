/* blob_digits.h - hexadecimal and escaped bytes, on every device: what blob_text.h declares, under names
 * of its own. */
#ifndef PISTACHIO_BASE_TEXT_BLOB_DIGITS_H
#define PISTACHIO_BASE_TEXT_BLOB_DIGITS_H

#include "base/type/portable.h"

PORTABLE int blob_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

PORTABLE bool blob_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

PORTABLE bool blob_parse_hex(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (blob_is_space(text[i]))
            continue;
        int high = blob_hex_digit(text[i]), low = i + 1 < bytes ? blob_hex_digit(text[i + 1]) : -1;
        if (high < 0 || low < 0)
            return false;
        if (out)
            out[count] = (char)(high << 4 | low);
        count++;
        i++;
    }
    *out_bytes = count;
    return true;
}

/* Returns the byte of \ooo, from \000 to \377; -1: the digits do not spell one. */
PORTABLE int blob_octal_byte(const char *digits, size_t bytes)
{
    if (bytes < 3 || digits[0] < '0' || digits[0] > '3' || digits[1] < '0' || digits[1] > '7' ||
        digits[2] < '0' || digits[2] > '7')
        return -1;
    return (digits[0] - '0') << 6 | (digits[1] - '0') << 3 | (digits[2] - '0');
}

PORTABLE bool blob_parse_escaped(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        int byte = (unsigned char)text[i];
        if (byte == '\\' && i + 1 < bytes && text[i + 1] == '\\') {
            i++;
        } else if (byte == '\\') {
            byte = blob_octal_byte(text + i + 1, bytes - i - 1);
            if (byte < 0)
                return false;
            i += 3;
        }
        if (out)
            out[count] = (char)byte;
        count++;
    }
    *out_bytes = count;
    return true;
}

PORTABLE bool blob_is_escaped(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\\')
            return true;
    return false;
}

PORTABLE bool blob_parse_text(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    if (bytes >= 2 && text[0] == '\\' && text[1] == 'x')
        return blob_parse_hex(text + 2, bytes - 2, out, out_bytes);
    if (blob_is_escaped(text, bytes))
        return blob_parse_escaped(text, bytes, out, out_bytes);
    if (out && bytes)
        memcpy(out, text, bytes);
    *out_bytes = bytes;
    return true;
}

PORTABLE void blob_format_text(const char *data, size_t bytes, char *out)
{
    const char *digits = "0123456789abcdef";
    *out++ = '\\';
    *out++ = 'x';
    for (size_t i = 0; i < bytes; i++) {
        *out++ = digits[(unsigned char)data[i] >> 4];
        *out++ = digits[(unsigned char)data[i] & 15];
    }
}

#endif
