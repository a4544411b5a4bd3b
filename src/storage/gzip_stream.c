/* gzip_stream.c - compresses what is written, by a stream of our own (fopencookie). */
#include "storage/gzip_stream.h"

#include "base/mem.h"

#include <errno.h>
#include <zlib.h>

#define ROOM_BYTES ((size_t)64 << 10)
#define BUFFER_BYTES ((size_t)256 << 10) /* of text */
#define GZIP_WINDOW (15 + 16)
#define MEMORY_LEVEL 8

typedef struct gzip_stream {
    z_stream deflater;
    FILE *below;
    uint8_t room[ROOM_BYTES];
} gzip_stream;

static void *stream_alloc(void *context, unsigned count, unsigned bytes)
{
    (void)context;
    return mem_new_array(count, bytes);
}

static void gzip_stream_free(void *context, void *memory)
{
    (void)context;
    mem_free(memory);
}

/* False: it could not be written. */
static bool deflate_all(gzip_stream *s, int flush)
{
    int result;
    do {
        s->deflater.next_out = s->room;
        s->deflater.avail_out = ROOM_BYTES;
        result = deflate(&s->deflater, flush);
        size_t bytes = ROOM_BYTES - s->deflater.avail_out;
        if (bytes && fwrite(s->room, 1, bytes, s->below) != bytes)
            return false;
    } while (result == Z_OK && (!s->deflater.avail_out || flush == Z_FINISH));
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t count)
{
    gzip_stream *s = cookie;
    count = count < UINT32_MAX ? count : UINT32_MAX;
    s->deflater.next_in = (uint8_t *)(uintptr_t)bytes;
    s->deflater.avail_in = (unsigned)count;
    return deflate_all(s, Z_NO_FLUSH) ? (ssize_t)count : 0;
}

static int stream_close(void *cookie)
{
    gzip_stream *s = cookie;
    s->deflater.avail_in = 0;
    bool is_written = deflate_all(s, Z_FINISH);
    deflateEnd(&s->deflater);
    mem_free(s);
    return is_written ? 0 : EOF;
}

status gzip_stream_open(FILE *below, int level, FILE **out)
{
    gzip_stream *s = mem_new(sizeof *s);
    *out = NULL;
    if (!s)
        return status_no_memory("gzip", sizeof *s);
    s->below = below;
    s->deflater.zalloc = stream_alloc;
    s->deflater.zfree = gzip_stream_free;
    if (deflateInit2(&s->deflater, level ? level : Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(s);
        return status_no_memory("gzip", sizeof *s);
    }
    *out =
        fopencookie(s, "w", (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (*out) {
        setvbuf(*out, NULL, _IOFBF, BUFFER_BYTES);
        return STATUS_OK;
    }
    deflateEnd(&s->deflater);
    mem_free(s);
    return status_new_errno(errno, "could not open a stream");
}
