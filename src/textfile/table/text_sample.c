/* text_sample.c - reads the beginning of a file, or all of it part by part. */
#include "textfile/table/text_sample.h"

#include "base/cancel.h"

#define SAMPLE_BYTES ((size_t)1 << 20)
#define COMPRESSED_TO_PLAIN 4 /* bytes of text for one that is compressed, about */

static status sample_fill(text_sample *s)
{
    size_t got = 1;
    while (got && s->room - s->bytes >= 8) {
        TRY(text_source_read(s->source, s->text + s->bytes, s->room - s->bytes, &got));
        s->bytes += got;
    }
    s->is_whole = !got;
    return STATUS_OK;
}

/* A file that is smaller needs less room, and some in which the end is seen. */
static size_t sample_room(const text_source *source, const text_options *o)
{
    size_t room = o->sample_bytes ? o->sample_bytes : SAMPLE_BYTES;
    uint64_t bytes = text_source_bytes(source) + 16;
    return !text_source_is_compressed(source) && !o->is_latin1 && bytes < room ? (size_t)bytes
                                                                               : room;
}

/* Has room for so many bytes, after what is there from `used` on. */
static status sample_move(text_sample *s, size_t used, size_t room)
{
    bool is_first = s->text == s->first;
    size_t left = s->bytes - used;
    char *text = is_first || room > s->room ? mem_new(room + CSV_PADDING) : s->text;
    if (!text)
        return status_no_memory("sample", room);
    if (left)
        memmove(text, s->text + used, left);
    if (!is_first && text != s->text)
        mem_free(s->text);
    s->room = text == s->text ? s->room : room;
    s->text = text;
    s->bytes = left;
    return STATUS_OK;
}

status text_sample_open(arena *a, const char *path, const text_options *options,
                        text_sniffed *found, text_sample *out)
{
    *out = (text_sample){0};
    TRY(text_source_open(path, options->compression, options->is_latin1, &out->source));
    bool is_compressed = text_source_is_compressed(out->source);
    found->file.bytes = text_source_bytes(out->source) * (is_compressed ? COMPRESSED_TO_PLAIN : 1);
    found->file.path = arena_copy_text(a, path, strlen(path));
    out->room = sample_room(out->source, options);
    out->text = out->first = mem_new(out->room + CSV_PADDING);
    return out->text && found->file.path ? sample_fill(out) : status_no_memory("sample", out->room);
}

status text_sample_next(text_sample *sample, size_t used, bool *is_there)
{
    size_t left = sample->bytes - used;
    size_t room = left > SAMPLE_BYTES / 2 ? 2 * left : SAMPLE_BYTES;
    *is_there = !sample->is_whole && room <= CSV_TEXT_MAX;
    if (!*is_there)
        return STATUS_OK;
    TRY(cancel_check());
    TRY(sample_move(sample, used, room));
    return sample_fill(sample);
}

void text_sample_close(text_sample *sample)
{
    text_source_close(sample->source);
    if (sample->text != sample->first)
        mem_free(sample->text);
    mem_free(sample->first);
    *sample = (text_sample){0};
}
