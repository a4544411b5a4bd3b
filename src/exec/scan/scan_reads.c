/* scan_reads.c - how the scans of a query read, by its settings. */
#include "exec/scan/scan_reads.h"

#include "base/system/mutex.h"
#include "exec/scan/scan_share.h"
#include "parquet/table/table_deletes.h"

/* Reading ahead may hold one part in this many of the memory limit. */
#define BUDGET_PART 8
/* Part of the memory limit that the column cache may hold at most. */
#define CACHE_PART 4

/* A lazy device decodes pages itself, and keeps them as they are stored. */
static void use_cache(scan_reads *reads, const exec_query *query, const settings *settings)
{
    uint64_t wanted = settings->cache_memory.number;
    uint64_t limit = mem_budget_limit(dev_host(query->dev)->budget);
    uint64_t most = limit ? limit / CACHE_PART : UINT64_MAX;
    if (!wanted)
        return;
    most = wanted < most ? wanted : most;
    if (query->dev->is_host)
        reads->cache =
            (column_cache_use){column_cache_statement(), most, query->statement->fills_cache};
    else
        reads->stored = (stored_cache_use){query->dev->keeper, column_cache_statement(), most};
}

static void configure(scan_reads *reads, const exec_query *query, const settings *settings)
{
    const char *direct = settings->direct_io.text;
    uint64_t wanted = settings->read_ahead.number;
    uint64_t most = mem_budget_limit(dev_host(query->dev)->budget) / BUDGET_PART;
    reads->bytes_max = wanted < most ? wanted : most;
    use_cache(reads, query, settings);
    const char *overlap = settings->overlap.text;
    reads->overlap = !strcmp(overlap, "blocking")   ? OVERLAP_BLOCKING
                     : !strcmp(overlap, "chunking") ? OVERLAP_CHUNKING
                     : !strcmp(overlap, "deferred") ? OVERLAP_DEFERRED
                                                    : OVERLAP_FULL;
    reads->is_combining = settings->reader_combining.number;
    reads->is_registering = settings->registered_memory.number;
    /* Blocking reads as many bytes as it may before it computes: small pieces would go on meanwhile. */
    reads->is_regulating =
        settings->adaptive_regulation.number && reads->overlap != OVERLAP_BLOCKING;
    reads->policy = !strcmp(direct, "always")  ? PQ_FETCH_ALL
                    : !strcmp(direct, "never") ? PQ_FETCH_NONE
                                               : PQ_FETCH_UNCACHED;
}

status scan_reads_new(exec_query *query, const settings *settings, scan_reads **out)
{
    scan_reads *reads = mem_new(sizeof *reads);
    *out = reads;
    if (!reads)
        return status_no_memory("scans", sizeof *reads);
    mutex_init(&reads->lock);
    configure(reads, query, settings);
    return STATUS_OK;
}

void scan_reads_free(scan_reads *reads, bool keeps)
{
    if (!reads)
        return;
    stored_cache_end(reads->stored, keeps);
    scan_share_free(reads->share);
    for (size_t i = 0; i < reads->deletes.count; i++)
        pq_deletes_free(reads->deletes.items[i]);
    array_release(&reads->deletes);
    mutex_destroy(&reads->lock);
    mem_free(reads);
}
