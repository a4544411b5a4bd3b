/* json_text.c - escaping, span by span. */
#include "base/json_text.h"

static void write_escape(unsigned char c, FILE *target)
{
    if (c == '"' || c == '\\')
        fprintf(target, "\\%c", c);
    else if (c == '\n')
        fputs("\\n", target);
    else if (c == '\t')
        fputs("\\t", target);
    else
        fprintf(target, "\\u%04x", c);
}

void json_write_text(const char *text, size_t bytes, FILE *target)
{
    size_t done = 0;
    putc_unlocked('"', target);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        fwrite(text + done, 1, i - done, target);
        write_escape(c, target);
        done = i + 1;
    }
    fwrite(text + done, 1, bytes - done, target);
    putc_unlocked('"', target);
}
