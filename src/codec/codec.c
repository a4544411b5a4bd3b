/* codec.c - decompression of pages. */
#include "codec/codec.h"

#include "base/cancel.h"
#include "codec/lz4_long.h"
#include "codec/snappy.h"

#include <brotli/decode.h>
#include <lz4.h>
#include <lz4frame.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { NONE, SNAPPY, GZIP, LZO, BROTLI, LZ4_HADOOP, ZSTD, LZ4_RAW };

bool codec_is_known(int codec)
{
    return codec >= NONE && codec <= LZ4_RAW && codec != LZO;
}

const char *codec_name(int codec)
{
    static const char *const names[] = {"none",   "snappy", "gzip", "lzo",
                                        "brotli", "lz4",    "zstd", "lz4_raw"};
    return codec >= NONE && codec <= LZ4_RAW ? names[codec] : "unknown";
}

/* Bytes between two looks whether a page is still wanted (base/cancel.h). */
#define STEP_BYTES ((size_t)4 << 20)

/* The rest of a member, which fits the target from byte *done on; zlib's result. */
static int inflate_member(z_stream *stream, size_t target_bytes, size_t *done)
{
    for (;;) {
        size_t room = target_bytes - *done, step = room < STEP_BYTES ? room : STEP_BYTES;
        stream->avail_out = (uInt)step;
        int result = inflate(stream, room == step ? Z_FINISH : Z_NO_FLUSH);
        *done += step - stream->avail_out;
        if (result != Z_OK || stream->avail_out || cancel_is_asked())
            return result;
    }
}

/* Gzip members (or a zlib stream), one after another. */
static bool gunzip(const void *source, size_t source_bytes, void *target, size_t target_bytes)
{
    z_stream stream = {
        .next_in = (void *)source, .avail_in = (uInt)source_bytes, .next_out = target};
    size_t done = 0;
    if (source_bytes > UINT32_MAX || target_bytes > UINT32_MAX ||
        inflateInit2(&stream, 15 + 32) != Z_OK)
        return false;
    int result = Z_STREAM_END;
    while (stream.avail_in && result == Z_STREAM_END) {
        result = inflate_member(&stream, target_bytes, &done);
        if (result == Z_STREAM_END && stream.avail_in && inflateReset(&stream) != Z_OK)
            result = Z_DATA_ERROR;
    }
    bool is_right = result == Z_STREAM_END && done == target_bytes;
    inflateEnd(&stream);
    return is_right;
}

static uint32_t little_endian_32(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

#define GZIP_BYTES_MIN 20 /* header, the shortest block, checksum, length */

/* The length at the end is that of the last member. */
static bool is_one_member(const uint8_t *source, size_t source_bytes, size_t target_bytes)
{
    return source_bytes >= GZIP_BYTES_MIN && source[0] == 0x1f && source[1] == 0x8b &&
           source[2] == Z_DEFLATED && little_endian_32(source + source_bytes - 4) == target_bytes;
}

static bool is_one_frame(const uint8_t *source, size_t source_bytes, size_t target_bytes)
{
    if (source_bytes < 4 || little_endian_32(source) != ZSTD_MAGICNUMBER)
        return false;
    unsigned long long bytes = ZSTD_getFrameContentSize(source, source_bytes);
    return (bytes == target_bytes || bytes == ZSTD_CONTENTSIZE_UNKNOWN) &&
           ZSTD_findFrameCompressedSize(source, source_bytes) == source_bytes;
}

bool codec_is_one_stream(int codec, const void *source, size_t source_bytes, size_t target_bytes)
{
    return (codec == GZIP && is_one_member(source, source_bytes, target_bytes)) ||
           (codec == ZSTD && is_one_frame(source, source_bytes, target_bytes));
}

static bool unbrotli(const void *source, size_t source_bytes, void *target, size_t target_bytes)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    const uint8_t *in = source;
    uint8_t *out = target, *end = out + target_bytes;
    while (state && result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT && !cancel_is_asked()) {
        size_t room = (size_t)(end - out) < STEP_BYTES ? (size_t)(end - out) : STEP_BYTES;
        const uint8_t *before = out;
        result = BrotliDecoderDecompressStream(state, &source_bytes, &in, &room, &out, NULL);
        if (out == before && out == end)
            break;
    }
    BrotliDecoderDestroyInstance(state);
    return result == BROTLI_DECODER_RESULT_SUCCESS && out == end && !source_bytes;
}

