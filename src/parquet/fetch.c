/* fetch.c - which bytes are read together, and their memory. */
#include "parquet/fetch.h"

#include "storage/read.h"

#include <stdlib.h>

/* Chunks with at most this between them are one read: the gap takes less time than a read more. */
#define GAP_BYTES ((uint64_t)64 << 10)
/* But ranges beyond this are not merged: the first column need not wait for the last. */
#define RANGE_BYTES_MAX ((uint64_t)4 << 20)

struct pq_fetched_range {
    uint32_t references;
    uint64_t start, end; /* in the file, whole blocks */
    uint8_t *address;    /* of byte `start` */
    dev_buffer *buffer;
    read_request *reading; /* NULL: finished */
    bool has_failed;
};

struct pq_fetch {
    uint64_t bytes;
    size_t range_count;
    pq_fetched_range *ranges[];
};

typedef struct span {
    uint64_t start, end;
} span;

static int compare_spans(const void *left, const void *right)
{
    const span *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorted spans of whole blocks, merged; returns how many. */
static size_t merge_spans(span *spans, size_t count)
{
    size_t kept = 0;
    qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; i++) {
        span *before = kept ? &spans[kept - 1] : NULL;
        bool overlaps = before && spans[i].start <= before->end;
        bool is_near = before && spans[i].start <= before->end + GAP_BYTES &&
                       spans[i].end - before->start <= RANGE_BYTES_MAX;
        if (!overlaps && !is_near)
            spans[kept++] = spans[i];
        else if (spans[i].end > before->end)
            before->end = spans[i].end;
    }
    return kept;
}

static status start_range(device *dev, const file *f, span s, pq_fetched_range **out)
{
    *out = NULL;
    pq_fetched_range *range = mem_new(sizeof *range);
    if (!range)
        return status_no_memory("scan", sizeof *range);
    *range = (pq_fetched_range){.references = 1, .start = s.start, .end = s.end};
    status st = dev_alloc(dev, s.end - s.start + STORAGE_BLOCK, "scan", &range->buffer);
    if (!st) {
        uintptr_t address = (uintptr_t)range->buffer->address;
        range->address = (uint8_t *)((address + STORAGE_BLOCK - 1) / STORAGE_BLOCK * STORAGE_BLOCK);
        st = storage_read_submit_direct(f, s.start, range->address, s.end - s.start,
                                        &range->reading);
    }
    if (st) {
        pq_fetched_unref(range);
        return st;
    }
    *out = range;
    return STATUS_OK;
}

/* What is to be read; returns how many spans. */
static size_t find_spans(const pq_table *table, pq_morsel morsel, const uint32_t *columns,
                         uint32_t count, pq_fetch_policy policy, span *spans)
{
    const pq_table_file *f = &table->files.items[morsel.file];
    const pq_row_group *group = &f->metadata->row_groups[morsel.row_group];
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const pq_column_chunk *chunk = &group->chunks[table->columns.items[columns[i]].leaf];
        uint64_t end = chunk->offset + chunk->compressed_bytes;
        if (policy == PQ_FETCH_UNCACHED &&
            storage_is_cached(f->file, chunk->offset, chunk->compressed_bytes))
            continue;
        spans[used++] = (span){chunk->offset / STORAGE_BLOCK * STORAGE_BLOCK,
                               (end + STORAGE_BLOCK - 1) / STORAGE_BLOCK * STORAGE_BLOCK};
    }
    return merge_spans(spans, used);
}

status pq_fetch_start(device *dev, const pq_table *table, pq_morsel morsel, const uint32_t *columns,
                      uint32_t count, pq_fetch_policy policy, pq_fetch **out)
{
    *out = NULL;
    size_t span_count = 0;
    pq_fetch *fetch = NULL;
    if (!count || !dev->is_host || policy == PQ_FETCH_NONE)
        return STATUS_OK;
    span *spans = mem_new_array(count, sizeof *spans);
    status st = spans ? STATUS_OK : status_no_memory("scan", count * sizeof *spans);
    if (!st)
        span_count = find_spans(table, morsel, columns, count, policy, spans);
    if (span_count) {
        fetch = mem_new(sizeof *fetch + span_count * sizeof *fetch->ranges);
        if (!fetch)
            st = status_no_memory("scan", sizeof *fetch);
    }
    for (size_t i = 0; i < span_count && !st; i++) {
        st = start_range(dev, table->files.items[morsel.file].file, spans[i],
                         &fetch->ranges[fetch->range_count]);
        if (!st)
            fetch->bytes += fetch->ranges[fetch->range_count++]->buffer->bytes;
    }
    mem_free(spans);
    if (st) {
        pq_fetch_close(fetch);
        return st;
    }
    *out = fetch;
    return STATUS_OK;
}

void pq_fetch_block(const pq_fetch *fetch)
{
    for (size_t i = 0; fetch && i < fetch->range_count; i++)
        if (fetch->ranges[i]->reading)
            storage_read_block(fetch->ranges[i]->reading);
}

uint64_t pq_fetch_bytes(const pq_fetch *fetch)
{
    return fetch ? fetch->bytes : 0;
}

uint64_t pq_fetch_stored_bytes(const pq_fetch *fetch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; fetch && i < fetch->range_count; i++)
        bytes += fetch->ranges[i]->end - fetch->ranges[i]->start;
    return bytes;
}

void pq_fetch_close(pq_fetch *fetch)
{
    if (!fetch)
        return;
    for (size_t i = 0; i < fetch->range_count; i++)
        pq_fetched_unref(fetch->ranges[i]);
    mem_free(fetch);
}

pq_fetched_range *pq_fetch_find(pq_fetch *fetch, uint64_t offset, uint64_t bytes)
{
    for (size_t i = 0; fetch && i < fetch->range_count; i++) {
        pq_fetched_range *range = fetch->ranges[i];
        if (range->start <= offset && offset + bytes <= range->end) {
            range->references++;
            return range;
        }
    }
    return NULL;
}

dev_buffer *pq_fetched_buffer(const pq_fetched_range *range)
{
    return range->buffer;
}

uint8_t *pq_fetched_address(const pq_fetched_range *range, uint64_t at)
{
    return range->address + (at - range->start);
}

bool pq_fetched_wait(pq_fetched_range *range, void (*wake)(void *argument), void *argument)
{
    return range->reading && storage_read_wait(range->reading, wake, argument);
}

status pq_fetched_finish(pq_fetched_range *range)
{
    read_request *reading = range->reading;
    range->reading = NULL;
    status st = storage_read_finish(reading);
    if (!st && range->has_failed)
        st = status_new(STATUS_KIND_IO, "could not read its bytes");
    range->has_failed |= st != NULL;
    return st;
}

void pq_fetched_unref(pq_fetched_range *range)
{
    if (!range || --range->references)
        return;
    status_free(storage_read_finish(range->reading));
    dev_buffer_unref(range->buffer);
    mem_free(range);
}
