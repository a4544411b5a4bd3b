/* kernel_string_build.c - text that is not a part of other text: case, reverse, ||, replace,
 * blobs.
 *
 * Two launches: the first adds up the bytes of the long results, the second writes them one behind
 * the other into a heap of that size. */
#include "base/text/blob_text.h"
#include "device/cpu/kernel_search.h"
#include "device/cpu/kernel_text.h"
#include "device/value/text_part.h"

/* ---- replace ---- */

static uint64_t string_build_replaced_bytes(const string_view *view, const string_view *from,
                                            const string_view *to)
{
    const char *text = kernel_string_data(view), *needle = kernel_string_data(from);
    uint64_t bytes = view->bytes;
    if (!from->bytes)
        return bytes;
    for (size_t at = 0;;) {
        size_t found = kernel_search(text + at, view->bytes - at, needle, from->bytes);
        if (found == KERNEL_NOT_FOUND)
            return bytes;
        at += found + from->bytes;
        bytes += (uint64_t)to->bytes - from->bytes;
    }
}

static void string_build_replace(const string_view *view, const string_view *from,
                                 const string_view *to, char *out)
{
    const char *text = kernel_string_data(view), *needle = kernel_string_data(from);
    size_t at = 0;
    while (from->bytes) {
        size_t found = kernel_search(text + at, view->bytes - at, needle, from->bytes);
        if (found == KERNEL_NOT_FOUND)
            break;
        memcpy(out, text + at, found);
        memcpy(out + found, kernel_string_data(to), to->bytes);
        out += found + to->bytes;
        at += found + from->bytes;
    }
    memcpy(out, text + at, view->bytes - at);
}

/* ---- the two launches ---- */

/* Row i's operands, and how long its result is. */
typedef struct row {
    const string_view *first, *second, *third;
    uint64_t bytes;
    bool is_none; /* it has no result: a text that is decoded stands for no blob */
} row;

#define ROW(a, i)                                                                                  \
    row_of((dev_build_op)(a)->op, &(a)->first[(i) * (a)->first_stride],                            \
           (a)->second ? &(a)->second[(i) * (a)->second_stride] : NULL,                            \
           (a)->third ? &(a)->third[(i) * (a)->third_stride] : NULL)

static row row_of(dev_build_op op, const string_view *first, const string_view *second,
                  const string_view *third)
{
    row r = {first, second, third, first->bytes, false};
    if (op == DEV_BUILD_CONCAT)
        r.bytes += second->bytes;
    else if (op == DEV_BUILD_REPLACE)
        r.bytes = string_build_replaced_bytes(first, second, third);
    else if (op == DEV_BUILD_ENCODE)
        r.bytes = 2 + 2 * r.bytes;
    else if (op == DEV_BUILD_DECODE)
        r.is_none = !blob_parse(kernel_string_data(first), first->bytes, NULL, &r.bytes);
    return r;
}

void ISA_(string_build_bytes)(const string_build_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (!kernel_is_valid(a->validity, i))
            continue;
        row r = ROW(a, i);
        if (r.is_none || r.bytes > UINT32_MAX) {
            kernel_fail(a->error, r.is_none ? DEV_ERROR_CAST : DEV_ERROR_OVERFLOW, a->location, i);
            break;
        }
        if (r.bytes > STRING_INLINE_BYTES)
            total += r.bytes;
    }
    *a->out_total = total;
}

void ISA_(string_build)(const string_build_arguments *a)
{
    size_t count = kernel_count(a->count);
    char *heap = a->heap;
    for (size_t i = 0; i < count; i++) {
        char small[STRING_INLINE_BYTES];
        row r = {.bytes = 0};
        if (kernel_is_valid(a->validity, i))
            r = ROW(a, i);
        /* None, or too long: reported by the launch before, which made room for what is in front of
         * it alone. What is enqueued behind this launch reads all the same. */
        if (r.is_none || r.bytes > UINT32_MAX) {
            memset(&a->out[i], 0, (count - i) * sizeof *a->out);
            return;
        }
        char *out = r.bytes > STRING_INLINE_BYTES ? heap : small;
        dev_build_op op = (dev_build_op)a->op;
        if (r.bytes && !text_rewrite(op, kernel_string_data(r.first), r.bytes, out))
            switch (op) {
            case DEV_BUILD_CONCAT:
                memcpy(out, kernel_string_data(r.first), r.first->bytes);
                memcpy(out + r.first->bytes, kernel_string_data(r.second), r.second->bytes);
                break;
            case DEV_BUILD_REPLACE:
                string_build_replace(r.first, r.second, r.third, out);
                break;
            case DEV_BUILD_ENCODE:
                blob_format(kernel_string_data(r.first), r.first->bytes, out);
                break;
            case DEV_BUILD_DECODE:
                (void)blob_parse(kernel_string_data(r.first), r.first->bytes, out, &r.bytes);
                break;
            default:
                break;
            }
        a->out[i] = kernel_string_make(out, (uint32_t)r.bytes);
        if (out == heap)
            heap += r.bytes;
    }
}
