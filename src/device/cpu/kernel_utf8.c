/* kernel_utf8.c - whether texts are UTF-8, and U+FFFD in the place of bytes that are not. */
#include "base/text/utf8.h"
#include "device/cpu/kernel.h"

#define BLOCK_BYTES 256

/* In blocks, which compilers make vectors of. */
static bool utf8_is_ascii(const uint8_t *bytes, uint64_t count)
{
    uint64_t word, all = 0;
    for (; count >= BLOCK_BYTES && !(all & 0x8080808080808080u); count -= BLOCK_BYTES) {
        for (size_t i = 0; i < BLOCK_BYTES; i += sizeof word) {
            memcpy(&word, bytes + i, sizeof word);
            all |= word;
        }
        bytes += BLOCK_BYTES;
    }
    if (all & 0x8080808080808080u)
        return false;
    for (uint64_t i = 0; i < count; i++)
        all |= bytes[i];
    return !(all & 0x80);
}

/* Returns the offset of the first byte that is not UTF-8. A short text
 * lies in its view itself, which is two words with zeros after the text: they are checked at once. */
static uint64_t valid_bytes(const string_view *view)
{
    uint64_t words[2];
    memcpy(words, view, sizeof words);
    if (view->bytes <= STRING_INLINE_BYTES && !((words[0] >> 32 | words[1]) & 0x8080808080808080u))
        return view->bytes;
    return utf8_valid_bytes(kernel_string_data(view), view->bytes);
}

void ISA_(parquet_check_text)(const parquet_check_text_arguments *a)
{
    uint64_t count = a->words[0];
    if (a->page && *a->start <= a->page_bytes &&
        utf8_is_ascii(a->page + *a->start, a->page_bytes - *a->start))
        return;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t valid = valid_bytes(&a->values[i]);
        if (valid < a->values[i].bytes) {
            kernel_fail(a->error, DEV_ERROR_TEXT, a->location, (a->first + i) << 32 | valid);
            return;
        }
    }
}

/* 0: the text is UTF-8, or too long after replacement. */
static uint64_t kernel_utf8_replaced_bytes(const string_view *view)
{
    if (valid_bytes(view) == view->bytes)
        return 0;
    uint64_t bytes = utf8_replaced_bytes(kernel_string_data(view), view->bytes);
    return bytes > UTF8_REPLACED_MOST ? 0 : bytes;
}

void ISA_(text_replaced_bytes)(const text_replaced_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const string_view *view = &a->values[i];
        uint64_t bytes = kernel_utf8_replaced_bytes(view);
        *a->out_total += bytes;
        if (!bytes && valid_bytes(view) < view->bytes)
            kernel_fail(a->error, DEV_ERROR_TEXT, a->location, (uint64_t)i << 32);
    }
}

void ISA_(text_replace)(const text_replace_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        string_view *view = &a->values[i];
        uint64_t bytes = kernel_utf8_replaced_bytes(view);
        if (!bytes)
            continue;
        char *target = a->heap + *a->heap_used;
        utf8_replace(kernel_string_data(view), view->bytes, target);
        *a->heap_used += bytes;
        *view = kernel_string_make(target, (uint32_t)bytes);
    }
}
