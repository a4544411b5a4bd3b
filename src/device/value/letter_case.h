/* letter_case.h - the other case of letters of two bytes, for the kernels of all devices. */
#ifndef PISTACHIO_DEVICE_VALUE_LETTER_CASE_H
#define PISTACHIO_DEVICE_VALUE_LETTER_CASE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define LETTER_FUNCTION static __device__
#else
#define LETTER_FUNCTION static inline
#endif

/* Pairs side by side, the upper case on even or on odd code points. */
LETTER_FUNCTION uint32_t pair_case(uint32_t c, bool to_upper, uint32_t upper_parity)
{
    bool is_upper = (c & 1) == upper_parity;
    if (is_upper == to_upper)
        return c;
    return to_upper ? c - 1 : c + 1;
}

LETTER_FUNCTION uint32_t shift_case(uint32_t c, bool to_upper, uint32_t first_upper,
                                    uint32_t last_upper, uint32_t distance)
{
    if (!to_upper && c >= first_upper && c <= last_upper)
        return c + distance;
    if (to_upper && c >= first_upper + distance && c <= last_upper + distance)
        return c - distance;
    return c;
}

LETTER_FUNCTION uint32_t letter_case(uint32_t c, bool to_upper)
{
    if (c < 0x100) /* Latin-1: not the signs of multiplication and division */
        return (c & 0x1f) == 0x17 ? c
               : c == 0xff        ? (to_upper ? 0x178 : c)
                                  : shift_case(c, to_upper, 0xc0, 0xde, 0x20);
    if (c < 0x180) { /* Latin Extended-A */
        if (c == 0x178)
            return to_upper ? c : 0xff;
        if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17f)
            return c;
        bool is_odd = (c >= 0x139 && c <= 0x148) || c >= 0x179;
        return pair_case(c, to_upper, is_odd);
    }
    if (c >= 0x386 && c <= 0x3ce) { /* Greek */
        if (c == 0x386 || c == 0x3ac)
            return to_upper ? 0x386 : 0x3ac;
        if (c == 0x38c || c == 0x3cc)
            return to_upper ? 0x38c : 0x3cc;
        if ((c >= 0x388 && c <= 0x38a) || (c >= 0x3ad && c <= 0x3af))
            return shift_case(c, to_upper, 0x388, 0x38a, 0x25);
        if (c == 0x38e || c == 0x38f || c == 0x3cd || c == 0x3ce)
            return shift_case(c, to_upper, 0x38e, 0x38f, 0x3f);
        if (c == 0x3c2) /* the sigma at a word's end */
            return to_upper ? 0x3a3 : c;
        return shift_case(c, to_upper, 0x391, 0x3ab, 0x20);
    }
    if (c >= 0x400 && c < 0x530) { /* Cyrillic */
        if (c < 0x410 || (c >= 0x450 && c < 0x460))
            return shift_case(c, to_upper, 0x400, 0x40f, 0x50);
        if (c < 0x450)
            return shift_case(c, to_upper, 0x410, 0x42f, 0x20);
        if ((c >= 0x482 && c <= 0x489) || c == 0x4c0 || c == 0x4cf)
            return c;
        return pair_case(c, to_upper, c >= 0x4c1 && c <= 0x4ce);
    }
    return c;
}

#endif
