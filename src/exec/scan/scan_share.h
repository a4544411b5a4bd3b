/* scan_share.h - what several scans of a query read of a table comes from storage once.
 *
 * A scan that is done with bytes of a row group leaves them here if another scan of the table wants
 * columns of them and has not come to that row group yet. They stay until all have passed it,
 * within a part of memory_limit, and go at once where an operator would have to spill otherwise.
 * Only what was read past the page cache: the rest is kept by the system. And,
 * with adaptive_regulation, only while tasks wait for storage: if it is ahead of them, it has the
 * time to read again.
 *
 * What comes from a store, which is always slower than the tasks, is found by the others as soon as it was asked for, and awaited by them, too.
 *
 *     scan 1   read ─ decode ─ give ┐                    pass: nobody is to come, they go
 *     scan 2                        └─ find ─ decode ─ give ┘
 *
 * Any thread. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_SHARE_H
#define PISTACHIO_EXEC_SCAN_SCAN_SHARE_H

#include "exec/sched/query.h"
#include "parquet/read/fetch.h"

typedef struct scan_share scan_share;

CHECKED status scan_share_new(const exec_query *query, scan_share **out);
void scan_share_free(scan_share *share); /* takes NULL */

/* A scan of these columns (the table's numbers, which must stay), before any has started. It is
 * known by the table and *out_reader. */
CHECKED status scan_share_add(scan_share *share, const pq_table *table, const uint32_t *columns,
                              uint32_t column_count, unsigned *out_reader);
/* Finds what is kept of the row group, with references that pq_shared_list_release lets go. */
CHECKED status scan_share_find(scan_share *share, const pq_table *table, pq_row_group_ref group_ref,
                               pq_shared_list *out);
/* The scan has begun to fetch: what others want of it, who would ask for it, too, while it is on its way, they find from now on. For files of stores,
 * between scan_share_begin and scan_share_end, which keep two scans from beginning at once; the scan's other thread waits meanwhile. */
void scan_share_begin(scan_share *share);
void scan_share_offer(scan_share *share, const pq_table *table, unsigned reader,
                      pq_row_group_ref group_ref, pq_fetch *fetch);
void scan_share_end(scan_share *share);
/* The scan is done with what it fetched of the row group. Before the fetch is closed. Without
 * memory nothing is kept. */
void scan_share_give(scan_share *share, const pq_table *table, unsigned reader,
                     pq_row_group_ref group_ref, pq_fetch *fetch);
/* The scan has found what it wants of the row group, or wants nothing of it. */
void scan_share_pass(scan_share *share, const pq_table *table, unsigned reader,
                     pq_row_group_ref group_ref);

/* Gives everything up, as memory is short, and keeps nothing from now on; returns how many bytes
 * that were. Takes NULL. */
uint64_t scan_share_drop(scan_share *share);

#endif
