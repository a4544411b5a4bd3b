/* text_search.h - finding a text in another one in linear time: what is left to the searches of every device when a long text
 * nearly matches at many places (Crochemore and Perrin, "Two-way string-matching", 1991).
 *
 *   needle   left | right       the right part is compared first, from left to right, then the left one backwards
 *
 * The needle is divided where its local period is that of the whole, so a shift by the period, or past the byte that
 * differs, misses nothing. No memory is needed. */
#ifndef PISTACHIO_DEVICE_VALUE_TEXT_SEARCH_H
#define PISTACHIO_DEVICE_VALUE_TEXT_SEARCH_H

#include "base/type/portable.h"

#define TEXT_SEARCH_NONE SIZE_MAX

/* Returns where the greatest suffix begins, by the order of bytes or the opposite one, and the suffix's period. */
PORTABLE size_t text_greatest_suffix(const unsigned char *needle, size_t bytes, bool is_opposite,
                                     size_t *period)
{
    size_t start = 0, next = 1, same = 0;
    *period = 1;
    while (next + same < bytes) {
        unsigned char a = needle[start + same], b = needle[next + same];
        if (a == b) {
            if (++same == *period) {
                next += same;
                same = 0;
            }
        } else if (is_opposite ? a < b : a > b) {
            next += same + 1;
            same = 0;
            *period = next - start;
        } else {
            start = next++;
            same = 0;
            *period = 1;
        }
    }
    return start;
}

/* A needle of at least one byte. */
typedef struct text_needle {
    const unsigned char *data;
    size_t bytes, right; /* where the right part begins */
    size_t shift, known; /* after a match of the right part; bytes that then match at the start */
} text_needle;

PORTABLE text_needle text_needle_of(const char *data, size_t bytes)
{
    text_needle n = {(const unsigned char *)data, bytes, 0, 0, 0};
    size_t period, opposite_period, same = 0;
    size_t opposite = text_greatest_suffix(n.data, bytes, true, &opposite_period);
    n.right = text_greatest_suffix(n.data, bytes, false, &period);
    if (opposite > n.right) {
        n.right = opposite;
        period = opposite_period;
    }
    while (same < n.right && same + period < bytes && n.data[same] == n.data[same + period])
        same++;
    if (same == n.right) { /* the period is the whole needle's */
        n.shift = period;
        n.known = bytes - period;
    } else {
        size_t left = n.right, right = bytes - n.right;
        n.shift = (left > right ? left : right) + 1;
    }
    return n;
}

/* Returns where the needle occurs first, or TEXT_SEARCH_NONE. */
PORTABLE size_t text_search_linear(const char *text, size_t bytes, const text_needle *n)
{
    size_t at = 0, known = 0;
    while (n->bytes <= bytes && at <= bytes - n->bytes) {
        const unsigned char *here = (const unsigned char *)text + at;
        size_t i = known > n->right ? known : n->right;
        while (i < n->bytes && n->data[i] == here[i])
            i++;
        if (i < n->bytes) {
            at += i - n->right + 1;
            known = 0;
            continue;
        }
        for (i = n->right; i > known && n->data[i - 1] == here[i - 1];)
            i--;
        if (i <= known)
            return at;
        at += n->shift;
        known = n->known;
    }
    return TEXT_SEARCH_NONE;
}

#endif
