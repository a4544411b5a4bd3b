/* scan_share.c - ranges by row group, and which scans have not passed it. */
#include "exec/scan/scan_share.h"

#include "base/system/mutex.h"
#include "exec/sched/memory.h"
#include "storage/read.h"

/* One part in this many of the memory limit may be kept. */
#define KEEP_PART 8
/* Scans of one table that take part: a bit each. */
#define READERS_MAX 64

typedef struct share_reader {
    const uint32_t *columns;
    uint32_t column_count;
} share_reader;

typedef struct share_group {
    _Atomic uint64_t to_come; /* scans that have not passed it; changed under the lock */
    pq_shared_list ranges;
} share_group;

/* A table that is scanned; groups are there once it is scanned more than once. */
typedef struct share_table {
    const pq_table *table;
    ARRAY(share_reader) readers;
    size_t *first_groups; /* of each file */
    share_group *groups;
    size_t group_count;
} share_table;

struct scan_share {
    const exec_query *query;
    pthread_mutex_t
        beginning; /* of whoever finds what is kept, and offers what it begins to read */
    pthread_mutex_t lock;
    ARRAY(share_table) tables;
    uint64_t bytes, bytes_max;
};

status scan_share_new(const exec_query *query, scan_share **out)
{
    uint64_t limit = mem_budget_limit(exec_budget(query));
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("scan", sizeof **out);
    (*out)->query = query;
    (*out)->bytes_max = limit ? limit / KEEP_PART : UINT64_MAX;
    mutex_init(&(*out)->beginning);
    mutex_init(&(*out)->lock);
    return STATUS_OK;
}

static share_table *scan_share_find_table(const scan_share *share, const pq_table *table)
{
    for (size_t i = 0; i < share->tables.count; i++)
        if (share->tables.items[i].table == table)
            return &share->tables.items[i];
    return NULL;
}

/* Its groups, if the table has any. */
static share_group *find_group(const scan_share *share, const pq_table *table,
                               pq_row_group_ref group_ref)
{
    const share_table *t = scan_share_find_table(share, table);
    return t && t->groups ? &t->groups[t->first_groups[group_ref.file] + group_ref.row_group]
                          : NULL;
}

static uint64_t scan_share_bit_of(unsigned reader)
{
    return reader < READERS_MAX ? (uint64_t)1 << reader : 0;
}

static status make_groups(share_table *t)
{
    size_t files = t->table->files.count;
    t->first_groups = mem_new_array(files, sizeof *t->first_groups);
    if (!t->first_groups)
        return status_no_memory("scan", files * sizeof *t->first_groups);
    for (size_t i = 0; i < files; i++) {
        t->first_groups[i] = t->group_count;
        t->group_count += t->table->files.items[i].metadata->row_group_count;
    }
    t->groups = mem_new_array(t->group_count ? t->group_count : 1, sizeof *t->groups);
    if (!t->groups)
        return status_no_memory("scan", t->group_count * sizeof *t->groups);
    for (size_t i = 0; i < t->group_count; i++)
        t->groups[i].to_come = scan_share_bit_of(0);
    return STATUS_OK;
}

status scan_share_add(scan_share *share, const pq_table *table, const uint32_t *columns,
                      uint32_t column_count, unsigned *out_reader)
{
    share_table *t = scan_share_find_table(share, table);
    if (!t) {
        TRY(array_push(NULL, &share->tables, (share_table){.table = table}));
        t = &share->tables.items[share->tables.count - 1];
    }
    *out_reader = (unsigned)t->readers.count;
    TRY(array_push(NULL, &t->readers, ((share_reader){columns, column_count})));
    if (*out_reader == 1)
        TRY(make_groups(t));
    for (size_t i = 0; i < t->group_count; i++)
        t->groups[i].to_come |= scan_share_bit_of(*out_reader);
    return STATUS_OK;
}

/* With the lock held. */
static void release_group(scan_share *share, share_group *group)
{
    for (size_t i = 0; i < group->ranges.count; i++)
        share->bytes -= group->ranges.items[i].memory->bytes;
    pq_shared_list_release(&group->ranges);
}

status scan_share_find(scan_share *share, const pq_table *table, pq_row_group_ref group_ref,
                       pq_shared_list *out)
{
    share_group *group = find_group(share, table, group_ref);
    status st = STATUS_OK;
    if (!group)
        return STATUS_OK;
    mutex_lock(&share->lock);
    st = array_reserve(NULL, out, group->ranges.count + 1);
    for (size_t i = 0; i < group->ranges.count && !st; i++) {
        st = pq_shared_range_ref(&group->ranges.items[i], &out->items[out->count]);
        out->count += !st;
    }
    mutex_unlock(&share->lock);
    return st;
}

/* The range has more of the chunk than the rest of a block at its edge, or all. */
static bool scan_share_has_part(const pq_shared_range *range, const pq_column_chunk *chunk)
{
    uint64_t chunk_end = chunk->offset + chunk->compressed_bytes;
    uint64_t start = range->start > chunk->offset ? range->start : chunk->offset;
    uint64_t end = range->end < chunk_end ? range->end : chunk_end;
    return start < end && (end - start > STORAGE_BLOCK || end - start == chunk->compressed_bytes);
}

