/* fetch.c - which bytes are read together, and their memory. */
#include "parquet/read/fetch.h"

#include "device/transfer.h"
#include "parquet/read/fetch_range.h"
#include "storage/device.h"
#include "storage/registered.h"

#include <stdlib.h>

static int compare_spans(const void *left, const void *right)
{
    const pq_span *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorts and merges spans of whole blocks of a device's file; returns how many there are. */
static size_t merge_spans(const storage_device *on, pq_span *spans, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; i++) {
        pq_span *before = kept ? &spans[kept - 1] : NULL;
        bool overlaps = before && spans[i].start <= before->end;
        bool is_near = before && spans[i].start <= before->end + on->gap_bytes &&
                       spans[i].end - before->start <= on->range_bytes;
        if (!overlaps && !is_near)
            spans[kept++] = spans[i];
        else if (spans[i].end > before->end)
            before->end = spans[i].end;
    }
    return kept;
}

status pq_fetched_range_new(pq_span span, pq_fetched_range **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("scan", sizeof **out);
    **out = (pq_fetched_range){.references = 1, .start = span.start, .end = span.end};
    return STATUS_OK;
}

pq_memory *pq_memory_ref(pq_memory *memory)
{
    atomic_fetch_add_explicit(&memory->references, 1, memory_order_relaxed);
    return memory;
}

void pq_memory_unref(pq_memory *memory)
{
    if (!memory || atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) != 1)
        return;
    dev_buffer_unref(memory->buffer);
    if (memory->pinned)
        dev_host_free(memory->dev, memory->pinned, memory->bytes);
    mem_free(memory);
}

static status fetch_new_memory(device *dev, pq_memory **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("scan", sizeof **out);
    (*out)->dev = dev;
    atomic_store(&(*out)->references, 1);
    return STATUS_OK;
}

/* Memory of the device, or that it can copy from. *address: where it begins. */
static status take_memory(device *dev, uint64_t bytes, pq_memory *memory, uint8_t **address)
{
    device *owner = dev->is_host ? dev : dev->host; /* nested columns are decoded there */
    status st = owner ? dev_alloc(owner, bytes, "scan", &memory->buffer)
                      : dev_host_alloc(dev, bytes, "scan", &memory->pinned);
    memory->bytes = memory->buffer ? memory->buffer->bytes : bytes;
    if (memory->buffer)
        dev_buffer_set_page(memory->buffer);
    *address = memory->buffer ? memory->buffer->address : memory->pinned;
    return st;
}

status pq_memory_new(device *dev, uint64_t bytes, pq_memory **out, uint8_t **address)
{
    pq_memory *memory;
    *out = NULL;
    TRY(fetch_new_memory(dev, &memory));
    status st = take_memory(dev, bytes, memory, address);
    if (st) {
        pq_memory_unref(memory);
        return st;
    }
    *out = memory;
    return STATUS_OK;
}

static status take_registered(device *dev, uint8_t *address, uint64_t bytes, pq_memory *memory)
{
    status st = dev->ops->wrap(dev, address, bytes, storage_memory_give, "scan", &memory->buffer);
    if (st)
        storage_memory_give(address, bytes);
    if (st)
        return st;
    memory->bytes = memory->buffer->bytes;
    dev_buffer_set_page(memory->buffer);
    return STATUS_OK;
}

/* A lazy device keeps its pinned memory: reads need not pin it each time. */
static void know_pinned(device *dev, const pq_memory *memory)
{
    void *start;
    size_t bytes;
    if (dev->is_host || !dev->ops->host_piece)
        return;
    const void *address = memory->buffer ? memory->buffer->address : memory->pinned;
    dev->ops->host_piece(dev, address, &start, &bytes);
    atomic_store(&dev->host_gone, storage_memory_forget);
    storage_memory_know(start, bytes);
}

/* The range's memory, of whole blocks. */
static status place_range(device *dev, bool is_registered, uint64_t bytes, pq_fetched_range *range)
{
    TRY(fetch_new_memory(dev, &range->memory));
    range->address = is_registered && dev->is_host ? storage_memory_take(bytes) : NULL;
    if (range->address)
        return take_registered(dev, range->address, bytes, range->memory);
    uint8_t *begin;
    TRY(take_memory(dev, bytes + STORAGE_BLOCK, range->memory, &begin));
    if (is_registered)
        know_pinned(dev, range->memory);
    uintptr_t block = ((uintptr_t)begin + STORAGE_BLOCK - 1) / STORAGE_BLOCK;
    range->address = (uint8_t *)(block * STORAGE_BLOCK);
    return STATUS_OK;
}

