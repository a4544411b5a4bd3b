/* gather.c - which bytes of a column are read together, and where in their blocks they lie. */
#include "parquet/read/gather.h"

#include "parquet/read/fetch_range.h"
#include "parquet/table/table.h"

/* Parts' bytes begin at multiples of it in a block. */
#define ALIGNMENT 64
/* Fewer bytes than this are copied by the caller sooner than by threads that have to wake. */
#define PARALLEL_BYTES ((uint64_t)1 << 20)

/* The most that a block has of several parts, so that other columns use it again: with what the device puts before it, 16 MiB. */
#define BLOCK_BYTES (((uint64_t)16 << 20) - 4096)
/* As much of a span stands for all of it when the page cache is asked. */
#define SAMPLE_BYTES ((uint64_t)4096)

/* The block at work, as far as it is taken. */
typedef struct gathering {
    device *dev;
    const pq_table *table;
    uint32_t column;
    uint64_t bytes; /* of what has no place yet */
    pq_memory *memory;
    uint8_t *next;
    uint64_t left;
    bool is_parallel;
} gathering;

static uint64_t room_of(pq_span span)
{
    return (span.end - span.start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Leaves the spans that have bytes which the fetch does not have. */
static void leave_wanted(pq_fetch *fetch, pq_span_list *spans)
{
    size_t kept = 0;
    for (size_t i = 0; i < spans->count; i++)
        if (room_of(spans->items[i]) && !pq_fetch_has(fetch, spans->items[i]))
            spans->items[kept++] = spans->items[i];
    spans->count = kept;
}

/* Finds what is to be read of each part, and the bytes that all of it takes. */
static status find_spans(gathering *g, const pq_batch_part *parts, uint32_t count,
                         pq_span_list *spans)
{
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].stored)
            continue;
        TRY(pq_column_spans(g->table, parts[i].group_ref, g->column, parts[i].rows, &spans[i]));
        leave_wanted(parts[i].fetch, &spans[i]);
        for (size_t k = 0; k < spans[i].count; k++)
            g->bytes += room_of(spans[i].items[k]);
    }
    g->is_parallel = g->bytes >= PARALLEL_BYTES;
    return STATUS_OK;
}

/* Makes room for bytes at g->next. Returns whether there is memory for them. */
static bool make_room(gathering *g, uint64_t room)
{
    if (g->left >= room)
        return true;
    uint64_t bytes = g->bytes < BLOCK_BYTES ? g->bytes : BLOCK_BYTES;
    pq_memory_unref(g->memory);
    g->left = bytes > room ? bytes : room;
    status st = pq_memory_new(g->dev, g->left, &g->memory, &g->next);
    if (st)
        g->left = 0;
    status_free(st);
    return g->left;
}

static status start_range(gathering *g, const file *f, pq_span span, pq_fetched_range **out)
{
    pq_fetched_range *range;
    uint64_t bytes = span.end - span.start;
    uint64_t sample = bytes < SAMPLE_BYTES ? bytes : SAMPLE_BYTES;
    TRY(pq_fetched_range_new(span, &range));
    range->is_own = true;
    range->memory = pq_memory_ref(g->memory);
    range->address = g->next;
    g->next += room_of(span);
    g->left -= room_of(span);
    status st =
        g->is_parallel && storage_is_cached(f, span.start, sample)
            ? storage_read_submit_cached(f, span.start, range->address, bytes, &range->reading)
            : storage_read_submit(f, span.start, range->address, bytes, &range->reading);
    if (st) {
        pq_fetched_unref(range);
        return st;
    }
    range->stored_bytes = storage_read_stored_bytes(range->reading);
    *out = range;
    return STATUS_OK;
}

static status start_part(gathering *g, const pq_batch_part *part, const pq_span_list *spans,
                         pq_fetch **out)
{
    const file *f = g->table->files.items[part->group_ref.file].file;
    if (!spans->count)
        return STATUS_OK;
    pq_fetch *fetch = mem_new(sizeof *fetch + spans->count * sizeof *fetch->ranges);
    if (!fetch)
        return status_no_memory("scan", sizeof *fetch);
    status st = STATUS_OK;
    for (size_t i = 0; i < spans->count && !st; i++) {
        uint64_t room = room_of(spans->items[i]);
        if (!make_room(g, room))
            break;
        g->bytes -= room;
        st = start_range(g, f, spans->items[i], &fetch->ranges[fetch->range_count]);
        fetch->range_count += !st;
    }
    *out = fetch;
    return st;
}

static status start_parts(gathering *g, const pq_batch_part *parts, uint32_t count,
                          const pq_span_list *spans, pq_fetch **out)
{
    status st = STATUS_OK;
    for (uint32_t i = 0; i < count && !st; i++)
        st = start_part(g, &parts[i], &spans[i], &out[i]);
    for (uint32_t i = 0; i < count && st; i++) {
        pq_fetch_close(out[i]);
        out[i] = NULL;
    }
    return st;
}

status pq_gather_start(device *dev, const pq_table *table, uint32_t column,
                       const pq_batch_part *parts, uint32_t count, pq_fetch **out)
{
    gathering g = {.dev = dev, .table = table, .column = column};
    for (uint32_t i = 0; i < count; i++)
        out[i] = NULL;
    pq_span_list *spans = mem_new_array(count, sizeof *spans);
    if (!spans)
        return status_no_memory("scan", count * sizeof *spans);
    status st = find_spans(&g, parts, count, spans);
    if (!st)
        st = start_parts(&g, parts, count, spans, out);
    pq_memory_unref(g.memory);
    for (uint32_t i = 0; i < count; i++)
        array_release(&spans[i]);
    mem_free(spans);
    return st;
}
