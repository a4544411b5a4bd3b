/* kernel_cast_text.cu - casts from text and to text; a thread a row. */
#include "base/text/real_limbs.h"
#include "device/cuda/kernel.cuh"
#include "device/value/text_value.h"

DEVICE bool parse_real(const char *text, uint64_t bytes, data_type type, void *out)
{
    double number = 0;
    if (!real_parse(text, bytes, type.id == TYPE_FLOAT, &number))
        return false;
    if (type.id == TYPE_FLOAT)
        *(float *)out = (float)number;
    else
        *(double *)out = number;
    return true;
}

DEVICE bool parse_text(const cast_from_text_arguments &a, const kernel_view *view, void *out)
{
    const char *text = kernel_view_data(view);
    uint64_t bytes = kernel_view_bytes(view);
    return a.to.id == TYPE_FLOAT || a.to.id == TYPE_DOUBLE
               ? parse_real(text, bytes, a.to, out)
               : cast_text_to_value(text, bytes, a.to, out);
}

KERNEL_STEP_TOGETHER_WIDEST(cast_from_text, cast_from_text)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    const kernel_view *view = (const kernel_view *)a.values + i;
    bool is_valid = i < count && kernel_is_valid(a.validity, i), boolean = false, fits = true;
    char *out = (char *)a.out + i * a.to.width;
    if (i < count && a.to.width)
        memset(out, 0, a.to.width);
    if (is_valid && a.to.width)
        fits = parse_text(a, view, out);
    else if (is_valid)
        fits = boolean_parse(kernel_view_data(view), kernel_view_bytes(view), &boolean);
    if (!fits)
        kernel_fail(a.error, DEV_ERROR_CAST, a.location, i);
    if (!a.to.width)
        kernel_write_bit((uint64_t *)a.out, i, count, fits && boolean);
}

DEVICE uint64_t format_row(const cast_to_text_arguments &a, uint64_t i, char *text)
{
    const char *at = (const char *)a.values + i * a.from.width;
    switch (a.from.id) {
    case TYPE_BOOL:
        return cast_boolean_to_text(kernel_bit((const uint64_t *)a.values, i), text);
    case TYPE_FLOAT:
        return real_format((double)*(const float *)at, true, text);
    case TYPE_DOUBLE:
        return real_format(*(const double *)at, false, text);
    default:
        return cast_value_to_text(a.from, at, text);
    }
}

KERNEL_ALONE_WIDE(cast_to_text)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    char text[INTERVAL_TEXT_BYTES];
    const char *place = text;
    if (i >= count)
        return;
    if (kernel_is_valid(a.validity, i))
        bytes = format_row(a, i, text);
    if (bytes > STRING_INLINE_BYTES)
        place = (const char *)memcpy(a.heap + i * a.heap_stride, text, bytes);
    ((kernel_view *)a.out)[i] = kernel_view_make(place, (uint32_t)bytes);
}
