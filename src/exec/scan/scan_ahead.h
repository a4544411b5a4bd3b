/* scan_ahead.h - a query's scans read ahead: row groups, or morsels of large ones, that will be
 * wanted are being read while others are computed on, also for scans that have not started yet.
 *
 *     scans, in the order in which they start      part [taken|taken|reading|reading|...]
 *                                                  lineitem [reading|reading|...
 *
 * Only what is not in the page cache is read ahead: the rest is best read right before its use,
 * while it stays in the processor's cache. Whoever takes a row group starts the reads that the
 * budget has room for: first those of the same scan, then those of the scans behind it. The budget
 * is one for all scans of all queries of the process. What several scans of a query want is read
 * once (scan_share.h). Regulation gives a scan less of it whose
 * tasks always find their bytes there, and more when they had to wait. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_AHEAD_H
#define PISTACHIO_EXEC_SCAN_SCAN_AHEAD_H

#include "exec/scan/scan_reads.h"

typedef struct scan_ahead scan_ahead;

/* Compressed, of a morsel of a row group that is cut: enough for large reads of each column. */
#define MORSEL_BYTES_MAX ((uint64_t)16 << 20)

/* A task's next piece of work: a row group, or a morsel of one. */
typedef struct scan_morsel {
    pq_row_group_ref group_ref;
    size_t number;    /* of the row group among the table's */
    pq_row_list rows; /* those that page indexes leave; the caller's */
    uint64_t bytes;   /* compressed, of the scan's columns, about */
    size_t stretch;  /* the number of the row group that its stretch begins with (scan_stretch.h) */
    bool is_cut;     /* its row group has several morsels: it is a stretch by itself */
    uint64_t turn;   /* among those that were taken (exec_turn_begin): as they lie in the files */
    pq_fetch *fetch; /* what of it is read ahead; NULL: nothing. The caller's */
    const struct pq_deleted_rows *deleted; /* of its file; NULL: not looked up, or none */
} scan_morsel;

/* Ranges of rows begin at whole words of bitmaps, unless at a page. */
#define SCAN_ROWS_ALIGNMENT 64

/* For open. `columns`: the table's numbers of those that the scan names; both must stay. */
CHECKED status scan_ahead_new(exec_query *query, const plan_node *plan, const uint32_t *columns,
                              uint32_t column_count, scan_ahead **out);
/* Returns the table that the scan reads: the plan's, or, if that is closed, one of the scan's own, which grows. */
const pq_table *scan_ahead_table(const scan_ahead *scan);
/* Returns how many rows a chunk of the scan should have. */
uint64_t scan_ahead_chunk_rows(const scan_ahead *scan);
/* For open: where files that it opens are counted, and row groups that it takes from other ranks. */
void scan_ahead_count_in(scan_ahead *scan, exec_metrics *metrics);
/* The next rows that statistics do not exclude (EXEC_HAVE_OUTPUT), or none are left
 * (EXEC_FINISHED), or the task is woken when this is to be asked again (EXEC_WAIT). */
exec_result scan_ahead_take(scan_ahead *scan, exec_task *task, scan_morsel *out);
/* On a lazy device the task that was given a morsel gets all of its stretch, and others wait for the next one, until it says
 * that it wants no more of it, or none is left. Any task may call it, at any time. */
void scan_ahead_end_stretch(scan_ahead *scan, const exec_task *task);
/* The rows of the row group are done: closes the fetch (NULL is allowed), whose columns are closed.
 * Any thread. */
void scan_ahead_release(scan_ahead *scan, pq_row_group_ref group_ref, pq_fetch *fetch);
/* Once no task takes any more. Takes NULL. */
void scan_ahead_free(scan_ahead *scan);

/* The compressed bytes of the scan's columns in the row group. */
uint64_t scan_ahead_row_group_bytes(const scan_ahead *scan, pq_row_group_ref group_ref);

/* Returns the bytes of all row groups; an estimate if files are opened later. */
uint64_t scan_ahead_bytes(const scan_ahead *scan);

/* Bytes of the row group were taken from storage and from the page cache. Any thread. */
void scan_ahead_count(scan_ahead *scan, pq_row_group_ref group_ref, uint64_t stored,
                      uint64_t cached);

/* Returns the bytes that all queries of the process hold at this moment. */
uint64_t scan_ahead_process_bytes(void);

/* A file of the query's scans that has changed since it was opened, or NULL. */
const file *scan_ahead_changed_file(const exec_query *query);

/* Starts reading, before the first task runs: from then on the query has a share of the process's
 * budget, */
void scan_ahead_start(exec_query *query);
/* up to here, when it is over. */
void scan_ahead_end(exec_query *query);

#endif
