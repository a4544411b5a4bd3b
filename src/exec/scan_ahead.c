/* scan_ahead.c - which row groups are read when. All under one lock of the query; it is held while
 * reads are submitted, not while they are under way. */
#include "exec/scan_ahead.h"

#include "exec/scan_prune.h"

/* Of the memory limit, what reading ahead may hold at most. */
#define BUDGET_PART 8
/* Row groups looked at ahead of need: where they are cached, looking is all that is done. */
#define QUEUE_MAX 48

struct scan_ahead {
    exec_query *query;
    const plan_node *plan;
    const pq_table *table;
    const uint32_t *columns;
    uint32_t column_count;
    size_t cursor; /* the table's next row group that was not looked at */
    /* A ring. */
    scan_morsel queue[QUEUE_MAX];
    unsigned queue_first, queue_count;
    bool has_no_memory; /* memory ran short: not tried again */
};

uint64_t scan_ahead_morsel_bytes(const scan_ahead *scan, pq_morsel morsel)
{
    const pq_row_group *group =
        &scan->table->files.items[morsel.file].metadata->row_groups[morsel.row_group];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scan->column_count; i++)
        bytes += group->chunks[scan->table->columns.items[scan->columns[i]].leaf].compressed_bytes;
    return bytes;
}

/* The entry of the device that the file is on, or NULL. */
static exec_storage *find_storage(exec_query *query, const file *f)
{
    for (size_t i = 0; i < query->storage.count; i++)
        if (query->storage.items[i].device == f->version.device)
            return &query->storage.items[i];
    return NULL;
}

static status add_storage(exec_query *query, const pq_table *table)
{
    for (size_t i = 0; i < table->files.count; i++) {
        const file *f = table->files.items[i].file;
        exec_storage storage = {.device = f->version.device, .path = f->path};
        if (!find_storage(query, f))
            TRY(array_push(query->memory, &query->storage, storage));
    }
    return STATUS_OK;
}

void scan_ahead_count(scan_ahead *scan, pq_morsel morsel, uint64_t stored, uint64_t cached)
{
    exec_storage *storage = find_storage(scan->query, scan->table->files.items[morsel.file].file);
    atomic_fetch_add_explicit(&storage->bytes, stored, memory_order_relaxed);
    atomic_fetch_add_explicit(&scan->query->bytes_cached, cached, memory_order_relaxed);
}

status scan_ahead_new(exec_query *query, const plan_node *plan, const uint32_t *columns,
                      uint32_t column_count, scan_ahead **out)
{
    *out = NULL;
    scan_ahead *scan = mem_new(sizeof *scan);
    if (!scan)
        return status_no_memory("scan", sizeof *scan);
    *scan = (scan_ahead){.query = query,
                         .plan = plan,
                         .table = plan->scan.table,
                         .columns = columns,
                         .column_count = column_count};
    status st = add_storage(query, scan->table);
    if (!st)
        st = array_push(query->memory, &query->ahead.scans, scan);
    if (st) {
        mem_free(scan);
        return st;
    }
    *out = scan;
    return STATUS_OK;
}

/* Under the lock: the next row group that statistics leave. */
static bool next_morsel(scan_ahead *scan, pq_morsel *out)
{
    while (scan->cursor < scan->table->morsels.count) {
        pq_morsel morsel = scan->table->morsels.items[scan->cursor++];
        if (!scan_prune(scan->query, scan->plan, scan->table, morsel)) {
            *out = morsel;
            return true;
        }
        atomic_fetch_add_explicit(&scan->query->scan_bytes_done,
                                  scan_ahead_morsel_bytes(scan, morsel), memory_order_relaxed);
    }
    return false;
}

/* Under the lock: queues the next row group, its reads under way. False: there is none left. */
static bool extend(scan_ahead *scan)
{
    exec_query *query = scan->query;
    scan_morsel next = {0};
    if (!next_morsel(scan, &next.morsel))
        return false;
    /* What cannot be read ahead is read when it is needed, and fails there if it must. */
    status st = scan->has_no_memory
                    ? STATUS_OK
                    : pq_fetch_start(query->dev, scan->table, next.morsel, scan->columns,
                                     scan->column_count, query->ahead.policy, &next.fetch);
    scan->has_no_memory |= st != NULL;
    status_free(st);
    query->ahead.bytes += pq_fetch_bytes(next.fetch);
    scan_ahead_count(scan, next.morsel, pq_fetch_stored_bytes(next.fetch), 0);
    scan->queue[(scan->queue_first + scan->queue_count++) % QUEUE_MAX] = next;
    return true;
}

