/* kernel_like.cu - LIKE: pieces of text in a given order, and the general matcher; a thread a row. */
#include "device/cuda/text.cuh"

#define TEXT_SEARCH find_text
#define TEXT_DIFFERS text_differs
#define TEXT_IS_UNWANTED(step) ((void)(step), false) /* kernels of other devices are not cancelled */
#include "device/value/like_text.h"

KERNEL_TOGETHER_WIDE(like)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    dev_pattern header;
    memcpy(&header, a.pattern, sizeof header);
    like_pattern p = like_pattern_of(a.pattern, &header);
    bool matches = false;
    if (i < count) {
        const kernel_view *view = (const kernel_view *)a.values + i;
        const char *text = kernel_view_data(view);
        uint64_t bytes = kernel_view_bytes(view);
        matches = header.has_wildcards ? like_matches_wild(&p, text, bytes)
                                       : like_matches_plain(&p, text, bytes);
    }
    kernel_write_bit(a.out, i, count, matches);
}

/* ---- a pattern per row ---- */

KERNEL_TOGETHER_WIDE(like_column)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    like_match m = LIKE_NO;
    if (i < count && kernel_is_valid(a.validity, i)) {
        const kernel_view *text = (const kernel_view *)a.values + i * a.value_stride;
        const kernel_view *pattern = (const kernel_view *)a.patterns + i * a.pattern_stride;
        m = like_matches(kernel_view_data(text), kernel_view_bytes(text), kernel_view_data(pattern),
                        kernel_view_bytes(pattern), a.escape, SIZE_MAX);
    }
    if (m == LIKE_INVALID)
        kernel_fail(a.error, DEV_ERROR_ARGUMENT, a.location, i);
    kernel_write_bit(a.out, i, count, m == LIKE_YES);
}

KERNEL_TOGETHER(starts_with)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool does = false;
    if (i < count) {
        const kernel_view *text = (const kernel_view *)a.values + i * a.value_stride;
        const kernel_view *prefix = (const kernel_view *)a.prefixes + i * a.prefix_stride;
        does = kernel_view_bytes(prefix) <= kernel_view_bytes(text) &&
               !text_differs(kernel_view_data(text), kernel_view_data(prefix),
                             kernel_view_bytes(prefix));
    }
    kernel_write_bit(a.out, i, count, does);
}
