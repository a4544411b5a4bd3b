/* base64.c - see base64.h. */
#include "server/access/base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        *text++ = letters[group >> 18];
        *text++ = letters[group >> 12 & 63];
        *text++ = left > 1 ? letters[group >> 6 & 63] : '=';
        *text++ = left > 2 ? letters[group & 63] : '=';
    }
    *text = 0;
}

/* Reads four letters, of which the last ones may be padding. Returns the number of bytes, 0: they are wrong. */
static size_t read_group(const char *text, uint8_t bytes[3])
{
    uint32_t group = 0;
    size_t padding = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    for (size_t i = 0; i < 4 - padding; i++) {
        const char *letter = text[i] ? strchr(letters, text[i]) : NULL;
        if (!letter)
            return 0;
        group |= (uint32_t)(letter - letters) << (18 - 6 * i);
    }
    for (size_t i = 0; i < 3; i++)
        bytes[i] = (uint8_t)(group >> (16 - 8 * i));
    return 3 - padding;
}

bool base64_read(const char *text, size_t length, uint8_t *out, size_t room, size_t *out_count)
{
    *out_count = 0;
    if (length % 4)
        return false;
    for (size_t i = 0; i < length; i += 4) {
        uint8_t bytes[3];
        size_t count = read_group(text + i, bytes);
        if (!count || (count < 3 && i + 4 < length) || *out_count + count > room)
            return false;
        memcpy(out + *out_count, bytes, count);
        *out_count += count;
    }
    return true;
}