/* Under the lock. */
static void fill(scan_ahead *scan)
{
    read_ahead *ahead = &scan->query->ahead;
    while (scan->queue_count < QUEUE_MAX && ahead->bytes < ahead->bytes_max && extend(scan))
        ;
}

/* Under the lock: this scan, then those behind it, as far as those before them are looked at. */
static void fill_from(read_ahead *ahead, size_t first)
{
    size_t end = ahead->overlap == OVERLAP_FULL       ? ahead->scans.count
                 : ahead->overlap == OVERLAP_DEFERRED ? first + 1
                                                      : first;
    for (size_t i = first; i < end; i++) {
        scan_ahead *scan = ahead->scans.items[i];
        fill(scan);
        if (scan->cursor < scan->table->morsels.count)
            break;
    }
}

/* Under the lock: reads as much as may be held, and waits for it. */
static void fill_blocking(scan_ahead *scan)
{
    fill(scan);
    for (unsigned i = 0; i < scan->queue_count; i++)
        pq_fetch_block(scan->queue[(scan->queue_first + i) % QUEUE_MAX].fetch);
}

void scan_ahead_configure(exec_query *query, const settings *settings)
{
    const char *direct = settings->direct_io.text;
    uint64_t wanted = settings->read_ahead.number;
    uint64_t most = mem_budget_limit(query->budget) / BUDGET_PART;
    query->ahead.bytes_max = wanted < most ? wanted : most;
    const char *overlap = settings->overlap.text;
    query->ahead.overlap = !strcmp(overlap, "blocking")   ? OVERLAP_BLOCKING
                           : !strcmp(overlap, "chunking") ? OVERLAP_CHUNKING
                           : !strcmp(overlap, "deferred") ? OVERLAP_DEFERRED
                                                          : OVERLAP_FULL;
    query->ahead.policy = !strcmp(direct, "always")  ? PQ_FETCH_ALL
                          : !strcmp(direct, "never") ? PQ_FETCH_NONE
                                                     : PQ_FETCH_UNCACHED;
}

void scan_ahead_start(exec_query *query)
{
    read_ahead *ahead = &query->ahead;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->overlap == OVERLAP_FULL)
        fill_from(ahead, 0);
    pthread_mutex_unlock(&ahead->lock);
}

bool scan_ahead_take(scan_ahead *scan, scan_morsel *out)
{
    read_ahead *ahead = &scan->query->ahead;
    bool is_there = false;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->overlap == OVERLAP_BLOCKING && !scan->queue_count)
        fill_blocking(scan);
    while (!is_there && (scan->queue_count || extend(scan))) {
        *out = scan->queue[scan->queue_first];
        scan->queue_first = (scan->queue_first + 1) % QUEUE_MAX;
        scan->queue_count--;
        atomic_fetch_add_explicit(&scan->query->scan_bytes_done,
                                  scan_ahead_morsel_bytes(scan, out->morsel), memory_order_relaxed);
        /* Runtime filters may have come since it was queued. */
        is_there = !scan_prune_runtime(scan->query, scan->plan, scan->table, out->morsel);
        if (!is_there) {
            ahead->bytes -= pq_fetch_bytes(out->fetch);
            pq_fetch_close(out->fetch);
        }
    }
    size_t number = 0;
    while (ahead->scans.items[number] != scan)
        number++;
    fill_from(ahead, number);
    pthread_mutex_unlock(&ahead->lock);
    return is_there;
}

void scan_ahead_release(scan_ahead *scan, pq_fetch *fetch)
{
    read_ahead *ahead = &scan->query->ahead;
    uint64_t bytes = pq_fetch_bytes(fetch);
    pq_fetch_close(fetch);
    if (!bytes)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->bytes -= bytes;
    pthread_mutex_unlock(&ahead->lock);
}

void scan_ahead_free(scan_ahead *scan)
{
    if (!scan)
        return;
    for (; scan->queue_count; scan->queue_count--) {
        pq_fetch_close(scan->queue[scan->queue_first].fetch);
        scan->queue_first = (scan->queue_first + 1) % QUEUE_MAX;
    }
    mem_free(scan);
}
