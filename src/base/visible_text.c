/* visible_text.c - see visible_text.h. */
#include "base/visible_text.h"

#include <string.h>

size_t visible_control(const char *text, size_t bytes)
{
    unsigned char first = bytes ? (unsigned char)text[0] : ' ';
    if (first < ' ' || first == 0x7f)
        return 1;
    unsigned char second = bytes > 1 ? (unsigned char)text[1] : 0;
    return first == 0xc2 && second >= 0x80 && second <= 0x9f ? 2 : 0;
}

/* Writes how one byte is spelled, if there is room for it; returns its length. */
static size_t spell(unsigned char byte, char *out)
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[][2] = {{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i][0] == (char)byte) {
            if (out)
                memcpy(out, (const char[]){'\\', letters[i][1]}, 2);
            return 2;
        }
    if (out)
        memcpy(out, (const char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, 4);
    return 4;
}

size_t visible_text(const char *text, size_t bytes, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < bytes;) {
        size_t control = visible_control(text + i, bytes - i);
        if (!control) {
            if (out)
                out[length] = text[i];
            length++;
            i++;
        }
        for (; control; control--, i++)
            length += spell((unsigned char)text[i], out ? out + length : NULL);
    }
    return length;
}
