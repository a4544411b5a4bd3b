/* text_check.c - U+FFFD in the place of bytes that are not UTF-8, and the error that they are otherwise. */
#include "parquet/read/text_check.h"

#include "device/tensor.h"
#include "device/transfer.h"

enum { WORD_BYTES, WORD_USED, WORDS };

static status text_check_replace(dev_stream *stream, string_view *values, dev_count count,
                                 uint64_t *words, uint64_t bytes, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, bytes, "scan", out));
    status st = DEV_LAUNCH(stream, text_replace, .values = values, .count = count,
                           .heap = (*out)->address, .heap_used = words + WORD_USED);
    if (!st)
        return STATUS_OK;
    dev_buffer_unref(*out);
    *out = NULL;
    return st;
}

status pq_texts_replace(dev_stream *stream, string_view *values, uint64_t count, dev_error *error,
                        uint32_t location, dev_buffer **out)
{
    dev_buffer *owner;
    uint64_t bytes = 0;
    *out = NULL;
    TRY(dev_words_new(stream, WORDS, &owner));
    uint64_t *words = owner->address;
    status st =
        DEV_LAUNCH(stream, text_replaced_bytes, .values = values, .count = dev_count_exact(count),
                   .out_total = words + WORD_BYTES, .error = error, .location = location);
    if (!st)
        st = dev_words_read(stream, words + WORD_BYTES, &bytes, 1);
    if (!st && bytes)
        st = text_check_replace(stream, values, dev_count_exact(count), words, bytes, out);
    dev_buffer_unref(owner);
    return st;
}

status pq_text_error(uint64_t detail)
{
    status st = status_new(STATUS_KIND_CORRUPT,
                           "its text %llu (NULLs are not counted) is not valid UTF-8 from its byte "
                           "%llu on",
                           (unsigned long long)(detail >> 32) + 1,
                           (unsigned long long)(detail & UINT32_MAX) + 1);
    return status_hint(st, "SET invalid_utf8 = 'replace' reads U+FFFD in the place of such bytes");
}
