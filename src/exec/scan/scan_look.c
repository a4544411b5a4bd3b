/* scan_look.c - the next row group of a scan: of this rank's, then of those that others have given it. */
#include "exec/scan/scan_look.h"

#include "base/system/mutex.h"
#include "exec/scan/scan_prune.h"
#include "exec/scan/scan_share.h"

/* Row groups whose Bloom filters and page indexes the system is told of before they are looked at.
 */
#define EXPECT_COUNT 32

/* Which row group is looked at as this one, from 0. */
static size_t number_of(const scan_ahead *scan, size_t at)
{
    return scan->order ? scan->order[at] : at;
}

static void expect(scan_ahead *scan)
{
    const pq_table *table = scan->table;
    while (scan->expected < table->row_groups.count && scan->expected < scan->cursor + EXPECT_COUNT)
        scan_prune_expect(scan->query, scan->plan, table,
                          table->row_groups.items[number_of(scan, scan->expected++)]);
}

void scan_look_pass(scan_ahead *scan)
{
    scan_share *share = scan->query->reads->share;
    if (share)
        scan_share_pass(share, scan->table, scan->reader, scan->group_ref);
}

/* The rows of the row group before the cursor that the plan's range has. */
static pq_row_range planned_rows(const scan_ahead *scan, uint64_t rows)
{
    uint64_t before = scan->rows_before - rows, first = scan->plan->scan.first_row,
             end = scan->plan->scan.end_row;
    if (!end)
        return (pq_row_range){0, rows};
    first = first > before ? first - before : 0;
    end = end > before ? end - before : 0;
    return (pq_row_range){first, end < rows ? end : rows};
}

/* The rows of the row group before the cursor that may be wanted. */
static status list_rows(scan_ahead *scan, pq_row_list *out)
{
    const pq_row_group *group = &scan->table->files.items[scan->group_ref.file]
                                     .metadata->row_groups[scan->group_ref.row_group];
    pq_row_range planned = planned_rows(scan, group->row_count);
    pq_row_list left = {0}, range = {.items = &planned, .count = 1};
    if (scan->is_looting && scan->end_row && scan->number == scan->deal.first) {
        planned.first = planned.first > scan->first_row ? planned.first : scan->first_row;
        planned.end = planned.end < scan->end_row ? planned.end : scan->end_row;
    }
    if (planned.first >= planned.end ||
        scan_prune(scan->query, scan->plan, scan->table, scan->group_ref))
        return STATUS_OK;
    status st = scan_prune_pages(scan->query, scan->plan, scan->table, scan->group_ref,
                                 SCAN_ROWS_ALIGNMENT, &left);
    if (!st)
        st = pq_rows_intersect(&left, &range, out);
    array_release(&left);
    return st;
}

/* ---- what ranks take from each other ---- */

/* Moves the cursor on. Returns whether the row group that it was at is this rank's. */
static bool next_number(scan_ahead *scan)
{
    pthread_mutex_t *lock = scan->steal ? &scan->query->reads->lock : NULL;
    if (lock)
        mutex_lock(lock);
    size_t number = scan->number = number_of(scan, scan->cursor++);
    bool is_mine = number >= scan->deal.first && number < scan->deal.end;
    if (lock)
        mutex_unlock(lock);
    return is_mine;
}

static bool is_loot_over(scan_ahead *scan)
{
    mutex_lock(&scan->query->reads->lock);
    bool is_over = scan->cursor >= scan->deal.end;
    mutex_unlock(&scan->query->reads->lock);
    return is_over;
}

/* Makes what another rank has given this rank's deal, if there is any. */
static bool take_loot(scan_ahead *scan)
{
    scan_reads *ahead = scan->query->reads;
    if (!scan->steal)
        return false;
    mutex_lock(&ahead->lock);
    const scan_loot loot = scan->loot;
    bool is_here = scan->loot_state == LOOT_HERE;
    if (is_here) {
        scan->loot_state = LOOT_UNASKED;
        scan->deal = (pq_deal){loot.first, loot.end};
        scan->cursor = loot.first;
        scan->is_looting = true;
        scan->first_row = loot.first_row;
        scan->end_row = loot.end_row;
    }
    mutex_unlock(&ahead->lock);
    scan->rows_before = is_here ? 0 : scan->rows_before;
    for (size_t i = 0; is_here && i < loot.first; i++) {
        pq_row_group_ref ref = scan->table->row_groups.items[i];
        scan->rows_before +=
            scan->table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
    }
    return is_here;
}

/* There is a row group at the cursor, perhaps one of a file that is opened for it. */
static status find_more(scan_ahead *scan, bool *has_more)
{
    *has_more = !scan->is_looting || !is_loot_over(scan);
    while (*has_more && scan->cursor >= scan->table->row_groups.count) {
        *has_more = scan->files != NULL;
        if (scan->files)
            TRY(scan_files_open(scan->files, &scan->metrics->files_opened, has_more));
    }
    return STATUS_OK;
}

status scan_look(scan_ahead *scan)
{
    exec_query *query = scan->query;
    const pq_table *table = scan->table;
    while (!scan_split_has_more(&scan->split)) {
        pq_row_list rows = {0};
        bool has_more;
        TRY(find_more(scan, &has_more));
        if (!has_more && !take_loot(scan))
            break;
        if (!has_more)
            continue;
        expect(scan);
        bool is_mine = next_number(scan);
        scan->group_ref = table->row_groups.items[scan->number];
        scan->rows_before += table->files.items[scan->group_ref.file]
                                 .metadata->row_groups[scan->group_ref.row_group]
                                 .row_count;
        uint64_t bytes = scan_ahead_row_group_bytes(scan, scan->group_ref);
        scan_split_release(&scan->split);
        status st = is_mine ? list_rows(scan, &rows) : STATUS_OK;
        if (st) {
            array_release(&rows);
            return st;
        }
        if (rows.count) {
            scan_split_start(&scan->split, scan->table, scan->group_ref, scan->columns,
                             scan->column_count, bytes, scan->morsel_bytes, &rows);
        } else {
            scan_look_pass(scan);
            atomic_fetch_add_explicit(&query->reads->bytes_done, bytes, memory_order_relaxed);
        }
    }
    return STATUS_OK;
}
