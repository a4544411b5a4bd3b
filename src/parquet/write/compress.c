/* compress.c - compression of pages, by the libraries. */
#include "parquet/write/compress.h"

#include "codec/codec.h"

#include <brotli/encode.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_WINDOW (15 + 16)  /* the largest window, with gzip's header */
#define BROTLI_LEVEL_DEFAULT 5 /* 11, the library's own, takes minutes per gigabyte */
#define HADOOP_HEADER_BYTES 8  /* both lengths, big-endian */

static bool gzip(int level, const void *source, size_t bytes, uint8_t *target, size_t *target_bytes)
{
    z_stream stream = {.next_in = (void *)source,
                       .avail_in = (uInt)bytes,
                       .next_out = target,
                       .avail_out = (uInt)*target_bytes};
    if (deflateInit2(&stream, level ? level : Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *target_bytes = stream.total_out;
    deflateEnd(&stream);
    return is_done;
}

static void compress_put_big_endian(uint8_t *target, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        target[i] = (uint8_t)(number >> (24 - 8 * i));
}

static bool lz4(const void *source, size_t bytes, uint8_t *target, size_t *target_bytes)
{
    int done = LZ4_compress_default(source, (char *)target, (int)bytes, (int)*target_bytes);
    *target_bytes = (size_t)done;
    return done > 0;
}

/* The most bytes that `bytes` bytes become. */
static size_t bound(pq_codec codec, size_t bytes)
{
    switch (codec) {
    case PQ_CODEC_SNAPPY:
        return snappy_max_compressed_length(bytes);
    case PQ_CODEC_GZIP:
        return compressBound(bytes) + 32; /* gzip's header and trailer are longer than zlib's */
    case PQ_CODEC_BROTLI:
        return BrotliEncoderMaxCompressedSize(bytes);
    case PQ_CODEC_ZSTD:
        return ZSTD_compressBound(bytes);
    case PQ_CODEC_LZ4:
    case PQ_CODEC_LZ4_RAW:
        return (size_t)LZ4_compressBound((int)bytes) + HADOOP_HEADER_BYTES;
    default:
        return bytes;
    }
}

status pq_compress(pq_codec codec, int level, const void *source, size_t bytes, pq_buffer *out)
{
    if (bytes > LZ4_MAX_INPUT_SIZE)
        return status_new(STATUS_KIND_LIMIT, "a page of %zu bytes is too large", bytes);
    size_t count = bound(codec, bytes);
    uint8_t *target = pq_buffer_room(out, count);
    if (!target)
        return status_no_memory("compressed page", count);
    bool is_done = false;
    switch (codec) {
    case PQ_CODEC_NONE:
        memcpy(target, source, bytes);
        is_done = true;
        break;
    case PQ_CODEC_SNAPPY:
        is_done = snappy_compress(source, bytes, (char *)target, &count) == SNAPPY_OK;
        break;
    case PQ_CODEC_GZIP:
        is_done = gzip(level, source, bytes, target, &count);
        break;
    case PQ_CODEC_BROTLI:
        is_done = BrotliEncoderCompress(level ? level : BROTLI_LEVEL_DEFAULT, BROTLI_DEFAULT_WINDOW,
                                        BROTLI_MODE_GENERIC, bytes, source, &count, target);
        break;
    case PQ_CODEC_ZSTD:
        count = ZSTD_compress(target, count, source, bytes, level ? level : ZSTD_CLEVEL_DEFAULT);
        is_done = !ZSTD_isError(count);
        break;
    case PQ_CODEC_LZ4_RAW:
        is_done = lz4(source, bytes, target, &count);
        break;
    case PQ_CODEC_LZ4:
        count -= HADOOP_HEADER_BYTES;
        is_done = lz4(source, bytes, target + HADOOP_HEADER_BYTES, &count);
        compress_put_big_endian(target, (uint32_t)bytes);
        compress_put_big_endian(target + 4, (uint32_t)count);
        count += HADOOP_HEADER_BYTES;
        break;
    case PQ_CODEC_LZO:
        break;
    }
    if (!is_done)
        return status_new(STATUS_KIND_UNSUPPORTED, "cannot compress a page with codec %s, level %d",
                          codec_name((int)codec), level);
    out->count += count;
    return STATUS_OK;
}
