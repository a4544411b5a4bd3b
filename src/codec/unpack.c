/* unpack.c - zlib and zstd in steps, into a block that grows. */
#include "codec/unpack.h"

#include "base/cancel.h"
#include "base/mem.h"
#include "codec/snappy.h"

#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_ROOM ((size_t)64 << 10)

typedef struct unpacked {
    char *bytes;
    size_t count, room, limit;
} unpacked;

static status damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "its compressed bytes are damaged");
}

/* Makes room for more bytes, of which there may be as many as the limit says. */
static status unpack_grow(unpacked *to)
{
    if (to->count < to->room)
        return STATUS_OK;
    if (to->room == to->limit)
        return status_new(STATUS_KIND_CORRUPT, "it has more than %zu bytes decompressed",
                          to->limit);
    size_t room = to->room ? 2 * to->room : FIRST_ROOM;
    room = room < to->limit ? room : to->limit;
    char *grown = mem_resize(to->bytes, room + 1);
    if (!grown)
        return status_no_memory("decompression", room);
    to->bytes = grown;
    to->room = room;
    return STATUS_OK;
}

static status unpack_inflate_all(z_stream *stream, unpacked *to)
{
    for (int result = Z_OK; result != Z_STREAM_END;) {
        TRY(cancel_check());
        TRY(unpack_grow(to));
        stream->next_out = (Bytef *)to->bytes + to->count;
        stream->avail_out = (uInt)(to->room - to->count);
        result = inflate(stream, Z_NO_FLUSH);
        to->count = to->room - stream->avail_out;
        if (result != Z_OK && result != Z_STREAM_END &&
            !(result == Z_BUF_ERROR && !stream->avail_out))
            return damaged();
    }
    return STATUS_OK;
}

static status unpack_zlib(int window, const void *source, size_t source_bytes, unpacked *to)
{
    z_stream stream = {.next_in = (Bytef *)source, .avail_in = (uInt)source_bytes};
    if (source_bytes > UINT32_MAX || to->limit > UINT32_MAX ||
        inflateInit2(&stream, window) != Z_OK)
        return damaged();
    status st = unpack_inflate_all(&stream, to);
    inflateEnd(&stream);
    return st;
}

static status unpack_zstd_all(ZSTD_DStream *stream, ZSTD_inBuffer *in, unpacked *to)
{
    for (size_t left = 1; left || in->pos < in->size;) {
        TRY(cancel_check());
        TRY(unpack_grow(to));
        size_t before = in->pos;
        ZSTD_outBuffer out = {to->bytes + to->count, to->room - to->count, 0};
        left = ZSTD_decompressStream(stream, &out, in);
        to->count += out.pos;
        if (ZSTD_isError(left) || (left && !out.pos && in->pos == before))
            return damaged();
    }
    return STATUS_OK;
}

static status unpack_zstd(const void *source, size_t source_bytes, unpacked *to)
{
    ZSTD_inBuffer in = {source, source_bytes, 0};
    ZSTD_DStream *stream = ZSTD_createDStream();
    status st = stream ? unpack_zstd_all(stream, &in, to) : status_no_memory("decompression", 0);
    ZSTD_freeDStream(stream);
    return st;
}

/* The length stands at the beginning, seven bits a byte. */
static status unpack_snappy(const uint8_t *source, size_t source_bytes, unpacked *to)
{
    uint64_t bytes = 0;
    size_t at = 0;
    for (unsigned shift = 0; at < source_bytes && shift < 35; shift += 7) {
        bytes |= (uint64_t)(source[at] & 0x7f) << shift;
        if (!(source[at++] & 0x80))
            break;
    }
    if (bytes > to->limit)
        return status_new(STATUS_KIND_CORRUPT, "it has more than %zu bytes decompressed",
                          to->limit);
    to->bytes = mem_new(bytes + 1);
    if (!to->bytes)
        return status_no_memory("decompression", bytes);
    to->count = to->room = bytes;
    return snappy_decode(CPU_ISA_SCALAR, source, source_bytes, to->bytes, bytes) ? STATUS_OK
                                                                                 : damaged();
}

static status unpack_by(unpack_form form, const void *source, size_t source_bytes, unpacked *to)
{
    switch (form) {
    case UNPACK_DEFLATE:
        return unpack_zlib(-15, source, source_bytes, to);
    case UNPACK_GZIP:
        return unpack_zlib(15 + 32, source, source_bytes, to);
    case UNPACK_SNAPPY:
        return unpack_snappy(source, source_bytes, to);
    default:
        return unpack_zstd(source, source_bytes, to);
    }
}

status codec_unpack(unpack_form form, const void *source, size_t source_bytes, size_t limit,
                    char **out, size_t *out_bytes)
{
    unpacked to = {.limit = limit};
    *out = NULL;
    status st = unpack_by(form, source, source_bytes, &to);
    if (st || !to.bytes) {
        mem_free(to.bytes);
        return st ? st : damaged();
    }
    to.bytes[to.count] = 0;
    *out = to.bytes;
    *out_bytes = to.count;
    return STATUS_OK;
}
