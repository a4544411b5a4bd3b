/* text_trim.h - texts without what is at their ends: what the kernels of every device do with a row. Who
 * includes it has said how it searches:
 *
 *   TEXT_HAS(text, bytes, part, part_bytes)   does the part, a character, occur in the text? */
#ifndef PISTACHIO_DEVICE_VALUE_TEXT_TRIM_H
#define PISTACHIO_DEVICE_VALUE_TEXT_TRIM_H

#include "device/value/text_part.h"

/* Without the characters of the set at the ends that `ends` says (dev_trim_op): *from to *to. */
PORTABLE void text_trim(uint8_t ends, const char *text, size_t bytes, const char *set,
                        size_t set_bytes, size_t *from, size_t *to)
{
    *from = 0;
    *to = bytes;
    while (ends & DEV_TRIM_LEFT && *from < *to) {
        size_t length = text_skip(text + *from, *to - *from, 1);
        if (!TEXT_HAS(set, set_bytes, text + *from, length))
            break;
        *from += length;
    }
    while (ends & DEV_TRIM_RIGHT && *from < *to) {
        size_t last = *from + text_skip_from_end(text + *from, *to - *from, 1);
        if (!TEXT_HAS(set, set_bytes, text + last, *to - last))
            break;
        *to = last;
    }
}

#endif
