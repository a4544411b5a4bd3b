/* text_sample.c - reads the beginning of a file. */
#include "textfile/table/text_sample.h"

#define SAMPLE_BYTES ((size_t)1 << 20)
#define COMPRESSED_TO_PLAIN 4 /* bytes of text for one that is compressed, about */

static status sample_fill(text_source *source, size_t room, text_sample *out)
{
    size_t got = 1;
    while (got && room - out->bytes >= 8) {
        TRY(text_source_read(source, out->text + out->bytes, room - out->bytes, &got));
        out->bytes += got;
    }
    out->is_whole = !got;
    return STATUS_OK;
}

/* A file that is smaller needs less room, and some in which the end is seen. */
static size_t sample_room(const text_source *source, const text_options *o)
{
    size_t room = o->sample_rows == UINT64_MAX ? CSV_TEXT_MAX : SAMPLE_BYTES;
    if (o->sample_bytes)
        room = o->sample_bytes;
    uint64_t bytes = text_source_bytes(source) + 16;
    return !text_source_is_compressed(source) && !o->is_latin1 && bytes < room ? (size_t)bytes
                                                                               : room;
}

status text_sample_read(arena *a, const char *path, const text_options *options,
                        text_sniffed *found, text_sample *out)
{
    text_source *source;
    *out = (text_sample){0};
    TRY(text_source_open(path, options->compression, options->is_latin1, &source));
    size_t room = sample_room(source, options);
    bool is_compressed = text_source_is_compressed(source);
    found->file.bytes = text_source_bytes(source) * (is_compressed ? COMPRESSED_TO_PLAIN : 1);
    found->file.path = arena_copy_text(a, path, strlen(path));
    out->text = arena_alloc(a, room + CSV_PADDING);
    status st = out->text && found->file.path ? sample_fill(source, room, out)
                                              : status_no_memory("sample", room);
    text_source_close(source);
    return st;
}
