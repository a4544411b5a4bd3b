/* text_out.h - text on its way to a stream, or to a buffer that another thread will write: appending is a
 * copy, a stream is only told what fills the buffer. */
#ifndef PISTACHIO_BASE_ROW_TEXT_OUT_H
#define PISTACHIO_BASE_ROW_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* No buffer has less. */
#define TEXT_OUT_BYTES_MIN 256

/* One thread at a time. A failure to write is left in the stream (ferror). */
typedef struct text_out {
    char *begin, *at, *end; /* the buffer, which is the owner's, and how far it is filled */
    FILE *target;           /* NULL: what does not fit is dropped, and it is noted */
    bool is_full;           /* that it was: what is in the buffer may end anywhere */
} text_out;

/* Writes the buffer to the stream, if there is one. */
void text_out_flush(text_out *out);
/* Adds text that the buffer has no room for. */
void text_out_add_more(text_out *out, const char *text, size_t bytes);

static inline void text_out_add(text_out *out, const char *text, size_t bytes)
{
    if (bytes > (size_t)(out->end - out->at)) {
        text_out_add_more(out, text, bytes);
        return;
    }
    memcpy(out->at, text, bytes);
    out->at += bytes;
}

static inline void text_out_char(text_out *out, char c)
{
    text_out_add(out, &c, 1);
}

/* A place for so many bytes, at most TEXT_OUT_BYTES_MIN, of which the caller says by moving out->at how
 * many he has written; NULL: the buffer is full. */
static inline char *text_out_room(text_out *out, size_t bytes)
{
    if (bytes > (size_t)(out->end - out->at)) {
        text_out_flush(out);
        out->is_full |= !out->target;
    }
    return bytes > (size_t)(out->end - out->at) ? NULL : out->at;
}

#endif
