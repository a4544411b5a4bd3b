/* bitmap_copy.h - copying runs of bits between bitmaps of 64-bit words. */
#ifndef PISTACHIO_BASE_TYPE_BITMAP_COPY_H
#define PISTACHIO_BASE_TYPE_BITMAP_COPY_H

#include <stdint.h>

/* Bits [from, from + count) of source to target, bit `at` on. source NULL: ones. */
static inline void bitmap_copy(uint64_t *target, uint64_t at, const uint64_t *source, uint64_t from,
                               uint64_t count)
{
    while (count) {
        unsigned offset = at % 64, shift = from % 64;
        uint64_t width = 64 - offset < count ? 64 - offset : count;
        uint64_t mask = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1, bits = mask;
        if (source) {
            bits = source[from / 64] >> shift;
            if (shift && shift + width > 64)
                bits |= source[from / 64 + 1] << (64 - shift);
            bits &= mask;
        }
        target[at / 64] = (target[at / 64] & ~(mask << offset)) | bits << offset;
        at += width;
        from += width;
        count -= width;
    }
}

#endif
