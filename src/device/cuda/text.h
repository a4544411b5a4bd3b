/* text.h - text of a bounded length, printed piece by piece. */
#ifndef PISTACHIO_DEVICE_CUDA_TEXT_H
#define PISTACHIO_DEVICE_CUDA_TEXT_H

#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Place of the next piece, and the end of the room. */
typedef struct cuda_text {
    char *at, *end;
} cuda_text;

/* Adds a piece with a closing NUL, cut at the end of the room, which is not empty. */
static inline void PRINTF_LIKE(2, 3) cuda_text_add(cuda_text *t, const char *format, ...)
{
    va_list list;
    size_t room = (size_t)(t->end - t->at);
    va_start(list, format);
    int written = vsnprintf(t->at, room, format, list);
    va_end(list);
    t->at += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

#endif
