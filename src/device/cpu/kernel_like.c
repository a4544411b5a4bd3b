/* kernel_like.c - LIKE: pieces of text in a given order, and the general matcher. */
#include "device/cpu/kernel_pack.h"
#include "device/cpu/kernel_search.h"
#include "device/cpu/kernel_text.h"

#define TEXT_SEARCH kernel_search
#define TEXT_DIFFERS memcmp
#define TEXT_IS_UNWANTED(step) ((step) % 256 == 255 && cancel_is_asked())
#include "device/value/like_states.h"

/* The first four bytes, as they have to be in the view itself. */
typedef struct first_bytes {
    uint32_t bytes, mask;
} first_bytes;

static inline bool matches_plain(const like_pattern *p, first_bytes start, const string_view *view)
{
    uint32_t prefix;
    memcpy(&prefix, view->prefix, sizeof prefix);
    return !((prefix ^ start.bytes) & start.mask) &&
           like_matches_plain(p, kernel_string_data(view), view->bytes);
}

void ISA_(like)(const like_arguments *a)
{
    size_t count = kernel_count(a->count);
    dev_pattern header;
    memcpy(&header, a->pattern, sizeof header);
    like_pattern p = like_pattern_of(a->pattern, &header);
    first_bytes start = {0, 0};
    const string_view *values = a->values;
    if (header.has_wildcards) {
        KERNEL_PACK_ROWS(count, 0, a->out,
                         like_matches_wild(&p, kernel_string_data(&values[i]), values[i].bytes))
    } else {
        if (p.at_start && p.count) {
            size_t known = p.ends[0] < 4 ? p.ends[0] : 4;
            memcpy(&start.bytes, p.bytes, known);
            memset(&start.mask, 0xff, known);
        }
        KERNEL_PACK_ROWS(count, 0, a->out, matches_plain(&p, start, &values[i]))
    }
}

/* ---- a pattern per row ---- */

void ISA_(like_column)(const like_column_arguments *a)
{
    size_t count = kernel_count(a->count), invalid = LIKE_NOWHERE;
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         const string_view *text = &a->values[i * a->value_stride];
                         const string_view *pattern = &a->patterns[i * a->pattern_stride];
                         like_match m = LIKE_NO;
                         if (kernel_is_valid(a->validity, i))
                             m = like_matches_long(kernel_string_data(text), text->bytes,
                                                   kernel_string_data(pattern), pattern->bytes,
                                                   a->escape);
                         if (m == LIKE_INVALID && invalid == LIKE_NOWHERE)
                             invalid = i;
                         m == LIKE_YES;
                     }))
    if (invalid != LIKE_NOWHERE)
        kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, invalid);
}

void ISA_(starts_with)(const starts_with_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         const string_view *text = &a->values[i * a->value_stride];
                         const string_view *prefix = &a->prefixes[i * a->prefix_stride];
                         prefix->bytes <= text->bytes &&
                             !memcmp(kernel_string_data(text), kernel_string_data(prefix),
                                     prefix->bytes);
                     }))
}
