/* nvcomp.cpp - the functions of libnvcomp.so.5 that the CUDA device calls (or, with EMULATED_MAJOR=4, of libnvcomp.so.4), on the
 * emulated driver's streams and by the host's libraries.
 *
 *   PISTACHIO_NVCOMP_VERSION=N     the version that it has: 5300 is 5.3.0
 *   PISTACHIO_NVCOMP_ALIGNMENT=N   what it wants of the places of pages
 *
 * It takes one gzip member or zstd frame, and leaves alone what is behind that. Its space is written to, so that AddressSanitizer
 * sees one that is too small or not the device's. */
#include <atomic>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#ifndef EMULATED_MAJOR
#define EMULATED_MAJOR 5
#endif
#define EXPORTED extern "C" __attribute__((visibility("default")))

struct CUstream_st;
/* driver.cpp */
extern "C" int emulated_count_call(const char *name);
extern "C" void emulated_enqueue(CUstream_st *stream, void (*call)(void *), void *argument);
extern "C" bool emulated_is_primary();

enum { INVALID_VALUE = 10, CANNOT_DECOMPRESS = 12, INTERNAL = 10000, BACKEND_CUDA = 2 };
#define SPACE_BYTES_PER_PAGE 1000

struct properties {
    uint32_t version, cudart_version;
};
struct alignments {
    size_t input, output, temporary;
};
struct options {
    int backend;
    char rest[60];
};

static unsigned long setting(const char *name, unsigned long usual)
{
    const char *given = getenv(name);
    return given ? strtoul(given, nullptr, 10) : usual;
}

EXPORTED int nvcompGetProperties(properties *out)
{
    if (emulated_count_call(__func__))
        return INTERNAL;
    out->version = (uint32_t)setting("PISTACHIO_NVCOMP_VERSION", EMULATED_MAJOR * 1000 + 100 + 2);
    out->cudart_version = 12080;
    return 0;
}

/* ---- pages ---- */

typedef bool decompress_page(const void *source, size_t source_bytes, void *target, size_t room,
                             size_t *out_bytes);

static bool gunzip(const void *source, size_t source_bytes, void *target, size_t room,
                   size_t *out_bytes)
{
    z_stream stream = {};
    stream.next_in = (Bytef *)source;
    stream.avail_in = (uInt)source_bytes;
    stream.next_out = (Bytef *)target;
    stream.avail_out = (uInt)room;
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return false;
    int result = inflate(&stream, Z_FINISH);
    *out_bytes = stream.total_out;
    inflateEnd(&stream);
    return result == Z_STREAM_END;
}

static bool unzstd(const void *source, size_t source_bytes, void *target, size_t room,
                   size_t *out_bytes)
{
    size_t frame = ZSTD_findFrameCompressedSize(source, source_bytes);
    size_t bytes = ZSTD_isError(frame) ? frame : ZSTD_decompress(target, room, source, frame);
    if (ZSTD_isError(bytes))
        return false;
    *out_bytes = bytes;
    return true;
}

/* ---- batches ---- */

struct batch {
    decompress_page *decompress;
    const void *const *sources;
    const size_t *source_bytes, *target_bytes;
    size_t *done_bytes, count;
    void *space;
    size_t space_bytes;
    void *const *targets;
    int *statuses;
};

/* When the stream gets there. */
static void run(void *argument)
{
    batch *b = (batch *)argument;
    memset(b->space, 0xa5, b->space_bytes);
    for (size_t i = 0; i < b->count; i++)
        b->statuses[i] = b->decompress(b->sources[i], b->source_bytes[i], b->targets[i],
                                       b->target_bytes[i], &b->done_bytes[i])
                             ? 0
                             : CANNOT_DECOMPRESS;
    delete b;
}

static int enqueue(const char *name, const batch &b, size_t space_bytes, CUstream_st *stream)
{
    if (emulated_count_call(name))
        return INTERNAL;
    if (!emulated_is_primary()) {
        fprintf(stderr, "%s: the thread's context is not the device's primary one\n", name);
        return INTERNAL;
    }
    if (!b.count || space_bytes < b.count * SPACE_BYTES_PER_PAGE)
        return INVALID_VALUE;
    emulated_enqueue(stream, run, new batch(b));
    return 0;
}

static int space_of(const char *name, size_t count, size_t largest, size_t *bytes, size_t total)
{
    if (emulated_count_call(name))
        return INTERNAL;
    if (largest > total || total > largest * count)
        return INVALID_VALUE;
    *bytes = count * SPACE_BYTES_PER_PAGE;
    return 0;
}

#if EMULATED_MAJOR == 4
#define CODEC(name, function)                                                                      \
    EXPORTED int nvcompBatched##name##DecompressGetTempSizeEx(size_t count, size_t largest,        \
                                                              size_t *bytes, size_t total)         \
    {                                                                                              \
        return space_of(__func__, count, largest, bytes, total);                                   \
    }                                                                                              \
    EXPORTED int nvcompBatched##name##DecompressAsync(                                             \
        const void *const *sources, const size_t *source_bytes, const size_t *target_bytes,        \
        size_t *done_bytes, size_t count, void *space, size_t space_bytes, void *const *targets,   \
        int *statuses, CUstream_st *stream)                                                        \
    {                                                                                              \
        batch b = {function, sources,     source_bytes, target_bytes, done_bytes, count,           \
                   space,    space_bytes, targets,      statuses};                                 \
        return enqueue(__func__, b, space_bytes, stream);                                          \
    }
#else
#define CODEC(name, function)                                                                      \
    EXPORTED int nvcompBatched##name##DecompressGetRequiredAlignments(options o, alignments *out)  \
    {                                                                                              \
        if (emulated_count_call(__func__) || o.backend != BACKEND_CUDA)                            \
            return INTERNAL;                                                                       \
        out->input = out->output = setting("PISTACHIO_NVCOMP_ALIGNMENT", 1);                       \
        out->temporary = 8;                                                                        \
        return 0;                                                                                  \
    }                                                                                              \
    EXPORTED int nvcompBatched##name##DecompressGetTempSizeAsync(                                  \
        size_t count, size_t largest, options o, size_t *bytes, size_t total)                      \
    {                                                                                              \
        return o.backend == BACKEND_CUDA ? space_of(__func__, count, largest, bytes, total)        \
                                         : INVALID_VALUE;                                          \
    }                                                                                              \
    EXPORTED int nvcompBatched##name##DecompressAsync(                                             \
        const void *const *sources, const size_t *source_bytes, const size_t *target_bytes,        \
        size_t *done_bytes, size_t count, void *space, size_t space_bytes, void *const *targets,   \
        options o, int *statuses, CUstream_st *stream)                                             \
    {                                                                                              \
        batch b = {function, sources,     source_bytes, target_bytes, done_bytes, count,           \
                   space,    space_bytes, targets,      statuses};                                 \
        return o.backend == BACKEND_CUDA ? enqueue(__func__, b, space_bytes, stream)               \
                                         : INVALID_VALUE;                                          \
    }
#endif

CODEC(Gzip, gunzip)
CODEC(Zstd, unzstd)
