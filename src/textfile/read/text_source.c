/* text_source.c - a file's bytes: read, decompressed, made UTF-8. */
#include "textfile/read/text_source.h"

#include "base/mem.h"
#include "storage/file.h"

#include <zlib.h>

#define INPUT_BYTES ((size_t)256 << 10) /* of compressed bytes */
#define GZIP_ANY_WINDOW (15 + 16)
#define AHEAD_BYTES ((uint64_t)4 << 20) /* that the system is asked to read meanwhile */

struct text_source {
    file *file;
    uint64_t next; /* of the file's bytes */
    bool is_gzip, is_latin1, has_begun;
    bool is_member_over; /* gzip: nothing or another member follows */
    z_stream inflater;
    bool has_inflater;
    uint8_t *input; /* gzip: INPUT_BYTES */
};

static void *source_alloc(void *context, unsigned count, unsigned bytes)
{
    (void)context;
    return mem_new_array(count, bytes);
}

static void source_free(void *context, void *memory)
{
    (void)context;
    mem_free(memory);
}

static status begin_gzip(text_source *s)
{
    s->input = mem_new(INPUT_BYTES);
    if (!s->input)
        return status_no_memory("gzip", INPUT_BYTES);
    s->inflater.zalloc = source_alloc;
    s->inflater.zfree = source_free;
    if (inflateInit2(&s->inflater, GZIP_ANY_WINDOW) != Z_OK)
        return status_no_memory("gzip", sizeof s->inflater);
    s->has_inflater = true;
    return STATUS_OK;
}

static status source_begin(text_source *s, text_compression compression)
{
    uint8_t magic[2] = {0};
    if (compression == TEXT_COMPRESSION_AUTO && s->file->bytes >= sizeof magic)
        TRY(file_read(s->file, 0, magic, sizeof magic));
    s->is_gzip = compression == TEXT_COMPRESSION_GZIP || (magic[0] == 0x1f && magic[1] == 0x8b);
    return s->is_gzip ? begin_gzip(s) : STATUS_OK;
}

status text_source_open(const char *path, text_compression compression, bool is_latin1,
                        text_source **out)
{
    *out = NULL;
    text_source *s = mem_new(sizeof *s);
    if (!s)
        return status_no_memory("text file", sizeof *s);
    s->is_latin1 = is_latin1;
    status st = file_open(path, &s->file);
    if (!st)
        st = source_begin(s, compression);
    if (st) {
        text_source_close(s);
        return st;
    }
    *out = s;
    return STATUS_OK;
}

void text_source_close(text_source *s)
{
    if (!s)
        return;
    if (s->has_inflater)
        inflateEnd(&s->inflater);
    mem_free(s->input);
    file_close(s->file);
    mem_free(s);
}

const char *text_source_path(const text_source *s)
{
    return s->file->path;
}

uint64_t text_source_bytes(const text_source *s)
{
    return s->file->bytes;
}

bool text_source_is_compressed(const text_source *s)
{
    return s->is_gzip;
}

status text_source_check(const text_source *s)
{
    if (!file_has_changed(s->file))
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_CORRUPT, "file \"%s\" changed while it was read", s->file->path),
        "run the query again when nobody writes to the file; replace files by renaming");
}

/* ---- bytes ---- */

static status read_plain(text_source *s, char *target, size_t room, size_t *got)
{
    uint64_t left = s->file->bytes - s->next;
    *got = room < left ? room : (size_t)left;
    if (!*got)
        return STATUS_OK;
    TRY(file_read(s->file, s->next, target, *got));
    s->next += *got;
    left -= *got;
    if (left)
        file_expect_read(s->file, s->next, left < AHEAD_BYTES ? left : AHEAD_BYTES);
    return STATUS_OK;
}

static status gzip_error(const text_source *s, const char *what)
{
    return status_new(STATUS_KIND_CORRUPT, "file \"%s\": %s (byte %llu)", s->file->path, what,
                      (unsigned long long)(s->next - s->inflater.avail_in));
}

static status fill_input(text_source *s)
{
    size_t got;
    TRY(read_plain(s, (char *)s->input, INPUT_BYTES, &got));
    s->inflater.next_in = s->input;
    s->inflater.avail_in = (unsigned)got;
    return STATUS_OK;
}

/* Begins the next member; other bytes after a member are padding, which gzip ignores as well. */
static status next_member(text_source *s, bool *out_is_end)
{
    *out_is_end = false;
    s->is_member_over = false;
    if (s->inflater.next_in[0] != 0x1f) {
        s->inflater.avail_in = 0;
        s->next = s->file->bytes;
        *out_is_end = true;
        return STATUS_OK;
    }
    return inflateReset(&s->inflater) == Z_OK ? STATUS_OK : gzip_error(s, "it is not gzip");
}

static status read_gzip(text_source *s, char *target, size_t room, size_t *got)
{
    z_stream *z = &s->inflater;
    z->next_out = (uint8_t *)target;
    z->avail_out = room < UINT32_MAX ? (unsigned)room : UINT32_MAX;
    *got = 0;
    while (z->avail_out) {
        if (!z->avail_in)
            TRY(fill_input(s));
        bool is_end = !z->avail_in;
        if (is_end && !s->is_member_over && s->file->bytes)
            return gzip_error(s, "it ends within compressed bytes");
        if (!is_end && s->is_member_over)
            TRY(next_member(s, &is_end));
        if (is_end)
            break;
        int result = inflate(z, Z_NO_FLUSH);
        s->is_member_over = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return status_no_memory("gzip", INPUT_BYTES);
        if (result != Z_OK && result != Z_STREAM_END)
            return gzip_error(s, z->msg ? z->msg : "it is not gzip");
    }
    *got = (size_t)(z->next_out - (uint8_t *)target);
    return STATUS_OK;
}

static status read_bytes(text_source *s, char *target, size_t room, size_t *got)
{
    return s->is_gzip ? read_gzip(s, target, room, got) : read_plain(s, target, room, got);
}

/* Makes two bytes of each byte beyond ASCII: they are read into the second half and move forward. */
static status read_latin1(text_source *s, char *target, size_t room, size_t *got)
{
    size_t bytes, at = 0, half = room / 2;
    TRY(read_bytes(s, target + (room - half), half, &bytes));
    for (const char *from = target + (room - half), *end = from + bytes; from < end; from++) {
        uint8_t byte = (uint8_t)*from;
        if (byte >= 0x80)
            target[at++] = (char)(0xc0 | byte >> 6);
        target[at++] = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
    }
    *got = at;
    return STATUS_OK;
}

/* Without the byte order mark, which only the first bytes can be. */
static status drop_mark(const text_source *s, char *target, size_t *got)
{
    if (*got >= 3 && !memcmp(target, "\xef\xbb\xbf", 3)) {
        *got -= 3;
        memmove(target, target + 3, *got);
    }
    if (*got >= 2 && (!memcmp(target, "\xff\xfe", 2) || !memcmp(target, "\xfe\xff", 2)))
        return status_hint(
            status_new(STATUS_KIND_UNSUPPORTED, "file \"%s\" is UTF-16", s->file->path),
            "make it UTF-8: iconv -f UTF-16 -t UTF-8");
    return STATUS_OK;
}

status text_source_read(text_source *s, char *target, size_t room, size_t *got)
{
    if (s->is_latin1)
        return read_latin1(s, target, room, got);
    TRY(read_bytes(s, target, room, got));
    bool is_first = !s->has_begun;
    s->has_begun = true;
    return is_first ? drop_mark(s, target, got) : STATUS_OK;
}
