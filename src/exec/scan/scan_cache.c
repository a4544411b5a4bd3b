/* scan_cache.c - see scan_cache.h. */
#include "exec/scan/scan_cache.h"

#include "exec/scan/column_cache.h"
#include "exec/scan/stored_cache.h"

#include <string.h>

static int scan_cache_compare_places(const pq_kept_column *a, const pq_kept_column *b)
{
    int by_path = strcmp(a->path, b->path);
    return by_path ? by_path : strcmp(a->column, b->column);
}

status scan_cache_list(arena *memory, pq_kept_column **out, size_t *out_count)
{
    pq_kept_column *decoded, *stored;
    size_t decoded_count, stored_count, i = 0, k = 0;
    TRY(column_cache_list(memory, &decoded, &decoded_count));
    TRY(stored_cache_list(memory, &stored, &stored_count));
    size_t count = *out_count = decoded_count + stored_count;
    pq_kept_column *all = *out = arena_alloc_array(memory, count + 1, sizeof *all);
    if (!all)
        return status_no_memory("column cache", count * sizeof *all);
    while (i + k < count) {
        bool is_decoded =
            k == stored_count ||
            (i < decoded_count && scan_cache_compare_places(&decoded[i], &stored[k]) <= 0);
        all[i + k] = is_decoded ? decoded[i] : stored[k];
        i += is_decoded;
        k += !is_decoded;
    }
    return STATUS_OK;
}

void scan_cache_forget(const pq_file_version *version)
{
    column_cache_forget(version);
    stored_cache_forget(version);
}

void scan_cache_clear(void)
{
    column_cache_clear();
    stored_cache_clear();
}

static uint64_t host_held(void *of)
{
    (void)of;
    return column_cache_bytes() + stored_cache_pinned_bytes();
}

/* Pinned pages save a copy of the page cache's bytes, decoded columns the decoding: those go first. */
static void host_give_back(void *of, uint64_t bytes)
{
    (void)of;
    uint64_t freed = stored_cache_give_back_pinned(bytes);
    if (freed < bytes)
        column_cache_give_back(bytes - freed);
}

const mem_lender scan_cache_lender = {host_held, host_give_back};
