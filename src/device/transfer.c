/* transfer.c - bytes between host and device, through pinned memory. */
#include "device/transfer.h"

#include "device/chunk.h"
#include "device/tensor.h"

#include <string.h>

status dev_host_alloc(device *dev, size_t bytes, const char *who, void **out)
{
    *out = NULL;
    if (!dev->ops->host_alloc) {
        *out = mem_new(bytes ? bytes : 1);
        return *out ? STATUS_OK : status_no_memory(who, bytes);
    }
    if (dev->host)
        TRY(mem_budget_take(dev->host->budget, bytes, who));
    status st = dev->ops->host_alloc(dev, bytes, who, out);
    if (st && dev->host)
        mem_budget_give(dev->host->budget, bytes);
    return st;
}

void dev_host_free(device *dev, void *address, size_t bytes)
{
    if (!dev->ops->host_alloc) {
        mem_free(address);
    } else if (address) {
        if (dev->host)
            mem_budget_give(dev->host->budget, bytes);
        dev->ops->host_free(dev, address, bytes);
    }
}

void dev_host_export(device *dev, size_t bytes)
{
    if (dev->host)
        mem_budget_export(dev->host->budget, bytes);
}

void dev_host_free_exported(device *dev, void *address, size_t bytes)
{
    if (dev->host)
        mem_budget_give_exported(dev->host->budget, bytes);
    if (dev->ops->host_alloc)
        dev->ops->host_free(dev, address, bytes);
    else
        mem_free(address);
}

status dev_upload(dev_stream *stream, void *target, const void *source, size_t bytes,
                  const char *who)
{
    if (stream->dev->is_host) {
        memcpy(target, source, bytes);
        return STATUS_OK;
    }
    void *staged;
    TRY(dev_host_alloc(stream->dev, bytes, who, &staged));
    memcpy(staged, source, bytes);
    status st = stream->dev->ops->copy_in(stream, target, staged, bytes);
    dev_host_free(stream->dev, staged, bytes);
    return st;
}

static size_t transfer_bytes_of(const dev_fetch *fetch)
{
    return fetch->count * sizeof *fetch->words;
}

void dev_fetch_close(device *dev, dev_fetch *fetch)
{
    if (fetch->event)
        dev->ops->event_free(fetch->event);
    dev_host_free(dev, fetch->words, transfer_bytes_of(fetch));
    *fetch = (dev_fetch){0};
}

status dev_fetch_start(dev_stream *stream, const void *words, uint32_t count, dev_fetch *out)
{
    const dev_ops *ops = stream->dev->ops;
    void *pinned = NULL;
    *out = (dev_fetch){.count = count, .since = dev_moment_of(stream)};
    TRY(dev_host_alloc(stream->dev, transfer_bytes_of(out), "words", &pinned));
    out->words = pinned;
    if (stream->dev->is_host) {
        memcpy(pinned, words, transfer_bytes_of(out));
        return STATUS_OK;
    }
    status st = ops->copy_out(stream, pinned, words, transfer_bytes_of(out));
    if (!st)
        st = ops->event_record(stream, NULL, NULL, &out->event);
    if (st)
        dev_fetch_close(stream->dev, out);
    return st;
}

status dev_fetch_finish(dev_stream *stream, dev_fetch *fetch, uint64_t *target)
{
    status st = STATUS_OK;
    dev_event *event = fetch->event;
    fetch->event = NULL;
    if (event)
        st = dev_event_await(stream, event, fetch->since);
    if (!st)
        memcpy(target, fetch->words, transfer_bytes_of(fetch));
    dev_fetch_close(stream->dev, fetch);
    return st;
}

status late_chunk_start(dev_stream *stream, chunk *c, late_chunk *out)
{
    *out = (late_chunk){.rows = c};
    if (!c->rows.actual)
        return STATUS_OK;
    status st = dev_fetch_start(stream, c->rows.actual, 1, &out->count);
    if (st)
        late_chunk_close(stream->dev, out);
    return st;
}

status late_chunk_finish(dev_stream *stream, late_chunk *late, chunk **out)
{
    chunk *c = late->rows;
    uint64_t actual;
    *out = NULL;
    if (late->count.words) {
        status st = dev_fetch_finish(stream, &late->count, &actual);
        if (st) {
            late_chunk_close(stream->dev, late);
            return st;
        }
        c->rows = dev_count_exact(actual < c->rows.bound ? actual : c->rows.bound);
    }
    late->rows = NULL;
    if (c && c->rows.bound)
        *out = c;
    else
        chunk_free(c);
    return STATUS_OK;
}

void late_chunk_close(device *dev, late_chunk *late)
{
    dev_fetch_close(dev, &late->count);
    chunk_free(late->rows);
    late->rows = NULL;
}

status dev_words_read(dev_stream *stream, const void *words, uint64_t *target, uint32_t count)
{
    dev_fetch fetch;
    if (stream->dev->is_host) {
        memcpy(target, words, count * sizeof *target);
        return STATUS_OK;
    }
    TRY(dev_fetch_start(stream, words, count, &fetch));
    return dev_fetch_finish(stream, &fetch, target);
}

status dev_count_read(dev_stream *stream, dev_count *count)
{
    uint64_t actual;
    if (!count->actual)
        return STATUS_OK;
    TRY(dev_words_read(stream, count->actual, &actual, 1));
    if (actual < count->bound)
        count->bound = actual;
    count->actual = NULL;
    return STATUS_OK;
}
