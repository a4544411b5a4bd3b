/* blob_text.c - hexadecimal and escaped bytes. */
#include "base/blob_text.h"

#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool parse_hex(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (is_space(text[i]))
            continue;
        int high = hex_digit(text[i]), low = i + 1 < bytes ? hex_digit(text[i + 1]) : -1;
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

/* The byte of \ooo, from \000 to \377; -1: it is none. */
static int octal_byte(const char *digits, size_t bytes)
{
    if (bytes < 3 || digits[0] < '0' || digits[0] > '3' || digits[1] < '0' || digits[1] > '7' ||
        digits[2] < '0' || digits[2] > '7')
        return -1;
    return (digits[0] - '0') << 6 | (digits[1] - '0') << 3 | (digits[2] - '0');
}

static bool parse_escaped(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        int byte = (unsigned char)text[i];
        if (byte == '\\' && i + 1 < bytes && text[i + 1] == '\\') {
            i++;
        } else if (byte == '\\') {
            byte = octal_byte(text + i + 1, bytes - i - 1);
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

bool blob_parse(const char *text, size_t bytes, char *out, size_t *out_bytes)
{
    if (bytes >= 2 && text[0] == '\\' && text[1] == 'x')
        return parse_hex(text + 2, bytes - 2, out, out_bytes);
    if (bytes && memchr(text, '\\', bytes))
        return parse_escaped(text, bytes, out, out_bytes);
    if (out && bytes)
        memcpy(out, text, bytes);
    *out_bytes = bytes;
    return true;
}

void blob_format(const char *data, size_t bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";
    *out++ = '\\';
    *out++ = 'x';
    for (size_t i = 0; i < bytes; i++) {
        *out++ = digits[(unsigned char)data[i] >> 4];
        *out++ = digits[(unsigned char)data[i] & 15];
    }
}
