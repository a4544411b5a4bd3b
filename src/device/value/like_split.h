/* like_split.h - taking a pattern of LIKE apart: what dev_pattern (kernel_ops.h) says. */
#ifndef PISTACHIO_DEVICE_VALUE_LIKE_SPLIT_H
#define PISTACHIO_DEVICE_VALUE_LIKE_SPLIT_H

#include "base/type/portable.h"
#include "device/kernels/kernel_ops.h"

/* Pieces between % signs: their bytes one after another, and where each ends. Room for the pattern's bytes. */
typedef struct like_pieces {
    uint32_t *ends;
    uint8_t *bytes;
    dev_pattern header;
} like_pieces;

PORTABLE void like_end_piece(like_pieces *p, uint32_t *start)
{
    if (p->header.piece_bytes > *start)
        p->ends[p->header.piece_count++] = p->header.piece_bytes;
    *start = p->header.piece_bytes;
}

/* Returns false where the pattern ends with the escape; the pieces are those before it. */
PORTABLE bool like_split(const char *pattern, size_t bytes, int escape, like_pieces *p)
{
    uint32_t start = 0;
    bool last_is_any = false, ends_with_escape = false;
    p->header.at_start = true;
    for (size_t i = 0; i < bytes && !ends_with_escape; i++) {
        unsigned char c = (unsigned char)pattern[i];
        last_is_any = false;
        if (escape >= 0 && c == (unsigned)escape) {
            ends_with_escape = ++i == bytes;
            if (!ends_with_escape)
                p->bytes[p->header.piece_bytes++] = (uint8_t)pattern[i];
        } else if (c == '%') {
            if (i == 0)
                p->header.at_start = false;
            like_end_piece(p, &start);
            last_is_any = true;
        } else if (c == '_') {
            p->header.has_wildcards = true;
            p->bytes[p->header.piece_bytes++] = DEV_PATTERN_ANY_BYTE;
        } else {
            p->bytes[p->header.piece_bytes++] = c;
        }
    }
    like_end_piece(p, &start);
    p->header.at_end = !last_is_any;
    return !ends_with_escape;
}

#endif
