/* web_text.c - see web_text.h. */
#include "server/web/web_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void write_unicode_escape(FILE *out, unsigned code)
{
    fprintf(out, "\\u%04x", code);
}

/* Reads a character of UTF-8, of which the engine's texts consist; what is not is taken byte by byte. */
static uint32_t take_character(const unsigned char **at)
{
    const unsigned char *text = *at;
    unsigned more = text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : text[0] >= 0xc0 ? 1 : 0;
    uint32_t code = more ? text[0] & (0x3fu >> more) : text[0];
    for (unsigned i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            *at += 1;
            return text[0];
        }
        code = code << 6 | (text[i] & 0x3f);
    }
    *at += more + 1;
    return code;
}

static void write_ascii(FILE *out, uint32_t code)
{
    if (code > 0xffff) {
        write_unicode_escape(out, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    write_unicode_escape(out, code);
}

static void write_text(FILE *out, const char *text, bool is_ascii)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', out);
    while (*at) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at++);
        else if (*at < 0x20 || *at == 0x7f || strchr("<>&", *at))
            write_unicode_escape(out, *at++);
        else if (is_ascii && *at > 0x7f)
            write_ascii(out, take_character(&at));
        else
            putc(*at++, out);
    }
    putc('"', out);
}

void json_text(FILE *out, const char *text)
{
    write_text(out, text, false);
}

void json_text_ascii(FILE *out, const char *text)
{
    write_text(out, text, true);
}
