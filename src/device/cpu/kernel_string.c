/* kernel_string.c - parts of texts, their lengths, and positions in them. */
#include "device/cpu/kernel_search.h"
#include "device/cpu/kernel_text.h"
#include "device/kernel_ops.h"

static size_t skip_from_end(const char *text, size_t bytes, uint64_t characters)
{
    size_t at = bytes;
    for (; characters > 0 && at > 0; characters--) {
        at--;
        while (at > 0 && kernel_is_continuation(text[at]))
            at--;
    }
    return at;
}

/* Characters [first, first + length), counted from 1. */
static void substring(const char *text, size_t bytes, int64_t first, int64_t length,
                      size_t *out_from, size_t *out_to)
{
    int64_t end;
    if (__builtin_add_overflow(first, length, &end))
        end = INT64_MAX;
    if (first < 1)
        first = 1;
    if (end < first)
        end = first;
    *out_from = kernel_text_skip(text, bytes, (uint64_t)(first - 1));
    *out_to =
        *out_from + kernel_text_skip(text + *out_from, bytes - *out_from, (uint64_t)(end - first));
}

static void slice(dev_slice_op op, const char *text, size_t bytes, int64_t first, int64_t second,
                  size_t *from, size_t *to)
{
    uint64_t size = first < 0 ? 0 - (uint64_t)first : (uint64_t)first;
    *from = 0;
    *to = bytes;
    switch (op) {
    case DEV_SLICE_SUBSTRING:
        substring(text, bytes, first, second, from, to);
        break;
    case DEV_SLICE_FROM:
        *from = first <= 1 ? 0 : kernel_text_skip(text, bytes, size - 1);
        break;
    case DEV_SLICE_LEFT:
        *to = first < 0 ? skip_from_end(text, bytes, size) : kernel_text_skip(text, bytes, size);
        break;
    case DEV_SLICE_RIGHT:
        *from = first < 0 ? kernel_text_skip(text, bytes, size) : skip_from_end(text, bytes, size);
        break;
    }
}

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
                /* What is enqueued behind this launch reads the rest all the same. */
                kernel_fail(a->error, DEV_ERROR_ARGUMENT, a->location, i);
                memset(&a->out[i], 0, (count - i) * sizeof *a->out);
                return;
            }
            slice((dev_slice_op)a->op, text, view->bytes, first, second, &from, &to);
        }
        a->out[i] = kernel_string_make(text + from, (uint32_t)(to - from));
    }
}

/* Is the character at `text` among those of the set? */
static bool is_in_set(const char *text, size_t bytes, const char *set, size_t set_bytes)
{
    if (bytes == 1)
        return set_bytes && memchr(set, text[0], set_bytes);
    return memmem(set, set_bytes, text, bytes);
}

void ISA_(string_trim)(const string_trim_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i * a->value_stride];
        const string_view *set = &a->set[i * a->set_stride];
        const char *text = kernel_string_data(view), *members = kernel_string_data(set);
        size_t from = 0, to = view->bytes;
        while (a->ends & DEV_TRIM_LEFT && from < to) {
            size_t bytes = kernel_text_skip(text + from, to - from, 1);
            if (!is_in_set(text + from, bytes, members, set->bytes))
                break;
            from += bytes;
        }
        while (a->ends & DEV_TRIM_RIGHT && from < to) {
            size_t last = from + skip_from_end(text + from, to - from, 1);
            if (!is_in_set(text + last, to - last, members, set->bytes))
                break;
            to = last;
        }
        a->out[i] = kernel_string_make(text + from, (uint32_t)(to - from));
    }
}

static int64_t position(const string_view *view, const string_view *needle)
{
    const char *text = kernel_string_data(view);
    size_t found = kernel_search(text, view->bytes, kernel_string_data(needle), needle->bytes);
    return found == KERNEL_NOT_FOUND ? 0 : (int64_t)kernel_text_characters(text, found) + 1;
}

void ISA_(string_measure)(const string_measure_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i * a->value_stride];
        switch ((dev_measure_op)a->op) {
        case DEV_MEASURE_CHARACTERS:
            a->out[i] = (int64_t)kernel_text_characters(kernel_string_data(view), view->bytes);
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
