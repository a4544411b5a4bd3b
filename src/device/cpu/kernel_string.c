/* kernel_string.c - parts of texts, their lengths, and positions in them. */
#include "device/cpu/kernel_search.h"
#include "device/cpu/kernel_text.h"
#include "device/kernels/kernel_ops.h"

/* Is the character at `text` among those of the set? */
static bool is_in_set(const char *set, size_t set_bytes, const char *text, size_t bytes)
{
    if (bytes == 1)
        return set_bytes && memchr(set, text[0], set_bytes);
    return memmem(set, set_bytes, text, bytes);
}

#define TEXT_HAS is_in_set
#include "device/value/text_trim.h"

void ISA_(string_slice)(const string_slice_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i * a->value_stride];
        const char *text = kernel_string_data(view);
        int64_t first = a->first[i * a->first_stride];
        int64_t second = a->second ? a->second[i * a->second_stride] : 0;
        size_t from = 0, to = 0;
        if (kernel_is_valid(a->validity, i)) {
            if (second < 0) {
                /* Whatever is enqueued after this launch reads the rest all the same. */
                kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, i);
                memset(&a->out[i], 0, (count - i) * sizeof *a->out);
                return;
            }
            text_slice((dev_slice_op)a->op, text, view->bytes, first, second, &from, &to);
        }
        a->out[i] = kernel_string_make(text + from, (uint32_t)(to - from));
    }
}

void ISA_(string_trim)(const string_trim_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i * a->value_stride];
        const string_view *set = &a->set[i * a->set_stride];
        const char *text = kernel_string_data(view), *members = kernel_string_data(set);
        size_t from, to;
        text_trim(a->ends, text, view->bytes, members, set->bytes, &from, &to);
        a->out[i] = kernel_string_make(text + from, (uint32_t)(to - from));
    }
}

static int64_t position(const string_view *view, const string_view *needle)
{
    const char *text = kernel_string_data(view);
    size_t found = kernel_search(text, view->bytes, kernel_string_data(needle), needle->bytes);
    return found == KERNEL_NOT_FOUND ? 0 : (int64_t)text_characters(text, found) + 1;
}

void ISA_(string_measure)(const string_measure_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i * a->value_stride];
        switch ((dev_measure_op)a->op) {
        case DEV_MEASURE_CHARACTERS:
            a->out[i] = (int64_t)text_characters(kernel_string_data(view), view->bytes);
            break;
        case DEV_MEASURE_BYTES:
            a->out[i] = view->bytes;
            break;
        case DEV_MEASURE_POSITION:
            a->out[i] = position(view, &a->second[i * a->second_stride]);
            break;
        }
    }
}
