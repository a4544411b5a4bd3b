/* text_out.c - buffers that are full. */
#include "base/row/text_out.h"

void text_out_flush(text_out *out)
{
    if (!out->target)
        return;
    fwrite(out->begin, 1, (size_t)(out->at - out->begin), out->target);
    out->at = out->begin;
}

void text_out_add_more(text_out *out, const char *text, size_t bytes)
{
    if (!out->target) {
        out->is_full = true;
        return;
    }
    text_out_flush(out);
    if (bytes > (size_t)(out->end - out->begin)) {
        fwrite(text, 1, bytes, out->target);
        return;
    }
    memcpy(out->at, text, bytes);
    out->at += bytes;
}
