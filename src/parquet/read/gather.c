/* gather.c - which bytes of a column are read together, and where in their block they lie. */
#include "parquet/read/gather.h"

#include "parquet/read/fetch_range.h"
#include "parquet/table/table.h"

/* Parts' bytes begin at multiples of it in the block. */
#define ALIGNMENT 64
/* Fewer bytes than this are copied by the caller sooner than by threads that have to wake. */
#define PARALLEL_BYTES ((uint64_t)1 << 20)

/* The block, as far as it is taken. */
typedef struct gathering {
    const pq_table *table;
    uint32_t column;
    pq_memory *memory;
    uint8_t *next;
    bool is_parallel;
} gathering;

/* Leaves the spans that the fetch does not have. */
static void leave_wanted(pq_fetch *fetch, pq_span_list *spans)
{
    size_t kept = 0;
    for (size_t i = 0; i < spans->count; i++)
        if (!pq_fetch_has(fetch, spans->items[i]))
            spans->items[kept++] = spans->items[i];
    spans->count = kept;
}

static uint64_t room_of(pq_span span)
{
    return (span.end - span.start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Finds what is to be read of each part, and the bytes that all of it takes. */
static status find_spans(const gathering *g, const pq_batch_part *parts, uint32_t count,
                         pq_span_list *spans, uint64_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].stored)
            continue;
        TRY(pq_column_spans(g->table, parts[i].group_ref, g->column, parts[i].rows, &spans[i]));
        leave_wanted(parts[i].fetch, &spans[i]);
        for (size_t k = 0; k < spans[i].count; k++)
            *bytes += room_of(spans[i].items[k]);
    }
    return STATUS_OK;
}

static status start_range(gathering *g, const file *f, pq_span span, pq_fetched_range **out)
{
    pq_fetched_range *range;
    uint64_t bytes = span.end - span.start;
    TRY(pq_fetched_range_new(span, &range));
    range->is_own = true;
    range->memory = pq_memory_ref(g->memory);
    range->address = g->next;
    g->next += room_of(span);
    status st =
        g->is_parallel && storage_is_cached(f, span.start, bytes)
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

/* Takes the block; without memory for it, none. */
static void take_block(device *dev, uint64_t bytes, gathering *g)
{
    if (!bytes)
        return;
    status_free(pq_memory_new(dev, bytes, &g->memory, &g->next));
    g->is_parallel = bytes >= PARALLEL_BYTES;
}

status pq_gather_start(device *dev, const pq_table *table, uint32_t column,
                       const pq_batch_part *parts, uint32_t count, pq_fetch **out)
{
    gathering g = {.table = table, .column = column};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        out[i] = NULL;
    pq_span_list *spans = mem_new_array(count, sizeof *spans);
    if (!spans)
        return status_no_memory("scan", count * sizeof *spans);
    status st = find_spans(&g, parts, count, spans, &bytes);
    if (!st)
        take_block(dev, bytes, &g);
    if (g.memory)
        st = start_parts(&g, parts, count, spans, out);
    pq_memory_unref(g.memory);
    for (uint32_t i = 0; i < count; i++)
        array_release(&spans[i]);
    mem_free(spans);
    return st;
}
