/* json_text.c - escaping, span by span. */
#include "base/json_text.h"

static void write_escape(unsigned char c, text_out *out)
{
    char escape[8] = {'\\', (char)c};
    size_t bytes = 2;
    if (c == '\n')
        escape[1] = 'n';
    else if (c == '\t')
        escape[1] = 't';
    else if (c != '"' && c != '\\')
        bytes = (size_t)snprintf(escape, sizeof escape, "\\u%04x", c);
    text_out_add(out, escape, bytes);
}

void json_write_text(const char *text, size_t bytes, text_out *out)
{
    size_t done = 0;
    text_out_char(out, '"');
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        text_out_add(out, text + done, i - done);
        write_escape(c, out);
        done = i + 1;
    }
    text_out_add(out, text + done, bytes - done);
    text_out_char(out, '"');
}