/* One of the group's scans that are to come, but not `giver`, has a column in the range. */
static bool scan_share_is_wanted(const share_table *t, const share_group *group,
                                 pq_row_group_ref group_ref, unsigned giver,
                                 const pq_shared_range *range)
{
    const pq_row_group *described =
        &t->table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group];
    for (unsigned r = 0; r < t->readers.count; r++) {
        const share_reader *reader = &t->readers.items[r];
        if (r == giver || !(group->to_come & scan_share_bit_of(r)))
            continue;
        for (uint32_t i = 0; i < reader->column_count; i++) {
            const pq_table_column *column = &t->table->columns.items[reader->columns[i]];
            for (uint32_t k = 0; k < column->leaf_count; k++)
                if (scan_share_has_part(range, &described->chunks[column->leaf + k]))
                    return true;
        }
    }
    return false;
}

static bool scan_share_is_known(const share_group *group, const pq_shared_range *range)
{
    for (size_t i = 0; i < group->ranges.count; i++)
        if (group->ranges.items[i].start <= range->start &&
            range->end <= group->ranges.items[i].end)
            return true;
    return false;
}

/* Keeps a range, if somebody wants it and there is room; with the lock held. Without memory it is not kept. */
static void keep_range(scan_share *share, const share_table *t, share_group *group,
                       pq_row_group_ref group_ref, unsigned reader, const pq_shared_range *range)
{
    uint64_t bytes = range->memory->bytes;
    pq_shared_range own;
    if (!scan_share_is_wanted(t, group, group_ref, reader, range) ||
        scan_share_is_known(group, range) || share->bytes + bytes > share->bytes_max ||
        !exec_has_room(share->query, bytes))
        return;
    status st = array_reserve(NULL, &group->ranges, 1);
    if (!st)
        st = pq_shared_range_ref(range, &own);
    if (!st) {
        group->ranges.items[group->ranges.count++] = own;
        share->bytes += bytes;
    }
    status_free(st);
}

/* Returns whether others than the reader are to come to the row group. */
static bool has_others(const share_group *group, unsigned reader)
{
    return group &&
           atomic_load_explicit(&group->to_come, memory_order_relaxed) & ~scan_share_bit_of(reader);
}

/* Keeps the ranges that `next` gives of a fetch, as far as others are to come to the row group. */
static void keep_ranges(scan_share *share, const pq_table *table, unsigned reader,
                        pq_row_group_ref group_ref, pq_fetch *fetch,
                        bool (*next)(pq_fetch *fetch, size_t *at, pq_shared_range *out))
{
    share_group *group = find_group(share, table, group_ref);
    const share_table *t = scan_share_find_table(share, table);
    pq_shared_range range;
    if (!has_others(group, reader))
        return;
    mutex_lock(&share->lock);
    for (size_t at = 0; next(fetch, &at, &range);)
        keep_range(share, t, group, group_ref, reader, &range);
    mutex_unlock(&share->lock);
}

void scan_share_give(scan_share *share, const pq_table *table, unsigned reader,
                     pq_row_group_ref group_ref, pq_fetch *fetch)
{
    keep_ranges(share, table, reader, group_ref, fetch, pq_fetch_next_range);
}

void scan_share_begin(scan_share *share)
{
    mutex_lock(&share->beginning);
}

void scan_share_offer(scan_share *share, const pq_table *table, unsigned reader,
                      pq_row_group_ref group_ref, pq_fetch *fetch)
{
    keep_ranges(share, table, reader, group_ref, fetch, pq_fetch_next_reading);
}

void scan_share_end(scan_share *share)
{
    mutex_unlock(&share->beginning);
}

void scan_share_pass(scan_share *share, const pq_table *table, unsigned reader,
                     pq_row_group_ref group_ref)
{
    share_group *group = find_group(share, table, group_ref);
    if (!group)
        return;
    mutex_lock(&share->lock);
    group->to_come &= ~scan_share_bit_of(reader);
    if (!group->to_come)
        release_group(share, group);
    mutex_unlock(&share->lock);
}

uint64_t scan_share_drop(scan_share *share)
{
    if (!share)
        return 0;
    mutex_lock(&share->lock);
    uint64_t bytes = share->bytes;
    share->bytes_max = 0;
    for (size_t i = 0; i < share->tables.count && share->bytes; i++)
        for (size_t g = 0; g < share->tables.items[i].group_count; g++)
            release_group(share, &share->tables.items[i].groups[g]);
    mutex_unlock(&share->lock);
    return bytes;
}

void scan_share_free(scan_share *share)
{
    if (!share)
        return;
    scan_share_drop(share);
    for (size_t i = 0; i < share->tables.count; i++) {
        share_table *t = &share->tables.items[i];
        array_release(&t->readers);
        mem_free(t->first_groups);
        mem_free(t->groups);
    }
    array_release(&share->tables);
    mutex_destroy(&share->lock);
    mutex_destroy(&share->beginning);
    mem_free(share);
}
