/* kernel_string.cu - parts of texts, their lengths, positions in them, and new ones; a thread a row. */
#include "base/text/blob_digits.h"
#include "device/cuda/text.cuh"

DEVICE kernel_view part_of_text(const char *text, uint64_t from, uint64_t to)
{
    return kernel_view_make(text + from, (uint32_t)(to - from));
}

KERNEL_ALONE(string_slice)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    size_t from = 0, to = 0;
    if (i >= count)
        return;
    const kernel_view *view = (const kernel_view *)a.values + i * a.value_stride;
    const char *text = kernel_view_data(view);
    int64_t first = a.first[i * a.first_stride];
    int64_t second = a.second ? a.second[i * a.second_stride] : 0;
    bool is_valid = kernel_is_valid(a.validity, i);
    if (is_valid && second < 0)
        kernel_fail(a.error, DEV_ERROR_ARGUMENT, a.location, i);
    else if (is_valid)
        text_slice((dev_slice_op)a.op, text, kernel_view_bytes(view), first, second, &from, &to);
    ((kernel_view *)a.out)[i] = part_of_text(text, from, to);
}

DEVICE bool is_in_set(const char *set, uint64_t set_bytes, const char *text, uint64_t bytes)
{
    return find_text(set, set_bytes, text, bytes) != TEXT_NOT_FOUND;
}

#define TEXT_HAS is_in_set
#include "device/value/text_trim.h"

KERNEL_ALONE_WIDE(string_trim)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    const kernel_view *view = (const kernel_view *)a.values + i * a.value_stride;
    const kernel_view *set = (const kernel_view *)a.set + i * a.set_stride;
    const char *text = kernel_view_data(view), *members = kernel_view_data(set);
    size_t from, to;
    text_trim(a.ends, text, kernel_view_bytes(view), members, kernel_view_bytes(set), &from, &to);
    ((kernel_view *)a.out)[i] = part_of_text(text, from, to);
}

KERNEL_ALONE(string_measure)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    const kernel_view *view = (const kernel_view *)a.values + i * a.value_stride;
    const char *text = kernel_view_data(view);
    uint64_t bytes = kernel_view_bytes(view);
    if (a.op == DEV_MEASURE_CHARACTERS) {
        a.out[i] = (int64_t)text_characters(text, bytes);
    } else if (a.op == DEV_MEASURE_BYTES) {
        a.out[i] = (int64_t)bytes;
    } else {
        const kernel_view *needle = (const kernel_view *)a.second + i * a.second_stride;
        uint64_t found =
            find_text(text, bytes, kernel_view_data(needle), kernel_view_bytes(needle));
        a.out[i] = found == TEXT_NOT_FOUND ? 0 : (int64_t)text_characters(text, found) + 1;
    }
}

/* ---- new texts: counted by one launch, made by the next, in no certain order in the heap ---- */

/* The text with `to` in the place of each `from`; out NULL: only how long it is. */
DEVICE uint64_t replace(const kernel_view *view, const kernel_view *from, const kernel_view *to,
                        char *out)
{
    const char *text = kernel_view_data(view), *needle = kernel_view_data(from);
    uint64_t bytes = kernel_view_bytes(view), needle_bytes = kernel_view_bytes(from);
    uint64_t to_bytes = kernel_view_bytes(to), made = 0, at = 0;
    while (needle_bytes) {
        uint64_t found = find_text(text + at, bytes - at, needle, needle_bytes);
        if (found == TEXT_NOT_FOUND)
            break;
        if (out) {
            memcpy(out + made, text + at, found);
            memcpy(out + made + found, kernel_view_data(to), to_bytes);
        }
        made += found + to_bytes;
        at += found + needle_bytes;
    }
    if (out)
        memcpy(out + made, text + at, bytes - at);
    return made + bytes - at;
}

typedef struct build_row {
    const kernel_view *first, *second, *third;
    uint64_t bytes;
    bool is_none; /* a text that stands for no blob */
} build_row;

template <class A> DEVICE build_row build_row_of(const A &a, uint64_t i)
{
    build_row r = {(const kernel_view *)a.first + i * a.first_stride,
                   (const kernel_view *)a.second + (a.second ? i * a.second_stride : 0),
                   (const kernel_view *)a.third + (a.third ? i * a.third_stride : 0), 0,
                   false};
    r.bytes = kernel_view_bytes(r.first);
    if (a.op == DEV_BUILD_CONCAT)
        r.bytes += kernel_view_bytes(r.second);
    else if (a.op == DEV_BUILD_REPLACE)
        r.bytes = replace(r.first, r.second, r.third, NULL);
    else if (a.op == DEV_BUILD_ENCODE)
        r.bytes = 2 + 2 * r.bytes;
    else if (a.op == DEV_BUILD_DECODE)
        r.is_none = !blob_parse_text(kernel_view_data(r.first), r.bytes, NULL, &r.bytes);
    return r;
}

KERNEL_TOGETHER_WIDE(string_build_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    build_row r = {NULL, NULL, NULL, 0, false};
    if (i < count && kernel_is_valid(a.validity, i))
        r = build_row_of(a, i);
    if (r.is_none || r.bytes > UINT32_MAX) {
        kernel_fail(a.error, r.is_none ? DEV_ERROR_CAST : DEV_ERROR_OVERFLOW, a.location, i);
        r.bytes = 0;
    }
    kernel_add_total(r.bytes > STRING_INLINE_BYTES ? r.bytes : 0, a.out_total);
}

DEVICE void build_text(uint8_t op, const build_row *r, char *out)
{
    const char *text = kernel_view_data(r->first);
    uint64_t bytes = kernel_view_bytes(r->first);
    if (text_rewrite((dev_build_op)op, text, bytes, out))
        return;
    if (op == DEV_BUILD_CONCAT) {
        memcpy(out, text, bytes);
        memcpy(out + bytes, kernel_view_data(r->second), kernel_view_bytes(r->second));
    } else if (op == DEV_BUILD_ENCODE) {
        blob_format_text(text, bytes, out);
    } else if (op == DEV_BUILD_DECODE) {
        size_t made;
        (void)blob_parse_text(text, bytes, out, &made);
    } else {
        replace(r->first, r->second, r->third, out);
    }
}

KERNEL_TOGETHER_WIDE(string_build)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    build_row r = {NULL, NULL, NULL, 0, false};
    char small[STRING_INLINE_BYTES];
    if (i < count && kernel_is_valid(a.validity, i))
        r = build_row_of(a, i);
    if (r.is_none || r.bytes > UINT32_MAX) /* reported by the launch before */
        r.bytes = 0;
    bool is_long = r.bytes > STRING_INLINE_BYTES;
    uint64_t place = kernel_take_room(extra.scratch, is_long ? r.bytes : 0);
    char *out = is_long ? a.heap + place : small;
    if (r.bytes)
        build_text(a.op, &r, out);
    if (i < count)
        ((kernel_view *)a.out)[i] = kernel_view_make(out, (uint32_t)r.bytes);
}
