/* sort_key.h - packed sort keys, three words each, as the kernel sort_pack makes them: what the first
 * word says besides where NULL goes, and which of two rows comes first. */
#ifndef PISTACHIO_DEVICE_VALUE_SORT_KEY_H
#define PISTACHIO_DEVICE_VALUE_SORT_KEY_H

#include "base/type/type.h"

#include <string.h>

#define SORT_KEY_TEXT 2       /* the other words are a string_view */
#define SORT_KEY_DESCENDING 4 /* numbers are turned round already */

/* Returns a view's bytes: the host and kernels have functions of their own. */
typedef const char *sort_key_data(const string_view *view);

static inline int sort_key_compare_text(const uint64_t *left, const uint64_t *right,
                                        sort_key_data *data)
{
    string_view a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    uint32_t common = a.bytes < b.bytes ? a.bytes : b.bytes;
    int order = common ? memcmp(data(&a), data(&b), common) : 0;
    return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

/* Below zero: the row with the keys l comes first. */
static inline __attribute__((always_inline)) int
sort_key_compare(const uint64_t *l, const uint64_t *r, uint32_t key_count, sort_key_data *data)
{
    for (uint32_t k = 0; k < key_count; k++, l += 3, r += 3) {
        if (l[0] != r[0])
            return l[0] < r[0] ? -1 : 1;
        if (l[0] & SORT_KEY_TEXT) {
            int order = sort_key_compare_text(l + 1, r + 1, data);
            if (order)
                return l[0] & SORT_KEY_DESCENDING ? -order : order;
        } else if (l[1] != r[1]) {
            return l[1] < r[1] ? -1 : 1;
        } else if (l[2] != r[2]) {
            return l[2] < r[2] ? -1 : 1;
        }
    }
    return 0;
}

#endif