/* Whole blocks, past the page cache. */
static status fetch_start_range(device *dev, const pq_fetch_want *want, pq_span span,
                                pq_fetched_range **out)
{
    const file *f = want->table->files.items[want->group_ref.file].file;
    pq_fetched_range *range;
    uint64_t bytes = span.end - span.start;
    *out = NULL;
    TRY(pq_fetched_range_new(span, &range));
    status st = place_range(dev, want->is_registered, bytes, range);
    if (!st) {
        range->stored_bytes = bytes;
        st = storage_read_submit_direct(f, span.start, range->address, bytes, &range->reading);
    }
    if (st) {
        pq_fetched_unref(range);
        return st;
    }
    *out = range;
    return STATUS_OK;
}

status pq_fetched_read(device *dev, const file *f, pq_span span, pq_fetched_range **out)
{
    pq_fetched_range *range;
    uint64_t bytes = span.end - span.start;
    *out = NULL;
    TRY(pq_fetched_range_new(span, &range));
    range->is_own = true;
    status st = pq_memory_new(dev, bytes, &range->memory, &range->address);
    if (!st)
        st = storage_read_submit(f, span.start, range->address, bytes, &range->reading);
    if (st) {
        pq_fetched_unref(range);
        return st;
    }
    range->stored_bytes = storage_read_stored_bytes(range->reading);
    *out = range;
    return STATUS_OK;
}

static bool fetch_is_kept(const pq_shared_list *kept, pq_span span)
{
    for (size_t i = 0; kept && i < kept->count; i++)
        if (kept->items[i].start <= span.start && span.end <= kept->items[i].end)
            return true;
    return false;
}

/* The spans of a column that the policy says and that are not kept, in whole blocks. */
static status add_spans(const pq_fetch_want *want, uint32_t column, pq_span_list *spans,
                        uint64_t *kept_bytes)
{
    const file *f = want->table->files.items[want->group_ref.file].file;
    size_t before = spans->count, kept = before;
    TRY(pq_column_spans(want->table, want->group_ref, column, want->rows, spans));
    for (size_t i = before; i < spans->count; i++) {
        pq_span span = spans->items[i];
        if (fetch_is_kept(want->kept, span)) {
            *kept_bytes += span.end - span.start;
            continue;
        }
        if (want->policy == PQ_FETCH_UNCACHED &&
            storage_is_cached(f, span.start, span.end - span.start))
            continue;
        spans->items[kept++] =
            (pq_span){span.start / STORAGE_BLOCK * STORAGE_BLOCK,
                      (span.end + STORAGE_BLOCK - 1) / STORAGE_BLOCK * STORAGE_BLOCK};
    }
    spans->count = kept;
    return STATUS_OK;
}

/* Finds the spans that are to be read, merged. */
static status find_fetched_spans(const pq_fetch_want *want, pq_span_list *spans,
                                 uint64_t *kept_bytes)
{
    for (uint32_t i = 0; i < want->column_count; i++)
        TRY(add_spans(want, want->columns[i], spans, kept_bytes));
    const file *f = want->table->files.items[want->group_ref.file].file;
    if (want->is_merged)
        spans->count =
            merge_spans(storage_device_find(f->version.device), spans->items, spans->count);
    return STATUS_OK;
}

/* Makes ranges of the fetch, which has room for them, of what is kept. */
static status use_kept(pq_fetch *fetch, const pq_shared_list *kept)
{
    for (size_t i = 0; kept && i < kept->count; i++) {
        const pq_shared_range *k = &kept->items[i];
        pq_fetched_range *range;
        TRY(pq_fetched_range_new((pq_span){k->start, k->end}, &range));
        range->is_kept = true;
        fetch->ranges[fetch->range_count++] = range;
        pq_shared_range own;
        TRY(pq_shared_range_ref(k, &own));
        range->address = own.address;
        range->memory = own.memory;
        range->reading = own.reading;
    }
    return STATUS_OK;
}

