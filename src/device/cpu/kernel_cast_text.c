/* kernel_cast_text.c - casts from text and to text. */
#include "device/cpu/kernel_text.h"
#include "device/value/text_value.h"

/* ---- from text ---- */

static bool cast_text_parse(const char *text, size_t bytes, data_type type, void *out)
{
    switch (type.id) {
    case TYPE_FLOAT:
        return float_parse(text, bytes, out);
    case TYPE_DOUBLE:
        return double_parse(text, bytes, out);
    default:
        return cast_text_to_value(text, bytes, type, out);
    }
}

void ISA_(cast_from_text)(const cast_from_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t *bits = a->out;
    if (!a->to.width)
        memset(bits, 0, bitmap_bytes(count));
    for (size_t i = 0; i < count; i++) {
        if (!kernel_is_valid(a->validity, i)) {
            if (a->to.width)
                memset((char *)a->out + i * a->to.width, 0, a->to.width);
            continue;
        }
        const char *text = kernel_string_data(&a->values[i]);
        size_t bytes = a->values[i].bytes;
        bool boolean = false, fits;
        if (a->to.width)
            fits = cast_text_parse(text, bytes, a->to, (char *)a->out + i * a->to.width);
        else if ((fits = boolean_parse(text, bytes, &boolean)))
            bits[i / 64] |= (uint64_t)boolean << (i % 64);
        if (!fits) {
            kernel_fail(a->error, DEV_ERROR_CAST, a->location, i);
            return;
        }
    }
}

/* ---- to text ---- */

static size_t format(const cast_to_text_arguments *a, size_t i, char *text)
{
    const char *at = (const char *)a->values + i * a->from.width;
    switch (a->from.id) {
    case TYPE_BOOL:
        return cast_boolean_to_text(kernel_bit(a->values, i), text);
    case TYPE_FLOAT:
        return float_format(*(const float *)(const void *)at, text);
    case TYPE_DOUBLE:
        return double_format(*(const double *)(const void *)at, text);
    default:
        return cast_value_to_text(a->from, at, text);
    }
}

void ISA_(cast_to_text)(const cast_to_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        char text[INTERVAL_TEXT_BYTES];
        size_t bytes = 0;
        if (kernel_is_valid(a->validity, i))
            bytes = format(a, i, text);
        const char *location = text;
        if (bytes > STRING_INLINE_BYTES)
            location = memcpy(a->heap + i * a->heap_stride, text, bytes);
        a->out[i] = kernel_string_make(location, (uint32_t)bytes);
    }
}
