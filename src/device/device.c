/* device.c - what is the same for every device: references to it, and its memory's allocation. */
#include "device/device.h"

#include "codec/codec.h"

#include <stdio.h>

_Thread_local dev_work *dev_work_now;
_Thread_local dev_stream *dev_stream_now;

device *dev_ref(device *dev)
{
    atomic_fetch_add_explicit(&dev->references, 1, memory_order_relaxed);
    return dev;
}

void dev_retire(device *dev)
{
    if (dev && dev->end_keeper)
        dev->end_keeper(dev, false);
    if (dev && dev->ops->retire)
        dev->ops->retire(dev);
}

void dev_close(device *dev)
{
    if (!dev || atomic_fetch_sub_explicit(&dev->references, 1, memory_order_acq_rel) != 1)
        return;
    mem_budget *budget = dev->budget;
    if (dev->end_keeper)
        dev->end_keeper(dev, true);
    dev_close(dev->host);
    dev->ops->close(dev);
    mem_budget_free(budget);
}

static status device_await(dev_stream *stream, dev_event *event)
{
    if (stream->await)
        TRY(stream->await(stream, event, stream->await_argument));
    else
        stream->dev->ops->stream_drain(stream);
    /* A device that failed has not done it. */
    return dev_check(stream->dev);
}

status dev_stream_await(dev_stream *stream)
{
    return stream->dev->is_host ? STATUS_OK : device_await(stream, NULL);
}

status dev_event_await(dev_stream *stream, dev_event *event, dev_moment since)
{
    status st = STATUS_OK;
    bool is_of_chunk_before = since.stream == stream && since.chunk < stream->chunk_count;
    if (!stream->dev->ops->event_reached(event))
        st = device_await(stream,
                          is_of_chunk_before && stream->chunk_end ? stream->chunk_end : event);
    stream->dev->ops->event_free(event);
    return st;
}

status dev_stream_begin(dev_stream *stream)
{
    status (*begin)(dev_stream *, void *) = stream->begin;
    stream->begin = NULL;
    return begin(stream, stream->await_argument);
}

static bool is_for_want_of_memory(status st)
{
    status_kind kind = status_get_kind(st);
    return st && (kind == STATUS_KIND_LIMIT || kind == STATUS_KIND_NO_MEMORY);
}

static status await_memory(device *dev, dev_stream *stream, bool *out_was)
{
    if (stream && stream->dev == dev && stream->await_memory)
        TRY(stream->await_memory(stream, out_was, stream->await_argument));
    else
        *out_was = dev->ops->memory_wait(dev);
    return dev_check(dev);
}

/* Once more after the last look: what there was to await may have been free just then. */
static status alloc_later(device *dev, size_t bytes, const char *who, status st, dev_buffer **out)
{
    dev_stream *stream = dev_stream_now; /* asked for once: the thread may be another one later */
    bool was_awaited = true;
    while (is_for_want_of_memory(st) && was_awaited) {
        status_free(st);
        st = await_memory(dev, stream, &was_awaited);
        if (!st)
            st = dev->ops->alloc(dev, bytes, who, out);
    }
    return st;
}

status dev_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out)
{
    *out = NULL;
    status st = dev->ops->alloc(dev, bytes, who, out);
    return st && dev->ops->memory_wait ? alloc_later(dev, bytes, who, st, out) : st;
}

/* Bytes of memory for each row of a chunk. */
#define CHUNK_OF_MEMORY 4096
#define CHUNK_ROWS_MIN 1024

uint32_t dev_chunk_rows(const mem_budget *budget, uint32_t usual)
{
    uint64_t limit = mem_budget_limit(budget), rows = limit / CHUNK_OF_MEMORY;
    if (!limit || rows > usual)
        return usual;
    return rows < CHUNK_ROWS_MIN ? CHUNK_ROWS_MIN : (uint32_t)rows;
}

/* A launch takes a GPU as long for a few rows as for tens of thousands a multiprocessor. */
#define MULTIPROCESSOR_ROWS ((uint64_t)1 << 16)
/* Bytes of memory for each row of a large chunk, of which tasks have several. */
#define LARGE_CHUNK_OF_MEMORY 8192
#define LARGE_CHUNK_ROWS_MAX (1u << 23)

uint32_t dev_large_chunk_rows(uint64_t memory_bytes, uint64_t multiprocessors, uint32_t usual)
{
    uint64_t fitting = memory_bytes / LARGE_CHUNK_OF_MEMORY;
    uint32_t rows = LARGE_CHUNK_ROWS_MAX;
    while (rows > usual && (rows > multiprocessors * MULTIPROCESSOR_ROWS || rows > fitting))
        rows /= 2;
    return rows > usual ? rows : usual;
}

/* " by kernels (snappy, lz4)", if there is one. */
static size_t device_add_codecs(uint32_t mask, const char *who, char *text, size_t bytes, size_t at)
{
    const char *before = who;
    for (int codec = 1; codec < CODEC_COUNT; codec++)
        if (mask >> codec & 1 && codec_is_known(codec) && at < bytes) {
            at += (size_t)snprintf(text + at, bytes - at, "%s%s%s", before,
                                   before == who ? " (" : "", codec_name(codec));
            before = ", ";
        }
    if (before != who && at < bytes)
        at += (size_t)snprintf(text + at, bytes - at, ")");
    return at;
}

void dev_codecs_text(const dev_codecs *codecs, char *text, size_t bytes)
{
    char library[256];
    size_t at;
    *text = 0;
    if (!codecs->by_what)
        return;
    snprintf(library, sizeof library, ", by %s", codecs->by_what);
    at = (size_t)snprintf(text, bytes, "pages are decompressed");
    at = device_add_codecs(codecs->all & ~codecs->library, " by kernels", text, bytes, at);
    at = device_add_codecs(codecs->library, library, text, bytes, at);
    at = device_add_codecs(~codecs->all, ", by the host", text, bytes, at);
    if (!codecs->library && at < bytes)
        snprintf(text + at, bytes - at, ": %s", codecs->by_what);
}

bool dev_kernel_is_host(dev_kernel_id kernel)
{
    static const bool of_host[DEV_KERNEL_COUNT] = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = false,
#define HOST_KERNEL(name, ...) [DEV_KERNEL_##name] = true,
#include "device/kernels/kernels.def"
#undef KERNEL
    };
    return of_host[kernel];
}
