/* kernel_text.h - comparing string views, and UTF-8 in them. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_TEXT_H
#define PISTACHIO_DEVICE_CPU_KERNEL_TEXT_H

#include "device/cpu/kernel.h"

/* Length and first four bytes as one word. */
static inline uint64_t kernel_text_head(const string_view *view)
{
    uint64_t head;
    memcpy(&head, view, sizeof head);
    return head;
}

/* The last eight bytes: text in place, or the address. */
static inline uint64_t kernel_text_tail(const string_view *view)
{
    uint64_t tail;
    memcpy(&tail, (const char *)view + 8, sizeof tail);
    return tail;
}

static inline bool kernel_text_equal(const string_view *left, const string_view *right)
{
    if (kernel_text_head(left) != kernel_text_head(right))
        return false;
    if (kernel_text_tail(left) == kernel_text_tail(right))
        return true;
    return left->bytes > STRING_INLINE_BYTES &&
           !memcmp(kernel_string_data(left) + 4, kernel_string_data(right) + 4, left->bytes - 4);
}

/* By bytes; a text comes before those that it begins. */
static inline bool kernel_text_less(const string_view *left, const string_view *right)
{
    uint32_t left_prefix, right_prefix;
    memcpy(&left_prefix, left->prefix, 4);
    memcpy(&right_prefix, right->prefix, 4);
    if (left_prefix != right_prefix)
        return __builtin_bswap32(left_prefix) < __builtin_bswap32(right_prefix);
    uint64_t left_tail = kernel_text_tail(left), right_tail = kernel_text_tail(right);
    if (left->bytes <= STRING_INLINE_BYTES && right->bytes <= STRING_INLINE_BYTES)
        return left_tail == right_tail
                   ? left->bytes < right->bytes
                   : __builtin_bswap64(left_tail) < __builtin_bswap64(right_tail);
    uint32_t shared = left->bytes < right->bytes ? left->bytes : right->bytes;
    int order = memcmp(kernel_string_data(left), kernel_string_data(right), shared);
    return order ? order < 0 : left->bytes < right->bytes;
}

#endif