/* Pages of no more bytes go through their library at once: 10 ms. */
#define AT_ONCE_BYTES (4 * STEP_BYTES)

/* Returns whether the frames make the page: not if the statement was cancelled, or a frame's window is greater than the
 * library allows in steps. */
static bool unzstd_in_steps(ZSTD_DStream *stream, ZSTD_inBuffer *in, uint8_t *target,
                            size_t target_bytes)
{
    size_t done = 0, left = 1;
    while (!cancel_is_asked()) {
        size_t room = target_bytes - done;
        ZSTD_outBuffer out = {target + done, room < STEP_BYTES ? room : STEP_BYTES, 0};
        size_t before = in->pos;
        left = ZSTD_decompressStream(stream, &out, in);
        done += out.pos;
        if (ZSTD_isError(left) || (!left && in->pos == in->size))
            break;
        if (!out.pos && in->pos == before)
            return false;
    }
    return !left && in->pos == in->size && done == target_bytes;
}

static bool unzstd(const void *source, size_t source_bytes, void *target, size_t target_bytes)
{
    if (target_bytes > AT_ONCE_BYTES) {
        ZSTD_inBuffer in = {source, source_bytes, 0};
        ZSTD_DStream *stream = ZSTD_createDStream();
        bool is_done = stream && unzstd_in_steps(stream, &in, target, target_bytes);
        ZSTD_freeDStream(stream);
        if (is_done || cancel_is_asked())
            return is_done;
    }
    return ZSTD_decompress(target, target_bytes, source, source_bytes) == target_bytes;
}

static uint32_t big_endian_32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool unlz4(const void *source, size_t source_bytes, void *target, size_t target_bytes)
{
    if (target_bytes > AT_ONCE_BYTES)
        return lz4_decode_long(source, source_bytes, target, target_bytes);
    return source_bytes <= INT32_MAX && target_bytes <= INT32_MAX &&
           LZ4_decompress_safe(source, target, (int)source_bytes, (int)target_bytes) ==
               (int)target_bytes;
}

/* Hadoop's frames: uncompressed and compressed length, big-endian, and a block, repeated. */
static bool unlz4_hadoop(const uint8_t *source, size_t source_bytes, uint8_t *target,
                         size_t target_bytes)
{
    size_t at = 0, done = 0;
    while (source_bytes - at >= 8) {
        size_t plain = big_endian_32(source + at), packed = big_endian_32(source + at + 4);
        at += 8;
        if (packed > source_bytes - at || plain > target_bytes - done ||
            !unlz4(source + at, packed, target + done, plain))
            return false;
        at += packed;
        done += plain;
    }
    return at == source_bytes && done == target_bytes;
}

bool codec_decompress(cpu_isa isa, int codec, const void *source, size_t source_bytes, void *target,
                      size_t target_bytes)
{
    switch (codec) {
    case NONE:
        if (source_bytes != target_bytes)
            return false;
        memcpy(target, source, source_bytes);
        return true;
    case SNAPPY:
        return snappy_decode(isa, source, source_bytes, target, target_bytes);
    case GZIP:
        return gunzip(source, source_bytes, target, target_bytes);
    case BROTLI:
        return unbrotli(source, source_bytes, target, target_bytes);
    case ZSTD:
        return unzstd(source, source_bytes, target, target_bytes);
    case LZ4_RAW:
        return unlz4(source, source_bytes, target, target_bytes);
    case LZ4_HADOOP:
        /* Some writers put a bare block here. */
        return unlz4_hadoop(source, source_bytes, target, target_bytes) ||
               unlz4(source, source_bytes, target, target_bytes);
    default:
        return false;
    }
}

bool codec_decompress_lz4_frame(const void *source, size_t source_bytes, void *target,
                                size_t target_bytes)
{
    LZ4F_dctx *frame;
    size_t read = 0, done = 0, left = 1;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&frame, LZ4F_VERSION)))
        return false;
    while (left && !cancel_is_asked()) {
        size_t room = target_bytes - done, step = room < STEP_BYTES ? room : STEP_BYTES;
        size_t in = source_bytes - read;
        left = LZ4F_decompress(frame, (char *)target + done, &step, (const char *)source + read,
                               &in, NULL);
        if (LZ4F_isError(left) || (!step && !in))
            break;
        read += in;
        done += step;
    }
    LZ4F_freeDecompressionContext(frame);
    return !left && read == source_bytes && done == target_bytes;
}