status pq_fetch_start(device *dev, const pq_fetch_want *want, pq_fetch **out)
{
    *out = NULL;
    pq_fetch *fetch = NULL;
    pq_span_list spans = {0};
    if (!want->column_count || want->policy == PQ_FETCH_NONE)
        return STATUS_OK;
    uint64_t kept_bytes = 0;
    status st = find_fetched_spans(want, &spans, &kept_bytes);
    size_t count = spans.count + (want->kept ? want->kept->count : 0);
    if (!st && count) {
        fetch = mem_new(sizeof *fetch + count * sizeof *fetch->ranges);
        st = fetch ? use_kept(fetch, want->kept) : status_no_memory("scan", sizeof *fetch);
        if (fetch)
            fetch->kept_bytes = kept_bytes;
    }
    for (size_t i = 0; i < spans.count && !st; i++) {
        st = fetch_start_range(dev, want, spans.items[i], &fetch->ranges[fetch->range_count]);
        if (!st)
            fetch->bytes += fetch->ranges[fetch->range_count++]->memory->bytes;
    }
    array_release(&spans);
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

bool pq_fetch_is_done(const pq_fetch *fetch)
{
    for (size_t i = 0; fetch && i < fetch->range_count; i++)
        if (fetch->ranges[i]->reading && !storage_read_is_done(fetch->ranges[i]->reading))
            return false;
    return true;
}

uint64_t pq_fetch_bytes(const pq_fetch *fetch)
{
    return fetch ? fetch->bytes : 0;
}

uint64_t pq_fetch_stored_bytes(const pq_fetch *fetch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; fetch && i < fetch->range_count; i++)
        bytes += fetch->ranges[i]->stored_bytes;
    return bytes;
}

uint64_t pq_fetch_shared_bytes(const pq_fetch *fetch)
{
    return fetch ? fetch->kept_bytes : 0;
}

bool pq_fetch_next_range(pq_fetch *fetch, size_t *at, pq_shared_range *out)
{
    while (fetch && *at < fetch->range_count) {
        pq_fetched_range *range = fetch->ranges[(*at)++];
        bool is_done = !range->reading || storage_read_is_done(range->reading);
        if (!is_done || range->is_kept)
            continue;
        status_free(pq_fetched_finish(range)); /* who needed it has been told if it failed */
        if (range->has_failed)
            continue;
        *out = (pq_shared_range){range->start, range->end, range->address, range->memory, NULL};
        return true;
    }
    return false;
}

bool pq_fetch_next_reading(pq_fetch *fetch, size_t *at, pq_shared_range *out)
{
    while (fetch && *at < fetch->range_count) {
        const pq_fetched_range *range = fetch->ranges[(*at)++];
        if (!range->reading || range->is_kept)
            continue;
        *out = (pq_shared_range){range->start, range->end, range->address, range->memory,
                                 range->reading};
        return true;
    }
    return false;
}

status pq_shared_range_ref(const pq_shared_range *range, pq_shared_range *out)
{
    *out = *range;
    if (range->reading)
        TRY(storage_read_share(range->reading, &out->reading));
    pq_memory_ref(range->memory);
    return STATUS_OK;
}

void pq_shared_list_release(pq_shared_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        status_free(storage_read_finish(list->items[i].reading));
        pq_memory_unref(list->items[i].memory);
    }
    array_release(list);
}

void pq_fetch_close(pq_fetch *fetch)
{
    if (!fetch)
        return;
    for (size_t i = 0; i < fetch->range_count; i++)
        pq_fetched_unref(fetch->ranges[i]);
    mem_free(fetch);
}

static pq_fetched_range *find_range(pq_fetch *fetch, pq_span span)
{
    for (size_t i = 0; fetch && i < fetch->range_count; i++) {
        pq_fetched_range *range = fetch->ranges[i];
        if (range->start <= span.start && span.end <= range->end)
            return range;
    }
    return NULL;
}

bool pq_fetch_has(pq_fetch *fetch, pq_span span)
{
    return find_range(fetch, span);
}

pq_fetched_range *pq_fetch_find(pq_fetch *fetch, pq_span span)
{
    pq_fetched_range *range = find_range(fetch, span);
    if (range)
        range->references++;
    return range;
}

bool pq_fetched_is_own(const pq_fetched_range *range)
{
    return range->is_own;
}

const void *pq_fetched_block(const pq_fetched_range *range)
{
    return range->memory;
}

uint64_t pq_fetched_stored_bytes(const pq_fetched_range *range)
{
    return range->stored_bytes;
}

dev_buffer *pq_fetched_buffer(const pq_fetched_range *range)
{
    return range->memory->buffer;
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
    pq_memory_unref(range->memory);
    mem_free(range);
}
